import BLIP
import DocumentStore
import Replication
import ReplicationSimulation
import SyncCore
import Testing

@Suite("Passive sessions with slow clients")
struct WaitingRequestsTests {
    /// A passive session and its client, whose frames the test transfers itself.
    private final class Side {
        let database: SimulatedDatabase
        let session: Session
        var client = BLIPConnection()
        private(set) var time = Duration.zero
        private(set) var timers: [(timer: SessionTimer, time: Duration)] = []
        private(set) var closure: Int?
        private(set) var replies: [RequestToken: IncomingReply] = [:]

        init() throws {
            database = try SimulatedDatabase("server", in: Simulation(seed: 1))
            session = Session.passive(database.replica, PassiveOptions(collections: [.default]))
            tell(.opened(ChannelHandshake()))
        }

        func tell(_ event: SessionEvent) {
            for action in session.handle(event, at: time) {
                switch action {
                case .setTimer(let timer, let delay): timers.append((timer, time + delay))
                case .cancelTimer(let timer): timers.removeAll { $0.timer == timer }
                case .close(let code, _): closure = closure ?? code
                case .report: break
                }
            }
        }

        /// Sends the frames that the client has queued.
        func send() {
            while let frame = client.nextFrame() { tell(.frames([frame])) }
        }

        /// Passes all available frames to the client.
        func receive() throws {
            while let frame = session.nextFrame() {
                for case .reply(let token, let reply) in try client.receive(frame) { replies[token] = reply }
            }
        }

        func advance(by duration: Duration) {
            let end = time + duration
            while let next = timers.min(by: { $0.time < $1.time }), next.time <= end {
                time = max(time, next.time)
                timers.removeAll { $0.timer == next.timer }
                tell(.timer(next.timer))
            }
            time = end
        }

        func setCheckpoint(size: Int) throws {
            let body = Array(#"{"a":""#.utf8) + [UInt8](repeating: 0x78, count: size - 8) + Array(#""}"#.utf8)
            client.send(OutgoingMessage(["Profile": "setCheckpoint", "client": "cp"], body: body))
            while client.hasFrames {
                send()
                try receive()
            }
        }
    }

    @Test("unread replies take less than 4 MiB of memory, and all of them arrive when the client reads")
    func answers() throws {
        let side = try Side()
        try side.setCheckpoint(size: 60_000)
        let question = OutgoingMessage(["Profile": "getCheckpoint", "client": "cp"])
        let tokens = (0..<2000).map { _ in side.client.send(question) }
        side.send()
        #expect((side.session.memory?.used ?? .max) < 4 << 20)
        #expect(side.session.waitingByteCount > 1_000_000)
        while side.replies.count < 2001, side.closure == nil, side.time < .seconds(60) {
            try side.receive()
            side.advance(by: .milliseconds(10))
            #expect((side.session.memory?.used ?? .max) < 4 << 20)
        }
        #expect(tokens.allSatisfy { side.replies[$0]?.body.count == 60_000 })
        #expect(side.session.waitingByteCount == 0)
    }

    @Test("a client that reads nothing for a minute is disconnected")
    func stalled() throws {
        let side = try Side()
        try side.setCheckpoint(size: 60_000)
        for _ in 0..<100 { side.client.send(OutgoingMessage(["Profile": "getCheckpoint", "client": "cp"])) }
        side.send()
        side.advance(by: .seconds(55))
        #expect(side.closure == nil)
        side.advance(by: .seconds(10))
        #expect(side.closure == 4002)
    }

    @Test("a client that disconnects leaves no timers and little memory in use")
    func gone() throws {
        let side = try Side()
        try side.setCheckpoint(size: 60_000)
        for _ in 0..<500 { side.client.send(OutgoingMessage(["Profile": "getCheckpoint", "client": "cp"])) }
        side.send()
        side.tell(.closed(ChannelClosure(code: nil, isByPeer: true)))
        #expect((side.session.memory?.used ?? .max) < 1 << 19)
        #expect(side.timers.isEmpty)
    }
}

import BLIP
import SyncCore
import TestSupport
import Testing

/// Two peers that send random messages to each other over a link that delays frames and is writable only at times.
private struct RandomExchange {
    private struct Direction {
        var frames: [[UInt8]] = []
        var delivered = 0
        var lastRequest: UInt64 = 0
        /// By message (its number doubled, plus one for responses): the bytes that were sent, and how many of them were acknowledged.
        var sent: [UInt64: Int] = [:]
        var acknowledged: [UInt64: Int] = [:]
    }

    private var generator: SeededGenerator
    private let peers = [Peer(), Peer()]
    private var directions = [Direction(), Direction()]
    private var bodies: [[[UInt8]]] = [[], []]
    private var tokens: [[RequestToken]] = [[], []]
    private var unanswered: [[IncomingRequest]] = [[], []]
    private let messageCount: Int

    init(messageCount: Int, seed: UInt64) {
        generator = SeededGenerator(seed: seed)
        self.messageCount = messageCount
    }

    /// Performs all pending events in random order.
    mutating func run() throws {
        while true {
            let side = Int.random(in: 0...1, using: &generator)
            switch Int.random(in: 0..<8, using: &generator) {
            case 0 where bodies[side].count < messageCount: send(from: side)
            case 1 where !unanswered[side].isEmpty: answer(on: side)
            case 2...4: transmit(from: side)
            default: try deliver(from: side)
            }
            if isFinished { break }
        }
        check()
    }

    private var isFinished: Bool {
        (0...1).allSatisfy { side in
            bodies[side].count == messageCount && unanswered[side].isEmpty && !peers[side].hasFrames
                && peers[side].queuedMessageCount == 0
                && directions[side].delivered == directions[side].frames.count
        }
    }

    /// Most messages are small, some are large, few are huge.
    private mutating func randomBody() -> [UInt8] {
        let limit = [100, 1000, 20_000, 200_000, 3 << 20][
            [0, 0, 0, 1, 1, 1, 2, 2, 3].randomElement(using: &generator) ?? 0
        ]
        let isHuge = Int.random(in: 0..<150, using: &generator) == 0
        let count = Int.random(in: 0...(isHuge ? 3 << 20 : limit), using: &generator)
        let seed = generator.next()
        return seed & 3 == 0 ? noise(count, seed: seed) : prose(count, seed: seed)
    }

    private mutating func send(from side: Int) {
        let body = randomBody()
        var message = OutgoingMessage(
            ["Profile": "echo", "index": "\(bodies[side].count)"],
            body: body,
            isUrgent: Int.random(in: 0..<3, using: &generator) == 0,
            isNoReply: Int.random(in: 0..<4, using: &generator) == 0,
            isCompressed: Bool.random(using: &generator)
        )
        if Int.random(in: 0..<5, using: &generator) == 0 {
            message.body = .stream(GeneratedSource(body, pieceSize: 9000))
        }
        bodies[side].append(body)
        tokens[side].append(peers[side].send(message, streamsReply: Bool.random(using: &generator)))
    }

    /// Answers any of the requests, with its own body or an error.
    private mutating func answer(on side: Int) {
        let request = unanswered[side].remove(at: Int.random(in: 0..<unanswered[side].count, using: &generator))
        let index = request.properties["index"] ?? ""
        if (Int(index) ?? 0) % 7 == 3 {
            peers[side].respond(to: request, error: SyncError(.http, 500, index))
        } else {
            let isCompressed = Bool.random(using: &generator)
            peers[side].respond(to: request, with: OutgoingMessage(["index": index], body: request.body, isCompressed: isCompressed))
        }
    }

    private mutating func transmit(from side: Int) {
        let isWritable = directions[side].frames.count - directions[side].delivered < 6
        guard isWritable, let frame = peers[side].nextFrame() else { return }
        let (number, flags) = header(of: frame)
        directions[side].frames.append(frame)
        #expect(frame.count <= 16_384)
        guard flags & 0x04 == 0 else { return }
        if flags & 0x07 == 0, number > directions[side].lastRequest {
            #expect(number == directions[side].lastRequest + 1)
            directions[side].lastRequest = number
        }
        let key = number * 2 + UInt64(flags & 0x07 == 0 ? 0 : 1)
        let sent = directions[side].sent[key, default: 0] + frame.count - varint(number).count - 1
        directions[side].sent[key] = sent
        #expect(sent - directions[side].acknowledged[key, default: 0] < 128_000 + 16_384)
    }

    private mutating func deliver(from side: Int) throws {
        guard directions[side].delivered < directions[side].frames.count else { return }
        let frame = directions[side].frames[directions[side].delivered]
        directions[side].frames[directions[side].delivered] = []
        directions[side].delivered += 1
        let (number, flags) = header(of: frame)
        if flags & 0x04 != 0 {
            let key = number * 2 + UInt64(flags & 1)
            let count = frame.dropFirst(varint(number).count + 1).reversed().reduce(0) { $0 << 7 | Int($1 & 0x7F) }
            directions[1 - side].acknowledged[key] = count
            #expect(count <= directions[1 - side].sent[key, default: 0])
        }
        unanswered[1 - side] += try peers[1 - side].receive(frame).filter { !$0.isNoReply }
    }

    private func check() {
        for side in 0...1 {
            // The received messages, in the order of their numbers.
            let arrived = peers[1 - side].requests.sorted { $0.number < $1.number }
            #expect(arrived.map(\.number) == (1...UInt64(messageCount)).map(\.self))
            for request in arrived {
                let index = request.properties["index"].flatMap { Int($0) } ?? -1
                #expect(bodies[side].indices.contains(index) && request.body == bodies[side][index])
            }
            #expect(peers[side].replies.count == arrived.count { !$0.isNoReply })
            for (index, token) in tokens[side].enumerated() {
                guard let reply = peers[side].replies[token] else { continue }
                if index % 7 == 3 {
                    #expect(reply.error == SyncError(.http, 500, "\(index)"))
                } else {
                    let body = peers[side].parts[token]?.joined().map(\.self) ?? reply.body
                    #expect(reply.properties["index"] == "\(index)" && body == bodies[side][index])
                }
            }
            #expect(peers[side].unansweredCount == 0 && peers[side].awaitedCount == 0)
            #expect(peers[side].queuedByteCount == 0 && peers[side].unfinishedByteCount == 0)
        }
    }
}

@Suite("Random exchanges")
struct RandomExchangeTests {
    @Test("randomly exchanged messages arrive complete, in order, and within the flow control window", arguments: 0..<4)
    func exchange(run: UInt64) throws {
        var exchange = RandomExchange(messageCount: 100, seed: TestSeed.forThisTest() &+ run)
        try exchange.run()
    }
}

import BLIP
import Base
import SyncCore
import Testing

@Suite("Receiving limits")
struct LimitTests {
    private let options: BLIPOptions

    init() {
        var options = BLIPOptions()
        options.maximumPropertiesSize = 100
        options.maximumBodySize = 1000
        options.maximumUnfinishedRequests = 3
        options.maximumUnfinishedSize = 2500
        options.maximumInflatedFrameSize = 100_000
        options.maximumOpenRequests = 3
        self.options = options
    }

    @Test("properties over the size limit are refused by their declared length")
    func properties() throws {
        let peer = Peer(options)
        var raw = RawFrames()
        try peer.receive(raw.request(1, "a", String(repeating: "b", count: 97)))
        let error = BLIPError.propertiesTooLarge(message: 2, limit: 100)
        #expect(throws: error) { try peer.receive(raw.frame(2, 0x40, varint(101))) }
        #expect(error.closeCode.rawValue == 1009)
        #expect(BLIPOptions().maximumPropertiesSize == 100 * 1024)
    }

    @Test("an oversized request body is discarded, without affecting other requests")
    func body() throws {
        let peer = Peer(options)
        var raw = RawFrames()
        try peer.receive(raw.frame(1, 0x40, [0] + noise(600)))
        try peer.receive(raw.frame(1, 0x40, noise(400)))
        #expect(peer.unfinishedByteCount == 1000)
        try peer.receive(raw.frame(1, 0x40, [1]))
        #expect(peer.unfinishedByteCount == 0)
        try peer.receive(raw.frame(2, 0, [0] + noise(1000)))
        for _ in 0..<100 { try peer.receive(raw.frame(1, 0x40, noise(900))) }
        try peer.receive(raw.frame(1, 0, [1]))
        #expect(peer.requests.map(\.isTooLarge) == [false, true])
        #expect(peer.requests.map(\.body.count) == [1000, 0])
        // Acknowledgements of discarded bytes.
        #expect(!peer.frames().isEmpty)
        peer.respond(to: peer.requests[1], error: SyncError(.http, 413, "too large"))
        #expect(peer.frames().count == 1)
    }

    @Test("the body size limit can be set per profile")
    func bodiesByProfile() throws {
        var options = options
        options.maximumBodySizes = [ExactString("rev"): 2000]
        let peer = Peer(options)
        var raw = RawFrames()
        try peer.receive(raw.request(1, "Profile", "rev", body: noise(2000)))
        try peer.receive(raw.request(2, "Profile", "rev", body: noise(2001)))
        try peer.receive(raw.request(3, "Profile", "changes", body: noise(1001)))
        #expect(peer.requests.map(\.isTooLarge) == [false, true, true])
    }

    @Test("an oversized response ends the connection")
    func longResponse() throws {
        let peer = Peer(options)
        peer.send(OutgoingMessage())
        _ = peer.frames()
        var raw = RawFrames()
        try peer.receive(raw.frame(1, 0x41, [0] + noise(1000)))
        #expect(throws: BLIPError.bodyTooLarge(message: 1, limit: 1000)) { try peer.receive(raw.frame(1, 0x41, [1])) }
    }

    @Test("a streamed response may have any length")
    func streamedBody() throws {
        let peer = Peer(options)
        let token = peer.send(OutgoingMessage(), streamsReply: true)
        _ = peer.frames()
        var raw = RawFrames()
        for _ in 0..<10 { try peer.receive(raw.frame(1, 0x41, [0] + noise(900))) }
        try peer.receive(raw.frame(1, 1, []))
        // The first byte is the length of the properties, in the first frame only.
        #expect(peer.parts[token]?.joined().count == 9009)
        #expect(peer.replies[token]?.body == [])
    }

    @Test("the number of unfinished requests is limited")
    func unfinished() throws {
        let peer = Peer(options)
        var raw = RawFrames()
        for number in 1...3 { try peer.receive(raw.frame(UInt64(number), 0x40, [])) }
        try peer.receive(raw.frame(2, 0, [0]))
        try peer.receive(raw.frame(4, 0x40, []))
        #expect(throws: BLIPError.tooManyUnfinishedRequests(limit: 3)) { try peer.receive(raw.frame(5, 0x40, [])) }
    }

    @Test("the total size of unfinished messages is limited, and finished messages are not counted")
    func unfinishedSize() throws {
        let peer = Peer(options)
        peer.send(OutgoingMessage())
        _ = peer.frames()
        var raw = RawFrames()
        for number in 1...20 as ClosedRange<UInt64> {
            try peer.receive(raw.frame(number, 0x60, [0] + noise(900)))
            try peer.receive(raw.frame(number, 0x20, [1]))
        }
        try peer.receive(raw.frame(21, 0x40, [0] + noise(1000)))
        try peer.receive(raw.frame(1, 0x41, [0] + noise(1000)))
        #expect(throws: BLIPError.unfinishedMessagesTooLarge(limit: 2500)) {
            try peer.receive(raw.frame(22, 0x40, [0] + noise(1000)))
        }
    }

    @Test("the decompressed size of a frame is limited", arguments: [99_990, 100_001])
    func inflation(size: Int) throws {
        // One message of zeros, compressed into one frame by a sender that puts more data into it than this library would.
        var options = options
        options.maximumBodySize = 1 << 20
        let peer = Peer(options)
        let zeros = [UInt8](repeating: 0, count: size)
        let frame = try Deflated.frame(1, 0x08, [0] + zeros)
        if size < 100_000 {
            try peer.receive(frame)
            #expect(peer.requests.first?.body == zeros)
        } else {
            #expect(throws: BLIPError.frameInflatesTooMuch(message: 1, limit: 100_000)) { try peer.receive(frame) }
        }
    }

    @Test("the number of unanswered requests and unsent answers is limited")
    func openRequests() throws {
        let peer = Peer(options)
        var raw = RawFrames()
        for number in 1...10 as ClosedRange<UInt64> {
            for request in try peer.receive(raw.frame(number, 0, [0])) {
                peer.respond(to: request, with: OutgoingMessage())
            }
            _ = peer.frames()
        }
        for request in try peer.receive(raw.frame(11, 0, [0])) { peer.respond(to: request, with: OutgoingMessage()) }
        try peer.receive(raw.frame(12, 0, [0]))
        try peer.receive(raw.frame(13, 0, [0]))
        // A request that expects no response does not count as open.
        try peer.receive(raw.frame(14, 0x20, [0]))
        #expect(throws: BLIPError.tooManyOpenRequests(limit: 3)) { try peer.receive(raw.frame(15, 0, [0])) }
    }
}

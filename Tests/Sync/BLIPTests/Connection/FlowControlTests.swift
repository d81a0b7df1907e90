import BLIP
import Testing

@Suite("Flow control")
struct FlowControlTests {
    private let large = OutgoingMessage(["Profile": "x"], body: noise(1 << 20))

    /// The bytes of a frame that acknowledgements count: with its checksum, without its header.
    private func counted(_ frame: [UInt8]) -> Int { frame.count - varint(header(of: frame).number).count - 1 }

    @Test("a message pauses after 128,000 unacknowledged bytes, and other messages are sent meanwhile")
    func window() {
        let peer = Peer()
        peer.send(large)
        let frames = peer.frames()
        let sum = frames.reduce(0) { $0 + counted($1) }
        #expect(sum >= 128_000 && sum < 128_000 + 16_384)
        #expect(frames.allSatisfy { header(of: $0).flags == 0x40 })
        #expect(peer.queuedMessageCount == 1)
        #expect(!peer.hasFrames)

        peer.send(OutgoingMessage(["Profile": "y"]))
        #expect(peer.frames().map { header(of: $0).number } == [2])
    }

    @Test("an acknowledgement lets a paused message continue by the acknowledged bytes")
    func resuming() throws {
        let peer = Peer()
        peer.send(large)
        let sum = peer.frames().reduce(0) { $0 + counted($1) }
        // These acknowledgements are ignored: of more bytes than were sent, for a response with the same number, and of too few bytes.
        try peer.receive(varint(1) + [0x34] + varint(UInt64(sum + 1)))
        try peer.receive(varint(1) + [0x35] + varint(UInt64(sum)))
        try peer.receive(varint(1) + [0x34] + varint(UInt64(sum - 128_000)))
        #expect(!peer.hasFrames)
        try peer.receive(varint(1) + [0x34] + varint(UInt64(sum - 127_999)))
        #expect(peer.hasFrames)
        try peer.receive(varint(1) + [0x34] + varint(50_000))
        let more = peer.frames().reduce(0) { $0 + counted($1) }
        #expect(sum + more - 50_000 >= 128_000 && sum + more - 50_000 < 128_000 + 16_384)
        // An older acknowledgement has no effect.
        try peer.receive(varint(1) + [0x34] + varint(150_000))
        try peer.receive(varint(1) + [0x34] + varint(40_000))
        let last = peer.frames().reduce(0) { $0 + counted($1) }
        #expect(sum + more + last - 150_000 >= 128_000)
    }

    @Test("every 50,000 received bytes of a message are acknowledged with their running total", arguments: [false, true])
    func acknowledging(isResponse: Bool) throws {
        let sender = Peer()
        let receiver = Peer()
        if isResponse {
            receiver.send(OutgoingMessage())
            try exchange(receiver, sender)
            sender.respond(to: try #require(sender.requests.first), with: large)
        } else {
            sender.send(large)
        }
        var sum = 0
        var acknowledged = 0
        while let frame = sender.nextFrame() {
            sum += counted(frame)
            try receiver.receive(frame)
            let answers = receiver.frames()
            if header(of: frame).flags & 0x40 != 0, sum - acknowledged >= 50_000 {
                let flags: UInt8 = isResponse ? 0x35 : 0x34
                #expect(answers == [varint(1) + [flags] + varint(UInt64(sum))])
                acknowledged = sum
            } else {
                #expect(answers.isEmpty)
            }
            for answer in answers { try sender.receive(answer) }
        }
        #expect(acknowledged > 900_000)
        #expect(isResponse ? receiver.replies.count == 1 : receiver.requests.count == 1)
    }

    @Test("acknowledgements are sent before all other frames, and replaced by later ones")
    func acknowledgementsFirst() throws {
        let sender = Peer()
        let receiver = Peer()
        sender.send(large)
        receiver.send(OutgoingMessage(isUrgent: true))
        var sum = 0
        for frame in sender.frames() {
            sum += counted(frame)
            try receiver.receive(frame)
        }
        let frames = receiver.frames()
        #expect(frames.count == 2)
        // 100,000 bytes were received in frames of 16 KiB: four frames, then four more of the eight.
        #expect(frames.first == varint(1) + [0x34] + varint(UInt64(sum)))
    }

    @Test("messages of a single frame are neither acknowledged nor paused")
    func singleFrames() throws {
        let sender = Peer()
        let receiver = Peer()
        for _ in 0..<50 { sender.send(OutgoingMessage(body: noise(16_000))) }
        for frame in sender.frames() { try receiver.receive(frame) }
        #expect(receiver.requests.count == 50)
        #expect(!receiver.hasFrames)
    }
}

import TestSupport
import Testing

@testable import BLIP

@Suite("Compression")
struct CompressionTests {
    private let compressed: UInt8 = 0x08

    @Test("compressed and uncompressed messages can be mixed in both directions", arguments: [1, 3, 6, 9])
    func windows(level: Int) throws {
        var options = BLIPOptions()
        options.compressionLevel = level
        let one = Peer(options)
        let other = Peer(options)
        var bodies: [[UInt8]] = []
        for index in 0..<60 {
            bodies.append(prose(200 + index * 97, seed: UInt64(index)))
            let message = OutgoingMessage(body: bodies[index], isCompressed: index % 3 != 0)
            one.send(message)
            other.send(message)
            try exchange(one, other)
        }
        #expect(one.requests.map(\.body) == bodies)
        #expect(other.requests.map(\.body) == bodies)
        #expect(one.statistics.sentBytes < bodies.joined().count * 2 / 3)
    }

    @Test("a later message is compressed with the history of earlier ones")
    func history() {
        let peer = Peer()
        let message = OutgoingMessage(body: noise(1000), isCompressed: true)
        peer.send(message)
        peer.send(message)
        let frames = peer.frames()
        #expect(frames[0].count > 1000)
        #expect(frames[1].count < 50)
    }

    @Test("at level 0 no message is compressed, and compressed messages are accepted")
    func never() throws {
        var options = BLIPOptions()
        options.compressionLevel = 0
        let quiet = Peer(options)
        let other = Peer()
        quiet.send(OutgoingMessage(body: prose(1000), isCompressed: true))
        other.send(OutgoingMessage(body: prose(1000), isCompressed: true))
        let frames = quiet.frames()
        #expect(frames.map { header(of: $0).flags & compressed } == [0])
        for frame in frames { try other.receive(frame) }
        try exchange(quiet, other)
        #expect(quiet.requests.first?.body == prose(1000))
        #expect(other.requests.first?.body == prose(1000))
    }

    @Test("no frame is empty when a body or the properties end at the end of a frame", arguments: [false, true])
    func ends(isCompressed: Bool) throws {
        let sender = Peer()
        let receiver = Peer()
        let room = FrameEncoder(compression: CompressionPolicy(highestLevel: 6))
            .capacity(frameSize: 16384, number: 1, isCompressed: isCompressed)
        let sizes = (room - 10)...(room + 1)
        for size in sizes {
            var message = OutgoingMessage.streaming(GeneratedSource(prose(size)), isCompressed: isCompressed)
            sender.send(message)
            message = .streaming(GeneratedSource([]), isCompressed: isCompressed)
            message.properties = ["a": String(decoding: prose(size), as: UTF8.self)]
            sender.send(message)
        }
        for frame in sender.frames() {
            // Header and checksum take six bytes.
            #expect(frame.count > 6 && (header(of: frame).flags & compressed != 0) == isCompressed)
            try receiver.receive(frame)
        }
        #expect(
            receiver.requests.map { max($0.body.count, $0.properties["a"]?.count ?? 0) }.sorted()
                == sizes.flatMap { [$0, $0] }
        )
    }

    @Test("frames have at most 16 KiB, even if their bytes cannot be compressed", arguments: [1, 3, 6, 9])
    func worstCase(level: Int) throws {
        var options = BLIPOptions()
        options.compressionLevel = level
        let sender = Peer(options)
        let receiver = Peer()
        // Bytes that the detection of compressible data takes for text, but that cannot be compressed.
        var body = noise(200_000, seed: UInt64(level))
        for index in stride(from: 0, to: body.count, by: 195) { body[index] = 0x20 }
        sender.send(OutgoingMessage(body: body, isCompressed: true))
        var count = 0
        while sender.hasFrames {
            sender.noteChannelIsFull()
            guard let frame = sender.nextFrame() else { break }
            count += 1
            #expect(header(of: frame).flags & compressed != 0)
            #expect(frame.count <= 16384)
            try receiver.receive(frame)
            for answer in receiver.frames() { try sender.receive(answer) }
        }
        #expect(count < 20)
        #expect(receiver.requests.first?.body == body)
    }

    @Test("incompressible bytes are sent uncompressed")
    func incompressible() throws {
        for (body, isCompressed) in [
            (noise(100_000), false), (prose(100_000), true), (noise(3000), true),
            (Array(base64(noise(75_000))), true),
        ] {
            let sender = Peer()
            sender.send(OutgoingMessage(body: body, isCompressed: true))
            var message = OutgoingMessage.streaming(GeneratedSource(body), isCompressed: true)
            message.isUrgent = true
            sender.send(message)
            for frame in sender.frames() {
                #expect((header(of: frame).flags & compressed != 0) == isCompressed)
            }
        }
    }

    @Test("a full channel increases the compression, and frames of both levels are readable")
    func fullChannel() throws {
        let hurried = Peer()
        let thorough = Peer()
        let receivers = [Peer(), Peer()]
        for index in 0..<300 {
            let message = OutgoingMessage(body: prose(2000, seed: UInt64(index)), isCompressed: true)
            hurried.send(message)
            thorough.send(message)
            if index < 200 { thorough.noteChannelIsFull() }
            for frame in hurried.frames() { try receivers[0].receive(frame) }
            for frame in thorough.frames() { try receivers[1].receive(frame) }
        }
        #expect(receivers.allSatisfy { $0.requests.count == 300 })
        #expect(receivers[1].requests.map(\.body) == receivers[0].requests.map(\.body))
        #expect(thorough.statistics.sentBytes < hurried.statistics.sentBytes * 19 / 20)
    }

    @Test("a full channel raises the compression level for 64 frames")
    func memory() {
        var policy = CompressionPolicy(highestLevel: 6)
        #expect((0..<10).allSatisfy { _ in policy.nextLevel() == 3 })
        policy.noteChannelIsFull()
        #expect((0..<64).allSatisfy { _ in policy.nextLevel() == 6 })
        #expect(policy.nextLevel() == 3)
        var low = CompressionPolicy(highestLevel: 1)
        #expect(low.nextLevel() == 1)
    }

    private func base64(_ bytes: [UInt8]) -> [UInt8] {
        let letters = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
        return bytes.map { letters[Int($0 & 63)] }
    }
}

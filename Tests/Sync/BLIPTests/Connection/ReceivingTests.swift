import BLIP
import SyncCore
import Testing

@Suite("Protocol violations by peers")
struct ReceivingTests {
    private var raw = RawFrames()

    /// Passes frames to a connection that has sent two requests, the second of which expects no response. The last frame must fail.
    private func failure(_ frames: [[UInt8]], options: BLIPOptions = BLIPOptions()) throws -> BLIPError? {
        let peer = Peer(options)
        peer.send(OutgoingMessage(["Profile": "x"]))
        peer.send(OutgoingMessage(["Profile": "y"], isNoReply: true))
        _ = peer.frames()
        for frame in frames.dropLast() { try peer.receive(frame) }
        var failure: BLIPError?
        do throws(BLIPError) {
            try peer.receive(frames.last ?? [])
        } catch {
            failure = error
            // Later frames are ignored.
            var raw = RawFrames()
            #expect(throws: Never.self) { try peer.receive(raw.frame(9, 7, [1])) }
            #expect(throws: Never.self) { try peer.receive([]) }
            #expect([1002, 1009].contains(error.closeCode.rawValue))
            #expect(error.syncError == SyncError(.webSocket, error.closeCode.rawValue, error.description))
        }
        return failure
    }

    @Test(
        "a frame without a complete header is rejected",
        arguments: ["", "80", "01", "ff ff ff ff ff ff ff ff ff 7f 00", "01 80", "05 34", "05 34 ff"]
    )
    func badHeader(text: String) throws {
        #expect(try failure([hex(text)]) == .badHeader)
    }

    @Test("a frame too short for a checksum is rejected")
    func tooShort() throws {
        #expect(try failure([hex("01 00 00 00 00")]) == .frameTooShort)
        #expect(try failure([hex("01 00")]) == .frameTooShort)
    }

    @Test("a wrong checksum is rejected")
    func checksum() throws {
        var raw = raw
        #expect(try failure([raw.request(1, "a", "b"), raw.frame(2, 0, [0], checksumError: 1)]) == .badChecksum(message: 2))
    }

    @Test("a checksum that is restarted with each frame is rejected")
    func checksumIsRunning() throws {
        var raw = raw
        var other = self.raw
        #expect(try failure([raw.request(1, "a", "b"), other.request(2, "a", "b")]) == .badChecksum(message: 2))
    }

    @Test("request numbers with gaps or repeats are rejected")
    func sequence() throws {
        var raw = raw
        #expect(try failure([raw.frame(2, 0, [0])]) == .requestOutOfSequence(number: 2, expected: 1))
        raw = self.raw
        #expect(try failure([raw.frame(0, 0, [0])]) == .requestOutOfSequence(number: 0, expected: 1))
        raw = self.raw
        let last = raw.frame(.max, 0, [0])
        #expect(try failure([last]) == .requestOutOfSequence(number: .max, expected: 1))
        raw = self.raw
        #expect(try failure([raw.frame(1, 0, [0]), raw.frame(1, 0, [0])]) == .requestAlreadyComplete(number: 1))
    }

    @Test("unexpected responses are rejected")
    func responses() throws {
        var raw = raw
        #expect(try failure([raw.frame(3, 1, [0])]) == .unexpectedResponse(number: 3))
        raw = self.raw
        #expect(try failure([raw.frame(2, 2, [0])]) == .unexpectedResponse(number: 2))
        raw = self.raw
        #expect(try failure([raw.frame(1, 1, [0]), raw.frame(1, 1, [0])]) == .unexpectedResponse(number: 1))
    }

    @Test("a response to a request that is not completely sent is rejected")
    func earlyResponse() throws {
        let peer = Peer()
        peer.send(OutgoingMessage(body: noise(40_000)))
        _ = peer.nextFrame()
        var raw = raw
        #expect(throws: BLIPError.unexpectedResponse(number: 1)) { try peer.receive(raw.frame(1, 1, [0])) }
    }

    @Test(
        "invalid properties are rejected",
        arguments: ["", "05 61 00", "02 61 62", "01 00", "04 61 00 ff 00", "ff ff ff ff ff ff ff ff ff ff", "80"]
    )
    func properties(text: String) throws {
        var raw = raw
        guard case .badProperties(message: 1, let reason) = try failure([raw.frame(1, 0, hex(text))]) else {
            Issue.record("\(text) passes")
            return
        }
        #expect(!reason.isEmpty)
    }

    @Test("a message that ends inside its properties is rejected")
    func unfinishedProperties() throws {
        var raw = raw
        let frames = [raw.frame(1, 0x40, [10, 0x61]), raw.frame(1, 0x40, []), raw.frame(1, 0, [0])]
        #expect(try failure(frames) == .badProperties(message: 1, reason: "the message ends inside them"))
    }

    @Test("invalid compressed bytes are rejected")
    func compression() throws {
        var raw = raw
        for payload in ["ff ff ff", "07 00", "00 05 00 00 00 61", "03 00 61"] {
            raw = self.raw
            guard case .badCompression(message: 1, _) = try failure([raw.frame(1, 8, hex(payload))]) else {
                Issue.record("\(payload) passes")
                continue
            }
        }
    }

    @Test("unknown frame types, unknown flags and acknowledgements of unknown messages are ignored")
    func unknown() throws {
        let peer = Peer()
        for type in [3, 6, 7] as [UInt8] {
            try peer.receive([1, type])
            try peer.receive([1, type | 0x78, 1, 2, 3])
        }
        try peer.receive([9, 0x34, 1])
        try peer.receive([9, 0x35, 1])
        var raw = raw
        // A header whose flags take two bytes.
        var frame = raw.request(1, "a", "b")
        frame.replaceSubrange(1...1, with: [0x80, 0x01])
        try peer.receive(frame)
        #expect(peer.requests.first?.properties == ["a": "b"])
    }

    @Test("an empty frame marked as compressed is accepted")
    func emptyCompressedFrame() throws {
        let peer = Peer()
        var raw = raw
        try peer.receive(raw.compressedFrame(1, 0x40, block(["a", "b"]) + [1]))
        try peer.receive(raw.frame(1, 0x08, []))
        // The frame must not have reached the decompressor, which would lose synchronization.
        try peer.receive(raw.compressedFrame(2, 0, block(["a", "b"]) + [2]))
        #expect(peer.requests.map(\.body) == [[1], [2]])
    }

    @Test("properties can be received byte by byte")
    func slowProperties() throws {
        let peer = Peer()
        var raw = raw
        let long = String(repeating: "v", count: 300)
        let bytes = block(["Profile", long]) + [1, 2, 3]
        for byte in bytes.dropLast() { try peer.receive(raw.frame(1, 0x40, [byte])) }
        try peer.receive(raw.frame(1, 0, [3]))
        #expect(peer.requests.first?.profile == long)
        #expect(peer.requests.first?.body == [1, 2, 3])
    }
}

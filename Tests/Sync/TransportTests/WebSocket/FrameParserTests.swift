#if Replication
import TestSupport
import Testing
import Transport
import TransportFuzzing

@Suite("WebSocket frame parser")
struct FrameParserTests {
    private func parse(_ bytes: [UInt8], expectsMask: Bool = true, limit: Int = 1000, cutAt cuts: [Int] = []) throws -> [WebSocketMessage] {
        var parser = WebSocketFrameParser(expectsMask: expectsMask, maximumMessageBytes: limit)
        var messages: [WebSocketMessage] = []
        let ends = cuts.sorted() + [bytes.count]
        var start = 0
        for end in ends {
            try bytes[start..<end].withUnsafeBytes { try parser.parse($0) { messages.append($0) } }
            start = end
        }
        return messages
    }

    private func violation(_ bytes: [UInt8], expectsMask: Bool = true) -> Int? {
        do {
            _ = try parse(bytes, expectsMask: expectsMask)
            return nil
        } catch {
            return (error as? WebSocketViolation)?.code
        }
    }

    @Test("messages are parsed completely, wherever their bytes are split")
    func cuts() throws {
        let payload = (0..<300).map { UInt8(truncatingIfNeeded: $0) }
        let bytes =
            FrameBytes.frame(2, payload) + FrameBytes.frame(9, [1]) + FrameBytes.frame(2, [])
            + FrameBytes.frame(10, [2])
            + FrameBytes.frame(8, [0x03, 0xE8] + Array("bye".utf8))
        let expected: [WebSocketMessage] = [
            .data(payload), .ping([1]), .data([]), .pong([2]), .close(code: 1000, reason: "bye"),
        ]
        #expect(try parse(bytes) == expected)
        for cut in 0...bytes.count { #expect(try parse(bytes, cutAt: [cut]) == expected, "\(cut)") }
        #expect(try parse(bytes, cutAt: Array(0...bytes.count)) == expected)
    }

    @Test("fragments are joined, with control frames between them")
    func fragments() throws {
        let bytes =
            FrameBytes.frame(2, [1, 2], isFinal: false) + FrameBytes.frame(9, [9])
            + FrameBytes.frame(0, [], isFinal: false)
            + FrameBytes.frame(0, [3], isFinal: false) + FrameBytes.frame(10) + FrameBytes.frame(0, [4])
        #expect(try parse(bytes) == [.ping([9]), .pong([]), .data([1, 2, 3, 4])])
    }

    @Test("text frames are read as data, server frames are unmasked, and frames after a close frame are ignored")
    func kinds() throws {
        #expect(try parse(FrameBytes.frame(1, [65])) == [.data([65])])
        let server = FrameBytes.frame(2, [1, 2, 3], isMasked: false)
        #expect(try parse(server, expectsMask: false) == [.data([1, 2, 3])])
        #expect(try parse(FrameBytes.frame(8) + FrameBytes.frame(15)) == [.close(code: nil, reason: "")])
    }

    @Test("every protocol violation has a defined close code")
    func violations() {
        let broken: [(bytes: [UInt8], code: Int)] = [
            (FrameBytes.frame(2, reserved: 0x40), 1002), (FrameBytes.frame(2, reserved: 0x20), 1002),
            (FrameBytes.frame(2, reserved: 0x10), 1002), (FrameBytes.frame(3), 1002), (FrameBytes.frame(11), 1002),
            (FrameBytes.frame(2, isMasked: false), 1002), (FrameBytes.frame(0, [1]), 1002),
            (FrameBytes.frame(2, isFinal: false) + FrameBytes.frame(2), 1002),
            (FrameBytes.frame(9, isFinal: false), 1002),
            (FrameBytes.frame(9, [UInt8](repeating: 0, count: 126)), 1002),
            ([0x82, 0xFE, 0, 125], 1002), ([0x82, 0xFF, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF], 1002),
            ([0x82, 0xFF, 0x80, 0, 0, 0, 0, 0, 0, 0], 1002), ([0x82, 0xFF, 0x7F, 0, 0, 0, 0, 0, 0, 0], 1009),
            (FrameBytes.frame(2, [UInt8](repeating: 0, count: 1001)), 1009),
            (
                FrameBytes.frame(2, [UInt8](repeating: 0, count: 600), isFinal: false)
                    + FrameBytes.frame(0, [UInt8](repeating: 0, count: 401)), 1009
            ),
            (FrameBytes.frame(8, [3]), 1002), (FrameBytes.frame(8, [0x03, 0xED]), 1002),
            (FrameBytes.frame(8, [0, 1]), 1002), (FrameBytes.frame(8, [0x13, 0x88]), 1002),
            (FrameBytes.frame(8, [0x03, 0xE8, 0xFF]), 1007),
        ]
        for (bytes, code) in broken {
            // The length alone determines the result, so the bytes after an invalid head may be missing.
            #expect(violation(bytes + FrameBytes.mask) == code, "\(bytes.prefix(12))")
        }
        #expect(violation(FrameBytes.frame(2), expectsMask: false) == 1002)
    }

    @Test("a message of exactly the maximum size is accepted")
    func limit() throws {
        let payload = [UInt8](repeating: 7, count: 1000)
        #expect(try parse(FrameBytes.frame(2, payload)) == [.data(payload)])
    }

    @Test("payloads of any length are unmasked correctly, wherever they are split")
    func masking() throws {
        var generator = SeededGenerator(seed: TestSeed.forThisTest())
        for length in Array(0...70) + [255, 4096, 70_001] {
            let payload = (0..<length).map { _ in UInt8.random(in: 0...255, using: &generator) }
            let cuts = (0..<3).map { _ in Int.random(in: 0...length, using: &generator) }
            #expect(try parse(FrameBytes.frame(2, payload), limit: 1 << 20, cutAt: cuts) == [.data(payload)])
        }
    }

    @Test("random and mutated bytes give messages or violations, with the same result wherever they are split")
    func fuzz() throws {
        var generator = SeededGenerator(seed: TestSeed.forThisTest())
        for _ in 0..<20_000 {
            var bytes: [UInt8] = []
            for _ in 0..<Int.random(in: 1...4, using: &generator) {
                let opcode: UInt8 =
                    [0, 1, 2, 2, 8, 9, 10, UInt8.random(in: 0...15, using: &generator)]
                    .randomElement(using: &generator) ?? 2
                let count = Int.random(in: 0...140, using: &generator)
                let payload = (0..<count).map { UInt8(truncatingIfNeeded: $0) }
                bytes += FrameBytes.frame(opcode, payload, isFinal: Bool.random(using: &generator))
            }
            for _ in 0..<Int.random(in: 0...2, using: &generator) {
                bytes[Int.random(in: 0..<bytes.count, using: &generator)] = UInt8.random(in: 0...255, using: &generator)
            }
            let cut = Int.random(in: 0...bytes.count, using: &generator)
            let whole = Result { try parse(bytes, limit: 300) }
            let parts = Result { try parse(bytes, limit: 300, cutAt: [cut]) }
            switch (whole, parts) {
            case (.success(let one), .success(let other)):
                #expect(one == other)
                for case .data(let data) in one { #expect(data.count <= 300) }
            case (.failure(let one), .failure(let other)):
                #expect(one as? WebSocketViolation == other as? WebSocketViolation)
            default:
                Issue.record("cut at \(cut), it is read otherwise: \(bytes)")
            }
        }
    }
}
#endif

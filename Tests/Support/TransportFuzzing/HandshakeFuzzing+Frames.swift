#if Replication
import Transport

extension HandshakeFuzzing {
    private static let maximumMessageBytes = 70_000

    /// Tests WebSocket frames with the parser and with the byte stream.
    ///
    /// - Parameter isClient: Whether they are read by a client, so that they are not masked.
    mutating func examineFrames(_ bytes: [UInt8], isClient: Bool) {
        let (messages, violation) = parse([bytes[...]], isClient: isClient)
        let cut = parse(input.pieces(of: bytes), isClient: isClient)
        if messages != cut.messages || violation != cut.violation {
            fail("frames of \(bytes.count) bytes are others when they come in pieces")
        }
        for case .data(let message) in messages where message.count > Self.maximumMessageBytes {
            fail("a message of \(message.count) bytes")
        }
        if violation == nil { accept() } else { refuse() }
        stream(bytes, isClient: isClient)
    }

    /// Checks that a stream ends at most once for any input, and that its replies are valid frames.
    private mutating func stream(_ bytes: [UInt8], isClient: Bool) {
        var stream = WebSocketByteStream(isClient: isClient, maximumMessageBytes: Self.maximumMessageBytes)
        var endCount = 0
        var answers: [UInt8] = []
        for piece in input.pieces(of: bytes) {
            for item in stream.receive(Array(piece)) {
                switch item {
                case .frame: if endCount > 0 { fail("a message after the end") }
                case .pong(let answer): answers += answer
                case .closed(_, let answer):
                    endCount += 1
                    answers += answer ?? []
                }
            }
        }
        if endCount > 1 { fail("\(endCount) ends of a stream") }
        if let violation = parse([answers[...]], isClient: !isClient).violation {
            fail("the answers break the rules: \(violation)")
        }
    }

    private func parse(_ pieces: [ArraySlice<UInt8>], isClient: Bool) -> (messages: [WebSocketMessage], violation: WebSocketViolation?) {
        var parser = WebSocketFrameParser(expectsMask: !isClient, maximumMessageBytes: Self.maximumMessageBytes)
        var messages: [WebSocketMessage] = []
        for piece in pieces {
            var violation: WebSocketViolation?
            piece.withUnsafeBytes { bytes in
                do throws(WebSocketViolation) {
                    try parser.parse(bytes) { messages.append($0) }
                } catch {
                    violation = error
                }
            }
            if let violation { return (messages, violation) }
        }
        return (messages, nil)
    }

    /// Returns random valid frames.
    package mutating func frames(isMasked: Bool) -> [UInt8] {
        var bytes: [UInt8] = []
        for _ in 0..<input.number(1...5) {
            switch input.number(0...9) {
            case 0: bytes += frame(9, payload([0, 3, 125]), isMasked: isMasked)
            case 1: bytes += frame(10, payload([0, 125]), isMasked: isMasked)
            case 2, 3:
                bytes += frame(2, payload([0, 10, 300]), isFinal: false, isMasked: isMasked)
                if input.number(0...1) == 0 { bytes += frame(9, isMasked: isMasked) }
                bytes += frame(0, payload([0, 10]), isMasked: isMasked)
            default:
                bytes += frame(
                    input.pick([1, 2]),
                    payload(input.number(0...19) == 0 ? [70_000] : [0, 1, 125, 126, 127, 300]),
                    isMasked: isMasked
                )
            }
        }
        if input.number(0...2) == 0 {
            bytes += frame(8, input.pick([[], [3, 232], [3, 233] + Array("bye – é".utf8)]), isMasked: isMasked)
        }
        return bytes
    }

    private mutating func payload(_ sizes: [Int]) -> [UInt8] {
        [UInt8](repeating: UInt8(input.number(0...255)), count: input.pick(sizes))
    }

    private func frame(_ opcode: UInt8, _ payload: [UInt8] = [], isFinal: Bool = true, isMasked: Bool) -> [UInt8] {
        FrameBytes.frame(opcode, payload, isFinal: isFinal, isMasked: isMasked)
    }
}
#endif

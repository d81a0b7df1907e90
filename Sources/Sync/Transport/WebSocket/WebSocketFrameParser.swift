#if Replication
import SyncCore

/// A violation of the WebSocket protocol by a peer, with the close code to send (Replication 1.8).
package struct WebSocketViolation: Error, Sendable, Equatable, CustomStringConvertible {
    /// The close code to send.
    package let code: Int
    package let description: String

    init(_ code: CloseCode, _ description: String) {
        self.code = code.rawValue
        self.description = description
    }
}

/// What a peer has sent, after fragments were joined.
package enum WebSocketMessage: Sendable, Equatable {
    /// A complete message, binary or text. Peers use text messages with the same meaning (Replication 1.7).
    case data([UInt8])
    /// A ping with its content, which the pong must repeat.
    case ping([UInt8])
    /// A pong with the content of the ping.
    case pong([UInt8])
    /// - code: `nil` if the frame contained none.
    case close(code: Int?, reason: String)
}

/// The type of a frame (RFC 6455, 5.2).
enum WebSocketOpcode: UInt8 {
    case continuation = 0, text, binary
    case close = 8, ping, pong

    var isControl: Bool { rawValue >= 8 }
}

/// Parses the frames of RFC 6455 from a byte stream. It buffers at most one message of the permitted size.
package struct WebSocketFrameParser: Sendable {
    private struct Frame {
        let opcode: WebSocketOpcode
        let isFinal: Bool
        let mask: WebSocketMask?
        let length: Int
        var received = 0
    }

    /// The maximum size of a control frame's payload, in bytes (RFC 6455, 5.5).
    private static let maximumControlPayload = 125

    private let expectsMask: Bool
    private let maximumMessageBytes: Int
    /// The incomplete header of a frame: two bytes, then up to eight for the length and four for the mask.
    private var head: [UInt8] = []
    private var frame: Frame?
    private var message: [UInt8] = []
    /// Whether a fragmented message has started and its last frame has not been received.
    private var isInMessage = false
    private var control: [UInt8] = []
    private var hasClosed = false

    /// - Parameters:
    ///   - expectsMask: `true` on the server's side: clients must mask frames, servers must not.
    ///   - maximumMessageBytes: The maximum size of a message, in bytes. A larger message is a violation with code 1009.
    package init(expectsMask: Bool, maximumMessageBytes: Int) {
        self.expectsMask = expectsMask
        self.maximumMessageBytes = maximumMessageBytes
        head.reserveCapacity(14)
    }

    /// Parses the next bytes of the connection and passes the messages that they complete to `body`. All data after a close frame is
    /// ignored.
    ///
    /// - Throws: A violation. The parser cannot be used after it.
    package mutating func parse(_ bytes: UnsafeRawBufferPointer, _ body: (WebSocketMessage) -> Void) throws(WebSocketViolation) {
        var index = 0
        while index < bytes.count, !hasClosed {
            if frame == nil {
                head.append(bytes[index])
                index += 1
                try completeHead()
            } else if let (received, remaining) = frame.map({ ($0.received, $0.length - $0.received) }) {
                let part = min(remaining, bytes.count - index)
                appendPayload(UnsafeRawBufferPointer(rebasing: bytes[index..<index + part]), at: received)
                index += part
            }
            if let complete = frame, complete.received == complete.length {
                frame = nil
                try end(complete, body)
            }
        }
    }

    /// The number of bytes of the header, as far as it is known.
    private var headLength: Int {
        guard head.count >= 2 else { return 2 }
        let length = head[1] & 0x7F
        return 2 + (length == 127 ? 8 : length == 126 ? 2 : 0) + (head[1] & 0x80 != 0 ? 4 : 0)
    }

    private mutating func completeHead() throws(WebSocketViolation) {
        if head.count == 2 { try checkStart() }
        guard head.count >= 2, head.count == headLength, let opcode = WebSocketOpcode(rawValue: head[0] & 0x0F) else { return }
        let length = try payloadLength()
        guard opcode.isControl || length <= maximumMessageBytes - message.count else {
            throw WebSocketViolation(.messageTooBig, "a message has more than \(maximumMessageBytes) bytes")
        }
        var mask: WebSocketMask?
        if head[1] & 0x80 != 0 {
            let start = head.count - 4
            mask = WebSocketMask((head[start], head[start + 1], head[start + 2], head[start + 3]))
        }
        frame = Frame(opcode: opcode, isFinal: head[0] & 0x80 != 0, mask: mask, length: length)
        head.removeAll(keepingCapacity: true)
    }

    private func checkStart() throws(WebSocketViolation) {
        guard head[0] & 0x70 == 0 else { throw WebSocketViolation(.protocolError, "a reserved bit is set") }
        guard let opcode = WebSocketOpcode(rawValue: head[0] & 0x0F) else {
            throw WebSocketViolation(.protocolError, "unknown opcode \(head[0] & 0x0F)")
        }
        guard (head[1] & 0x80 != 0) == expectsMask else {
            throw WebSocketViolation(.protocolError, expectsMask ? "a client's frame is not masked" : "a server's frame is masked")
        }
        if opcode.isControl {
            guard head[0] & 0x80 != 0 else { throw WebSocketViolation(.protocolError, "a control frame is fragmented") }
            guard head[1] & 0x7F <= Self.maximumControlPayload else {
                throw WebSocketViolation(.protocolError, "a control frame has more than \(Self.maximumControlPayload) bytes")
            }
        } else {
            guard (opcode == .continuation) == isInMessage else {
                throw WebSocketViolation(
                    .protocolError,
                    isInMessage ? "a message begins within another" : "a continuation continues nothing"
                )
            }
        }
    }

    private func payloadLength() throws(WebSocketViolation) -> Int {
        switch head[1] & 0x7F {
        case 126:
            let length = Int(head[2]) << 8 | Int(head[3])
            guard length > 125 else { throw WebSocketViolation(.protocolError, "a length is not encoded in the shortest form") }
            return length
        case 127:
            let length = head[2..<10].reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
            guard length > 0xFFFF, length <= UInt64(Int64.max) else {
                throw WebSocketViolation(.protocolError, "a length is not encoded in the shortest form, or is negative")
            }
            return Int(clamping: length)
        case let length: return Int(length)
        }
    }

    private mutating func appendPayload(_ part: UnsafeRawBufferPointer, at offset: Int) {
        guard let frame else { return }
        self.frame?.received += part.count
        if frame.opcode.isControl {
            Self.append(part, to: &control, frame.mask, offset)
        } else {
            // The announced size is not trusted: the reserved capacity is limited to the size of a typical read. Later fragments reserve
            // nothing, because the message would be copied for each of them.
            if message.isEmpty { message.reserveCapacity(min(frame.length, max(part.count, 64 * 1024))) }
            Self.append(part, to: &message, frame.mask, offset)
        }
    }

    private static func append(_ part: UnsafeRawBufferPointer, to bytes: inout [UInt8], _ mask: WebSocketMask?, _ offset: Int) {
        let start = bytes.count
        bytes += part
        guard let mask else { return }
        bytes.withUnsafeMutableBytes { all in
            mask.apply(to: UnsafeMutableRawBufferPointer(rebasing: all[start...]), offset: offset)
        }
    }

    private mutating func end(_ frame: Frame, _ body: (WebSocketMessage) -> Void) throws(WebSocketViolation) {
        switch frame.opcode {
        case .continuation, .text, .binary:
            isInMessage = !frame.isFinal
            guard frame.isFinal else { return }
            let whole = message
            message = []
            body(.data(whole))
        case .ping: body(.ping(control))
        case .pong: body(.pong(control))
        case .close:
            hasClosed = true
            body(try Self.close(control))
        }
        if frame.opcode.isControl { control.removeAll(keepingCapacity: true) }
    }

    private static func close(_ payload: [UInt8]) throws(WebSocketViolation) -> WebSocketMessage {
        guard !payload.isEmpty else { return .close(code: nil, reason: "") }
        guard payload.count >= 2 else { throw WebSocketViolation(.protocolError, "a close frame has an incomplete code") }
        let code = Int(payload[0]) << 8 | Int(payload[1])
        guard CloseCode.isAllowedOnWire(code) else { throw WebSocketViolation(.protocolError, "invalid close code \(code)") }
        guard let reason = String(validating: payload[2...], as: UTF8.self) else {
            throw WebSocketViolation(.invalidText, "the reason of a close frame is not UTF-8")
        }
        return .close(code: code, reason: reason)
    }
}
#endif

#if Replication
package import SyncCore
import NIOCore

/// WebSocket frames over a byte stream of the app, without a handshake (API 12.3).
package struct WebSocketByteStream: Sendable {
    /// A result of received bytes.
    package enum Item: Sendable {
        /// A complete message.
        case frame([UInt8])
        /// Bytes to send: the response to a ping. If several are waiting, only the latest has to be sent (RFC 6455, 5.5.3).
        case pong([UInt8])
        /// The end of the connection, and the close frame that answers it; `nil` if this side has already created one.
        case closed(ChannelClosure, answer: [UInt8]?)
    }

    private var parser: WebSocketFrameParser
    private var writer: WebSocketFrameWriter
    /// Whether this side has sent a close frame.
    private var isClosing = false
    /// Whether the peer has violated the protocol. After the peer's close frame, the parser itself ignores all data.
    private var hasEnded = false

    /// - Parameters:
    ///   - isClient: Whether this side initiated the connection. A client masks its frames.
    ///   - maximumMessageBytes: The maximum size of a received message, in bytes.
    package init(isClient: Bool, maximumMessageBytes: Int = WebSocketOptions.defaultMaximumMessageBytes) {
        parser = WebSocketFrameParser(expectsMask: !isClient, maximumMessageBytes: maximumMessageBytes)
        writer = WebSocketFrameWriter(isMasking: isClient)
    }

    /// Returns the encoded frame of a message.
    package mutating func frame(_ message: [UInt8]) -> [UInt8] { write(.binary, message) }

    /// Returns an encoded close frame.
    package mutating func close(code: Int, reason: String) -> [UInt8] {
        isClosing = true
        return write(.close, WebSocketFrameWriter.closePayload(code: code, reason: reason))
    }

    /// Parses received bytes. Returns nothing after the connection has ended.
    package mutating func receive(_ bytes: [UInt8]) -> [Item] {
        guard !hasEnded else { return [] }
        var messages: [WebSocketMessage] = []
        var violation: WebSocketViolation?
        bytes.withUnsafeBytes { bytes in
            do throws(WebSocketViolation) {
                try parser.parse(bytes) { messages.append($0) }
            } catch {
                violation = error
            }
        }
        var items: [Item] = []
        for message in messages { items += self.items(of: message) }
        if let violation {
            let error = SyncError(.webSocket, violation.code, violation.description)
            let answer = isClosing ? nil : close(code: violation.code, reason: violation.description)
            items.append(.closed(ChannelClosure(code: violation.code, isByPeer: false, error: error), answer: answer))
            hasEnded = true
        }
        return items
    }

    private mutating func items(of message: WebSocketMessage) -> [Item] {
        switch message {
        case .data(let bytes): return [.frame(bytes)]
        case .ping(let payload): return [.pong(write(.pong, payload))]
        case .pong: return []
        case .close(let code, let reason):
            let closure = ChannelClosure(code: code, reason: reason, isByPeer: !isClosing)
            let answer = isClosing ? nil : close(code: code ?? CloseCode.noCode.rawValue, reason: reason)
            return [.closed(closure, answer: answer)]
        }
    }

    private mutating func write(_ opcode: WebSocketOpcode, _ payload: [UInt8]) -> [UInt8] {
        var buffer = ByteBuffer()
        writer.write(opcode, payload, to: &buffer)
        return Array(buffer.readableBytesView)
    }
}
#endif

#if Replication
package import SyncCore
import NIOCore

/// WebSocket frames over a stream of bytes of somebody else's, without a handshake (API 12.3).
package struct WebSocketByteStream: Sendable {
    /// What comes of bytes that have arrived.
    package enum Item: Sendable {
        /// A message, whole.
        case frame([UInt8])
        /// To be sent: the answer to a ping, or to the end.
        case reply([UInt8])
        /// The end.
        case closed(ChannelClosure)
    }

    private var parser: WebSocketFrameParser
    private var writer: WebSocketFrameWriter
    /// Whether this side has said that it is the end.
    private var isClosing = false
    /// Whether the peer has broken the rules. After its close frame the parser is silent by itself.
    private var hasEnded = false

    /// - Parameters:
    ///   - isClient: Whether this side has asked for the connection, so that it masks what it sends.
    ///   - maximumMessageBytes: The longest message to take.
    package init(isClient: Bool, maximumMessageBytes: Int = WebSocketOptions.defaultMaximumMessageBytes) {
        parser = WebSocketFrameParser(expectsMask: !isClient, maximumMessageBytes: maximumMessageBytes)
        writer = WebSocketFrameWriter(isMasking: isClient)
    }

    /// The bytes of a message to be sent.
    package mutating func frame(_ message: [UInt8]) -> [UInt8] {
        write(.binary, message)
    }

    /// The bytes that tell the end.
    package mutating func close(code: Int, reason: String) -> [UInt8] {
        isClosing = true
        return write(.close, WebSocketFrameWriter.closePayload(code: code, reason: reason))
    }

    /// Takes bytes as they arrive. After the end nothing more comes of them.
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
            items.append(.reply(close(code: violation.code, reason: violation.description)))
            items.append(.closed(ChannelClosure(code: violation.code, isByPeer: false, error: error)))
            hasEnded = true
        }
        return items
    }

    private mutating func items(of message: WebSocketMessage) -> [Item] {
        switch message {
        case .data(let bytes): return [.frame(bytes)]
        case .ping(let payload): return [.reply(write(.pong, payload))]
        case .pong: return []
        case .close(let code, let reason):
            let closure = ChannelClosure(code: code, reason: reason, isByPeer: !isClosing)
            if isClosing { return [.closed(closure)] }
            return [.reply(close(code: code ?? WebSocketCloseCode.noCode, reason: reason)), .closed(closure)]
        }
    }

    private mutating func write(_ opcode: WebSocketFrameWriter.Opcode, _ payload: [UInt8]) -> [UInt8] {
        var buffer = ByteBuffer()
        writer.write(opcode, payload, to: &buffer)
        return Array(buffer.readableBytesView)
    }
}
#endif

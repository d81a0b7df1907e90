#if Replication
import NIOCore

/// Close codes by name (Replication 1.8).
package enum WebSocketCloseCode {
    package static let normal = 1000
    package static let goingAway = 1001
    package static let protocolError = 1002
    package static let policyViolation = 1008
    /// Local only: the close frame held no code.
    package static let noCode = 1005
    /// Local only: the connection ended without a close frame.
    package static let abnormal = 1006

    /// Whether a close frame may hold the code (RFC 6455, 7.4).
    static func isAllowedOnWire(_ code: Int) -> Bool {
        switch code {
        case 1000...1003, 1007...1014, 3000...4999: true
        default: false
        }
    }
}

/// Writes the frames of RFC 6455: always whole messages, masked on the client's side.
struct WebSocketFrameWriter {
    enum Opcode: UInt8 {
        case binary = 2
        case close = 8
        case ping = 9
        case pong = 10
    }

    /// The longest head of a frame.
    static let maximumHeadBytes = 14

    let isMasking: Bool
    /// For the masks. They keep a script in a browser from writing what a proxy takes for HTTP; they are no secret.
    private var random = SystemRandomNumberGenerator()

    init(isMasking: Bool) {
        self.isMasking = isMasking
    }

    mutating func write(_ opcode: Opcode, _ payload: [UInt8], to buffer: inout ByteBuffer) {
        buffer.writeInteger(0x80 | opcode.rawValue)
        let maskBit: UInt8 = isMasking ? 0x80 : 0
        switch payload.count {
        case ...125:
            buffer.writeInteger(maskBit | UInt8(payload.count))
        case ...0xFFFF:
            buffer.writeInteger(maskBit | 126)
            buffer.writeInteger(UInt16(payload.count))
        default:
            buffer.writeInteger(maskBit | 127)
            buffer.writeInteger(UInt64(payload.count))
        }
        guard isMasking else {
            buffer.writeBytes(payload)
            return
        }
        let mask = WebSocketMask(UInt32.random(in: 0...UInt32.max, using: &random))
        let bytes = mask.bytes
        buffer.writeMultipleIntegers(bytes.0, bytes.1, bytes.2, bytes.3)
        buffer.writeWithUnsafeMutableBytes(minimumWritableBytes: payload.count) { target in
            payload.withUnsafeBytes { mask.copy($0, to: target, offset: 0) }
            return payload.count
        }
    }

    /// The payload of a close frame. A reason that would not fit is cut off between two characters.
    static func closePayload(code: Int, reason: String) -> [UInt8] {
        guard WebSocketCloseCode.isAllowedOnWire(code) else { return [] }
        var reason = reason
        while reason.utf8.count > 123 { reason.removeLast() }
        return [UInt8(truncatingIfNeeded: code >> 8), UInt8(truncatingIfNeeded: code)] + reason.utf8
    }
}
#endif

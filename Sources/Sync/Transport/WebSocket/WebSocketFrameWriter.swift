#if Replication
import SyncCore
import NIOCore

extension CloseCode {
    /// Returns whether a close frame may contain the code (RFC 6455, 7.4).
    static func isAllowedOnWire(_ code: Int) -> Bool {
        switch code {
        case 1000...1003, 1007...1014, 3000...4999: true
        default: false
        }
    }
}

/// Writes the frames of RFC 6455. Messages are never fragmented; a client's frames are masked.
struct WebSocketFrameWriter {
    /// The maximum length of a frame's header, in bytes.
    static let maximumHeadBytes = 14

    let isMasking: Bool
    /// Generates the masks. They prevent scripts in browsers from sending bytes that a proxy could mistake for HTTP; they need not be
    /// secret.
    private var random = SystemRandomNumberGenerator()

    init(isMasking: Bool) { self.isMasking = isMasking }

    mutating func write(_ opcode: WebSocketOpcode, _ payload: [UInt8], to buffer: inout ByteBuffer) {
        buffer.writeInteger(0x80 | opcode.rawValue)
        let maskBit: UInt8 = isMasking ? 0x80 : 0
        switch payload.count {
        case ...125: buffer.writeInteger(maskBit | UInt8(payload.count))
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

    /// The most bytes of a reason: a control frame has 125 (RFC 6455, section 5.5), and the code takes two.
    private static let maximumReason = 123

    /// Returns the payload of a close frame. A reason that is too long is truncated at the boundary of a code point. The
    /// reason may come from a peer and be long, so it is not searched for characters, whose boundaries can depend on all of it.
    static func closePayload(code: Int, reason: String) -> [UInt8] {
        guard CloseCode.isAllowedOnWire(code) else { return [] }
        var text = reason.utf8.prefix(maximumReason + 1)
        if text.count > maximumReason {
            // The first byte that is left out must begin a code point.
            while let next = text.popLast(), next & 0xC0 == 0x80 {}
        }
        return [UInt8(truncatingIfNeeded: code >> 8), UInt8(truncatingIfNeeded: code)] + text
    }
}
#endif

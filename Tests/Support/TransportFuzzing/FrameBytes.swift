#if Replication
/// Composes WebSocket frames (RFC 6455), including invalid ones.
package enum FrameBytes {
    package static let mask: [UInt8] = [0x37, 0xFA, 0x21, 0x3D]

    /// Returns one frame, masked with ``mask`` if `isMasked`.
    package static func frame(
        _ opcode: UInt8,
        _ payload: [UInt8] = [],
        isFinal: Bool = true,
        isMasked: Bool = true,
        reserved: UInt8 = 0
    ) -> [UInt8] {
        var bytes = [(isFinal ? 0x80 : 0) | reserved | opcode]
        let maskBit: UInt8 = isMasked ? 0x80 : 0
        switch payload.count {
        case ...125: bytes.append(maskBit | UInt8(payload.count))
        case ...0xFFFF: bytes += [maskBit | 126, UInt8(payload.count >> 8), UInt8(payload.count & 0xFF)]
        default:
            bytes +=
                [maskBit | 127] + (0..<8).reversed().map { UInt8(truncatingIfNeeded: payload.count >> ($0 * 8)) }
        }
        guard isMasked else { return bytes + payload }
        return bytes + mask + payload.enumerated().map { $0.element ^ mask[$0.offset % 4] }
    }
}
#endif

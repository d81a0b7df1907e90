/// Writes frames like a peer that follows no rules: any number, flags and payload, with the correct or another checksum.
struct RawFrames {
    private var checksum: UInt32 = 0

    mutating func frame(_ number: UInt64, _ flags: UInt8, _ payload: [UInt8], checksumError: UInt32 = 0) -> [UInt8] {
        for byte in payload {
            checksum = Self.table[Int(UInt8(truncatingIfNeeded: ~checksum) ^ byte)] ^ (~checksum >> 8) ^ ~0
        }
        let sum = checksum ^ checksumError
        return varint(number) + [flags] + payload + (0..<4).map { UInt8(truncatingIfNeeded: sum >> (24 - 8 * $0)) }
    }

    /// A frame whose payload is compressed in the simplest way, as a stored block. The zero at its end begins the empty block whose
    /// remaining bytes the sender removes.
    mutating func compressedFrame(_ number: UInt64, _ flags: UInt8, _ payload: [UInt8]) -> [UInt8] {
        let frame = frame(number, flags | 0x08, payload)
        let size = UInt16(payload.count)
        let head = [
            0, UInt8(truncatingIfNeeded: size), UInt8(size >> 8), UInt8(truncatingIfNeeded: ~size), UInt8(~size >> 8),
        ]
        return frame.prefix(varint(number).count + 1) + head + payload + [0] + frame.suffix(4)
    }

    /// A request in one frame.
    mutating func request(_ number: UInt64, _ properties: String..., flags: UInt8 = 0, body: [UInt8] = []) -> [UInt8] {
        frame(number, flags, block(properties) + body)
    }

    private static let table: [UInt32] = (0..<256).map { start in
        (0..<8).reduce(UInt32(start)) { value, _ in value & 1 == 1 ? value >> 1 ^ 0xEDB8_8320 : value >> 1 }
    }
}

/// A block of properties with its length.
func block(_ strings: [String]) -> [UInt8] {
    let bytes = strings.reduce(into: [UInt8]()) { $0 += Array($1.utf8) + [0] }
    return varint(UInt64(bytes.count)) + bytes
}

func varint(_ value: UInt64) -> [UInt8] {
    value < 0x80 ? [UInt8(value)] : [UInt8(value & 0x7F) | 0x80] + varint(value >> 7)
}

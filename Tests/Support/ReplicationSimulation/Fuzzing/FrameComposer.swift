/// Composes BLIP frames with arbitrary content, and with the running checksum over all frames (Replication 2.3).
struct FrameComposer {
    enum Compression {
        case none
        /// A stored block, the simplest form of compressed data. The zero at its end begins the flush.
        case stored
        /// Uncompressed data in a frame with the flag for compression.
        case pretended
    }

    private var checksum: UInt32 = 0

    mutating func frame(
        _ number: UInt64,
        flags: UInt8,
        _ data: [UInt8],
        compression: Compression = .none,
        hasRightChecksum: Bool = true
    ) -> [UInt8] {
        for byte in data {
            checksum = Self.table[Int(UInt8(truncatingIfNeeded: ~checksum) ^ byte)] ^ (~checksum >> 8) ^ ~0
        }
        var flags = flags
        var payload = data
        if compression != .none { flags |= 0x08 }
        if compression == .stored {
            let size = UInt16(truncatingIfNeeded: data.count)
            let fields: [UInt8] = [size, ~size].flatMap {
                [UInt8(truncatingIfNeeded: $0), UInt8(truncatingIfNeeded: $0 >> 8)]
            }
            payload = data.isEmpty ? [] : [0] + fields + data + [0]
        }
        let sum = hasRightChecksum ? checksum : checksum &+ 1
        return Self.varint(number) + [flags] + (flags > 0x7F ? [0] : []) + payload
            + (0..<4).map { UInt8(truncatingIfNeeded: sum >> (24 - 8 * $0)) }
    }

    static func acknowledgement(_ number: UInt64, type: UInt8, of count: UInt64) -> [UInt8] {
        varint(number) + [type] + varint(count)
    }

    static func varint(_ value: UInt64) -> [UInt8] {
        value < 0x80 ? [UInt8(value)] : [UInt8(value & 0x7F) | 0x80] + varint(value >> 7)
    }

    private static let table: [UInt32] = (0..<256).map { start in
        (0..<8).reduce(UInt32(start)) { value, _ in value & 1 == 1 ? value >> 1 ^ 0xEDB8_8320 : value >> 1 }
    }
}

extension FrameComposer {
    /// Decodes frames from an input: for each the flags, the number, the payload size (one byte each) and the payload. The checksums are
    /// computed here; the flag 0x80 makes a wrong one.
    static func frames(from bytes: [UInt8]) -> [[UInt8]] {
        var composer = FrameComposer()
        var frames: [[UInt8]] = []
        var rest = bytes[...]
        while rest.count >= 3 {
            let (flags, number, size) = (rest.removeFirst(), rest.removeFirst(), Int(rest.removeFirst()))
            let payload = Array(rest.prefix(size))
            rest = rest.dropFirst(size)
            let isAcknowledgement = flags & 7 == 4 || flags & 7 == 5
            frames.append(
                isAcknowledgement
                    ? varint(UInt64(number)) + [flags] + payload
                    : composer.frame(
                        UInt64(number),
                        flags: flags & 0x77,
                        payload,
                        compression: flags & 0x08 != 0 ? .stored : .none,
                        hasRightChecksum: flags & 0x80 == 0
                    )
            )
        }
        return frames
    }
}

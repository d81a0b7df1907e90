#if Replication
// Unsafe: raw pointers are read and written eight bytes at a time. Every offset is below the count of the buffer it is used with,
// which the loops compare before each access; unaligned loads and stores are used throughout.

/// The four bytes that a client masks its frames with (RFC 6455, 5.3).
struct WebSocketMask: Equatable {
    /// The bytes in the order of the wire, as memory holds them.
    private let key: UInt32

    init(_ bytes: (UInt8, UInt8, UInt8, UInt8)) {
        key = UInt32(littleEndian: UInt32(bytes.0) | UInt32(bytes.1) << 8 | UInt32(bytes.2) << 16 | UInt32(bytes.3) << 24)
    }

    init(_ randomNumber: UInt32) {
        key = randomNumber
    }

    var bytes: (UInt8, UInt8, UInt8, UInt8) {
        let key = key.littleEndian
        return (
            UInt8(truncatingIfNeeded: key), UInt8(truncatingIfNeeded: key >> 8),
            UInt8(truncatingIfNeeded: key >> 16),
            UInt8(truncatingIfNeeded: key >> 24)
        )
    }

    /// The key as it stands at this offset of the payload, twice.
    private func word(at offset: Int) -> UInt64 {
        let shift = UInt32(offset & 3) * 8
        let little = key.littleEndian
        let turned = shift == 0 ? little : little >> shift | little << (32 - shift)
        return UInt64(littleEndian: UInt64(turned) | UInt64(turned) << 32)
    }

    /// Masks or unmasks bytes where they are.
    ///
    /// - Parameters:
    ///   - bytes: A part of a payload.
    ///   - offset: Where the part begins in the payload.
    func apply(to bytes: UnsafeMutableRawBufferPointer, offset: Int) {
        copy(UnsafeRawBufferPointer(bytes), to: bytes, offset: offset)
    }

    /// Copies the source to the first bytes of the target, masked or unmasked.
    func copy(_ source: UnsafeRawBufferPointer, to target: UnsafeMutableRawBufferPointer, offset: Int) {
        precondition(target.count >= source.count)
        let word = word(at: offset)
        let count = source.count
        var index = 0
        while index + 8 <= count {
            let value = source.loadUnaligned(fromByteOffset: index, as: UInt64.self)
            target.storeBytes(of: value ^ word, toByteOffset: index, as: UInt64.self)
            index += 8
        }
        // `index` is a multiple of eight, so the remaining bytes meet the word from its start.
        withUnsafeBytes(of: word) { wordBytes in
            while index < count {
                target[index] = source[index] ^ wordBytes[index & 7]
                index += 1
            }
        }
    }
}
#endif

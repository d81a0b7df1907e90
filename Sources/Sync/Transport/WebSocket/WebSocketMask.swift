#if Replication
// Unsafe: raw pointers are read and written eight bytes at a time. This is safe because each loop compares the offset with the buffer's
// count before each access, and all loads and stores are unaligned.

/// The four bytes with which a client masks its frames (RFC 6455, 5.3).
struct WebSocketMask: Equatable {
    /// The bytes in wire order, as stored in memory.
    private let key: UInt32

    init(_ bytes: (UInt8, UInt8, UInt8, UInt8)) {
        key = UInt32(littleEndian: UInt32(bytes.0) | UInt32(bytes.1) << 8 | UInt32(bytes.2) << 16 | UInt32(bytes.3) << 24)
    }

    init(_ randomNumber: UInt32) { key = randomNumber }

    var bytes: (UInt8, UInt8, UInt8, UInt8) {
        let key = key.littleEndian
        return (
            UInt8(truncatingIfNeeded: key), UInt8(truncatingIfNeeded: key >> 8),
            UInt8(truncatingIfNeeded: key >> 16), UInt8(truncatingIfNeeded: key >> 24)
        )
    }

    /// Returns the key twice, rotated for this offset of the payload.
    private func word(at offset: Int) -> UInt64 {
        let shift = UInt32(offset & 3) * 8
        let little = key.littleEndian
        let rotated = shift == 0 ? little : little >> shift | little << (32 - shift)
        return UInt64(littleEndian: UInt64(rotated) | UInt64(rotated) << 32)
    }

    /// Masks or unmasks a part of a payload in place. `offset` is its offset in the payload.
    func apply(to bytes: UnsafeMutableRawBufferPointer, offset: Int) {
        copy(UnsafeRawBufferPointer(bytes), to: bytes, offset: offset)
    }

    /// Copies the source to the first bytes of the target, masked or unmasked.
    func copy(_ source: UnsafeRawBufferPointer, to target: UnsafeMutableRawBufferPointer, offset: Int) {
        precondition(target.count >= source.count)
        let word = self.word(at: offset)
        let count = source.count
        var index = 0
        while index + 8 <= count {
            let value = source.loadUnaligned(fromByteOffset: index, as: UInt64.self)
            target.storeBytes(of: value ^ word, toByteOffset: index, as: UInt64.self)
            index += 8
        }
        // `index` is a multiple of eight, so the remaining bytes use the word from its start.
        withUnsafeBytes(of: word) { wordBytes in
            while index < count {
                target[index] = source[index] ^ wordBytes[index & 7]
                index += 1
            }
        }
    }
}
#endif

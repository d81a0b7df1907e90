/// Unsigned LEB128: seven bits per byte, the least significant group first (Replication 2.2).
enum Varint {
    /// The encoded size of the largest number, in bytes.
    static let maximumSize = 10

    /// Returns the encoded size of a number, in bytes.
    static func size(of value: UInt64) -> Int { value < 0x80 ? 1 : (63 - value.leadingZeroBitCount) / 7 + 1 }

    static func append(_ value: UInt64, to bytes: inout [UInt8]) { write(value) { bytes.append($0) } }

    /// Passes the bytes of an encoded number to `put`, in order.
    static func write(_ value: UInt64, _ put: (UInt8) -> Void) {
        var rest = value
        while rest >= 0x80 {
            put(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        put(UInt8(truncatingIfNeeded: rest))
    }

    /// Reads a number and moves `index` past it.
    ///
    /// - Returns: `nil`, with `index` unspecified, if the bytes end before the number does, or if it does not fit into 64 bits.
    static func read(_ bytes: ArraySlice<UInt8>, at index: inout Int) -> UInt64? {
        var value: UInt64 = 0
        var shift: UInt64 = 0
        while index < bytes.endIndex {
            let byte = bytes[index]
            index += 1
            if shift == 63, byte > 1 { return nil }
            value |= UInt64(byte & 0x7F) << shift
            if byte < 0x80 { return value }
            shift += 7
        }
        return nil
    }
}

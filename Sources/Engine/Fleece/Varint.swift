/// LEB128 numbers: seven bits per byte, the lowest first; the high bit means that more bytes follow (Storage format 1.1).
public enum Varint {
    /// Reads a number of at most 32 bits, like all numbers inside of Fleece. Returns `nil` if it is truncated or too large.
    @inlinable
    public static func read(_ bytes: UnsafeRawPointer, available: Int) -> (value: UInt32, size: Int)? {
        guard let (value, size) = read64(bytes, available: available), value <= UInt64(UInt32.max) else { return nil }
        return (UInt32(truncatingIfNeeded: value), size)
    }

    /// Reads a number of at most 64 bits. Returns `nil` if it is truncated or too large.
    @inlinable
    public static func read64(_ bytes: UnsafeRawPointer, available: Int) -> (value: UInt64, size: Int)? {
        var result: UInt64 = 0
        var size = 0
        while size < available, size < 10 {
            let byte = bytes.load(fromByteOffset: size, as: UInt8.self)
            if size == 9, byte > 1 { return nil }
            result |= UInt64(byte & 0x7F) &<< UInt64(size * 7)
            size += 1
            if byte & 0x80 == 0 { return (result, size) }
        }
        return nil
    }

    /// Returns the encoded size of `value`, 1 to 10 bytes.
    @inlinable
    public static func size(of value: UInt64) -> Int {
        max(1, (64 - value.leadingZeroBitCount + 6) / 7)
    }

    /// Writes `value` and returns the number of bytes written. There must be space for ten bytes.
    @inlinable
    @discardableResult
    public static func write(_ value: UInt64, to bytes: UnsafeMutableRawPointer) -> Int {
        var rest = value
        var size = 0
        while rest >= 0x80 {
            bytes.storeBytes(of: UInt8(truncatingIfNeeded: rest) | 0x80, toByteOffset: size, as: UInt8.self)
            rest &>>= 7
            size += 1
        }
        bytes.storeBytes(of: UInt8(truncatingIfNeeded: rest), toByteOffset: size, as: UInt8.self)
        return size + 1
    }
}

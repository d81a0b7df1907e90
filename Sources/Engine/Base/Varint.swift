// Unsafe code: numbers are read and written at pointers, within the bytes that the caller has checked.

/// Unsigned LEB128 numbers: seven bits per byte, the lowest first; the high bit means that more bytes follow (Storage format 1.1, Replication
/// 2.2).
///
/// Functions with pointers are public, so that the compiler inlines them into Fleece. They need no bounds checks: the caller passes the number
/// of bytes that may be read, or has reserved those that are written.
public enum Varint {
    /// The encoded size of the largest number, in bytes.
    public static let maximumSize = 10

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

    /// Writes `value` and returns the number of bytes written. There must be space for ``size(of:)`` bytes.
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

extension Varint {
    /// Appends `value`.
    package static func append(_ value: UInt64, to bytes: inout [UInt8]) {
        var rest = value
        while rest >= 0x80 {
            bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        bytes.append(UInt8(truncatingIfNeeded: rest))
    }

    /// Reads a number of at most 64 bits at `index`, and moves `index` past it. Returns `nil`, without a change of `index`, if the number is
    /// truncated or too large.
    ///
    /// - Precondition: `index` is an index of `bytes` or its end.
    package static func read(_ bytes: ArraySlice<UInt8>, at index: inout Int) -> UInt64? {
        let found = bytes[index...].withUnsafeBytes { rest in
            rest.baseAddress.flatMap { read64($0, available: rest.count) }
        }
        guard let found else { return nil }
        index += found.size
        return found.value
    }
}

// Reads Fleece in place. The bytes are borrowed: the creator of a `Value` must keep them alive while it is used.
//
// Every read is checked against the end of the data, and pointers only lead towards its start. Damaged or hostile data is therefore read as
// missing values, never out of bounds and never endlessly. `Validator` distinguishes such data from valid data.
public import Base

/// The types of JSON, and those that only Fleece has.
public enum ValueType: UInt8, Sendable {
    /// The types of JSON; `data` is binary data, which JSON does not have.
    case null, boolean, number, string, data, array, dictionary
    /// A deleted key in an overlay, or an invalid value. Outside of an overlay it is treated as null (Storage format 1.6).
    case undefined
}

/// A value in Fleece data: a position in borrowed bytes, which is read on access. Its size is sixteen bytes.
@frozen
public struct Value {
    /// The start of the data, which is borrowed.
    public let base: UnsafeRawPointer
    /// The offset of the value from ``base``, in bytes.
    public let offset: UInt32
    /// The offset of the end of the data from ``base``, in bytes.
    public let end: UInt32

    /// Creates a value. `offset + 2 <= end` must hold, because every value has at least two bytes.
    @inlinable
    public init(base: UnsafeRawPointer, offset: UInt32, end: UInt32) {
        self.base = base
        self.offset = offset
        self.end = end
    }

    /// Creates the root value of `bytes` (Storage format 1.7). `nil` if there is none. Only the root itself is checked.
    @inlinable @inline(__always)
    public init?(root bytes: UnsafeRawBufferPointer) {
        guard let base = bytes.baseAddress, bytes.count >= 2, bytes.count & 1 == 0, bytes.count <= Limits.maximumSize else { return nil }
        let last = UInt32(truncatingIfNeeded: bytes.count - 2)
        let slot = Slot(base: base, position: last, end: last &+ 2, isWide: false)
        guard slot.isPointer || bytes.count == 2, let value = slot.value else { return nil }
        self = value
    }

    /// The byte with the ``tag`` in its upper half.
    @inlinable
    public var firstByte: UInt8 {
        @inline(__always) get { base.load(fromByteOffset: Int(offset), as: UInt8.self) }
    }

    /// The number of four bits that determines the type (Storage format 1.1).
    @inlinable
    public var tag: UInt8 {
        @inline(__always) get { firstByte >> 4 }
    }

    /// The number of bytes from the value to the end of the data.
    @inlinable
    public var available: Int {
        @inline(__always) get { Int(end) &- Int(offset) }
    }

    /// The position of the value in its data, for comparing identities and for error messages.
    @inlinable
    public var position: Int { Int(offset) }

    /// The type. It is determined by the first byte only, so the rest of the value may still be invalid.
    @inlinable
    public var type: ValueType {
        switch tag {
        case 0, 1, 2: return .number
        case 3:
            switch firstByte & 0x0F {
            case 0x4, 0x8: return .boolean
            case 0xC: return .undefined
            default: return .null
            }
        case 4: return .string
        case 5: return .data
        case 6: return .array
        case 7: return .dictionary
        default: return .undefined
        }
    }

    /// Whether this is null, or `undefined`, which is treated as null.
    @inlinable
    public var isNull: Bool { tag == 3 && firstByte & 0x0F != 0x4 && firstByte & 0x0F != 0x8 }

    /// Whether this is the marker that deletes a key in an overlay.
    @inlinable
    public var isUndefined: Bool { firstByte == 0x3C }

    /// The boolean. `nil` for other types.
    @inlinable
    public var boolean: Bool? {
        guard tag == 3 else { return nil }
        switch firstByte & 0x0F {
        case 0x4: return false
        case 0x8: return true
        default: return nil
        }
    }

    /// The UTF-8 bytes of the string, which are part of the borrowed data. `nil` for other types.
    @inlinable
    public var stringBytes: UnsafeRawBufferPointer? { tag == 4 ? payload : nil }

    /// The string. Invalid UTF-8 is replaced by U+FFFD. `nil` for other types.
    @inlinable
    public var string: String? {
        guard let bytes = stringBytes else { return nil }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// The bytes of the data value, which are part of the borrowed data. `nil` for other types.
    @inlinable
    public var dataBytes: UnsafeRawBufferPointer? { tag == 5 ? payload : nil }

    /// The array. `nil` for other types, or if its slots are not all inside the data.
    @inlinable
    public var array: ArrayValue? { ArrayValue(self) }

    /// The dictionary. `nil` for other types, or if its slots are not all inside the data.
    @inlinable
    public var dictionary: DictionaryValue? { DictionaryValue(self) }

    /// The bytes after the header of a string or data value (Storage format 1.4).
    @inlinable
    public var payload: UnsafeRawBufferPointer? {
        var length = Int(firstByte & 0x0F)
        var start = 1
        if length == 15 {
            guard let (count, size) = Varint.read(base + Int(offset) + 1, available: available - 1) else { return nil }
            length = Int(count)
            start = 1 + size
        }
        guard start + length <= available else { return nil }
        return UnsafeRawBufferPointer(start: base + Int(offset) + start, count: length)
    }
}

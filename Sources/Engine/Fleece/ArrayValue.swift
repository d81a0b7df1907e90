public import Base

/// A Fleece array, read in place.
@frozen
public struct ArrayValue {
    /// The start of the data, which is borrowed.
    public let base: UnsafeRawPointer
    /// The offset of the first slot from ``base``, in bytes.
    public let first: UInt32
    /// The offset of the end of the data from ``base``, in bytes.
    public let end: UInt32
    /// The number of items.
    public let count: Int
    /// Whether a slot has four bytes instead of two.
    public let isWide: Bool

    /// Creates the array. `nil` if `value` is not an array, or its slots extend beyond the data.
    @inlinable
    public init?(_ value: Value) {
        guard value.tag == 6, let slots = SlotRange(value, slotsPerItem: 1) else { return nil }
        base = value.base
        end = value.end
        first = slots.first
        count = slots.count
        isWide = slots.isWide
    }

    /// The item at `index`. `nil` if it does not exist or is invalid.
    @inlinable
    public subscript(index: Int) -> Value? {
        @inline(__always)
        get {
            guard index >= 0, index < count else { return nil }
            let position = first &+ UInt32(truncatingIfNeeded: index &* (isWide ? 4 : 2))
            return Slot(base: base, position: position, end: end, isWide: isWide).value
        }
    }
}

/// The position of the slots of an array or dictionary (Storage format 1.6).
@frozen
public struct SlotRange {
    /// The offset of the first slot in the data, in bytes.
    public let first: UInt32
    /// The number of items of an array, or of pairs of a dictionary.
    public let count: Int
    /// Whether a slot has four bytes instead of two.
    public let isWide: Bool

    /// Creates the range. `nil` if the count is truncated, or the slots extend beyond the data.
    @inlinable @inline(__always)
    public init?(_ value: Value, slotsPerItem: Int) {
        let header = value.base.loadUnaligned(fromByteOffset: Int(value.offset), as: UInt16.self).bigEndian
        var count = Int(header & 0x07FF)
        var start = 2
        isWide = header & 0x0800 != 0
        if count == 2047 {
            guard let (more, size) = Varint.read(value.base + Int(value.offset) + 2, available: value.available - 2) else { return nil }
            count += Int(more)
            start += (size + 1) & ~1
        }
        guard start + count * slotsPerItem * (isWide ? 4 : 2) <= value.available else { return nil }
        first = value.offset &+ UInt32(truncatingIfNeeded: start)
        self.count = count
    }
}

/// A place in an array or dictionary, two or four bytes wide: it holds a small value, or a pointer to a larger one before it.
@frozen
package struct Slot {
    package let base: UnsafeRawPointer
    package let position: UInt32
    package let end: UInt32
    package let isWide: Bool

    /// The slot's bytes must lie inside the data.
    @inlinable
    package init(base: UnsafeRawPointer, position: UInt32, end: UInt32, isWide: Bool) {
        self.base = base
        self.position = position
        self.end = end
        self.isWide = isWide
    }

    @inlinable
    package var isPointer: Bool {
        @inline(__always) get { base.load(fromByteOffset: Int(position), as: UInt8.self) >= 0x80 }
    }

    /// The first two bytes as a number. Keys that are small integers order by it, and before all strings.
    @inlinable
    package var leadingBits: UInt16 {
        @inline(__always) get { base.loadUnaligned(fromByteOffset: Int(position), as: UInt16.self).bigEndian }
    }

    /// The value in the slot or behind its pointer; nil when a pointer leads outside the data.
    @inlinable
    package var value: Value? {
        @inline(__always) get {
            guard isPointer else { return Value(base: base, offset: position, end: end) }
            guard !isWide else { return followed }
            // With its second bit set this is a pointer of 2.0 and 2.1, whose distance had fifteen bits.
            let distance = UInt32(leadingBits & 0x7FFF) &<< 1
            guard distance != 0, distance <= position else { return nil }
            let target = position &- distance
            // Nearly all pointers lead to a value at once.
            guard base.load(fromByteOffset: Int(target), as: UInt8.self) < 0x80 else { return followed }
            return Value(base: base, offset: target, end: end)
        }
    }

    /// Follows the pointer to its end (Storage format 1.5). Each step leads closer to the start of the data, so this ends.
    @inlinable
    package var followed: Value? {
        var distance: UInt32
        if isWide {
            let bits = base.loadUnaligned(fromByteOffset: Int(position), as: UInt32.self).bigEndian
            guard bits & 0x4000_0000 == 0 else { return nil }
            distance = (bits & 0x3FFF_FFFF) &<< 1
        } else {
            distance = UInt32(leadingBits & 0x7FFF) &<< 1
        }
        var target = position
        while true {
            guard distance != 0, distance <= target else { return nil }
            let pointer = target
            target &-= distance
            guard base.load(fromByteOffset: Int(target), as: UInt8.self) >= 0x80 else { return Value(base: base, offset: target, end: end) }
            // A pointer behind a pointer is always wide, and lies wholly before the first.
            guard target &+ 4 <= pointer else { return nil }
            let bits = base.loadUnaligned(fromByteOffset: Int(target), as: UInt32.self).bigEndian
            guard bits & 0x4000_0000 == 0 else { return nil }
            distance = (bits & 0x3FFF_FFFF) &<< 1
        }
    }
}

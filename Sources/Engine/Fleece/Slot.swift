/// A slot of an array or dictionary, two or four bytes wide. It contains a small value, or a pointer to a larger value at a lower position.
@frozen
public struct Slot {
    /// The start of the data, which is borrowed.
    public let base: UnsafeRawPointer
    /// The offset of the slot from ``base``, in bytes.
    public let position: UInt32
    /// The offset of the end of the data from ``base``, in bytes.
    public let end: UInt32
    /// Whether the slot has four bytes instead of two.
    public let isWide: Bool

    /// Creates a slot. Its bytes must be inside the data.
    @inlinable
    public init(base: UnsafeRawPointer, position: UInt32, end: UInt32, isWide: Bool) {
        self.base = base
        self.position = position
        self.end = end
        self.isWide = isWide
    }

    /// Whether the slot contains a pointer, and not the value itself.
    @inlinable
    public var isPointer: Bool {
        @inline(__always) get { base.load(fromByteOffset: Int(position), as: UInt8.self) >= 0x80 }
    }

    /// The first two bytes as a number. Keys that are small integers sort by it, before all strings.
    @inlinable
    public var leadingBits: UInt16 {
        @inline(__always) get { base.loadUnaligned(fromByteOffset: Int(position), as: UInt16.self).bigEndian }
    }

    /// The value in the slot, or the value that its pointer refers to. `nil` if the pointer leads outside of the data.
    @inlinable
    public var value: Value? {
        @inline(__always) get {
            guard isPointer else { return Value(base: base, offset: position, end: end) }
            guard !isWide else { return followed }
            // A pointer whose second bit is set was written by release 2.0 or 2.1, which used a distance of fifteen bits.
            let distance = UInt32(leadingBits & 0x7FFF) &<< 1
            guard distance != 0, distance <= position else { return nil }
            let target = position &- distance
            // Nearly all pointers refer to a value directly, not to another pointer.
            guard base.load(fromByteOffset: Int(target), as: UInt8.self) < 0x80 else { return followed }
            return Value(base: base, offset: target, end: end)
        }
    }

    /// The value at the end of the chain of pointers (Storage format 1.5); `nil` if the chain leads outside of the data, or is longer than
    /// ``Limits/maximumPointers``.
    @inlinable
    public var followed: Value? {
        var pointer = position
        var isWide = isWide
        for _ in 0..<Limits.maximumPointers {
            let distance: UInt32
            if isWide {
                let bits = base.loadUnaligned(fromByteOffset: Int(pointer), as: UInt32.self).bigEndian
                guard bits & 0x4000_0000 == 0 else { return nil }
                distance = (bits & 0x3FFF_FFFF) &<< 1
            } else {
                distance = UInt32(leadingBits & 0x7FFF) &<< 1
            }
            guard distance != 0, distance <= pointer else { return nil }
            let target = pointer &- distance
            guard base.load(fromByteOffset: Int(target), as: UInt8.self) >= 0x80 else { return Value(base: base, offset: target, end: end) }
            // A pointer to which another pointer refers is always wide, and ends before the other pointer.
            guard target &+ 4 <= pointer else { return nil }
            pointer = target
            isWide = true
        }
        return nil
    }
}

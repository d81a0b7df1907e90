/// Numbers (Storage format 1.2 and 1.3).
extension Value {
    /// Whether this is a number stored as an integer.
    @inlinable
    public var isInteger: Bool { tag <= 1 }

    /// Whether this is an integer stored as unsigned. Only unsigned integers can exceed `Int64.max`.
    @inlinable
    public var isUnsigned: Bool { tag == 1 && firstByte & 0x08 != 0 }

    /// Whether this is a floating-point number of type `Double`, independent of its stored size.
    @inlinable
    public var isDouble: Bool { tag == 2 && firstByte & 0x0C != 0 }

    /// The integer's bits, sign-extended to 64. An unsigned value above `Int64.max` appears negative. `nil` for other types.
    @inlinable
    public var integerBits: Int64? {
        switch tag {
        case 0: return Int64(smallInteger)
        case 1: return longInteger
        default: return nil
        }
    }

    /// The integer of twelve bits in the first two bytes. Only meaningful if ``tag`` is 0.
    @inlinable
    public var smallInteger: Int16 {
        @inline(__always) get {
            let bits = base.loadUnaligned(fromByteOffset: Int(offset), as: UInt16.self).bigEndian
            return Int16(bitPattern: bits &<< 4) &>> 4
        }
    }

    /// The integer of one to eight bytes after the first byte; `nil` if the data ends before. Only meaningful if ``tag`` is 1.
    @inlinable
    public var longInteger: Int64? {
        let first = firstByte
        let count = Int(first & 0x07) + 1
        guard count < available else { return nil }
        let start = Int(offset) + 1
        var bits: UInt64 = 0
        if available >= 9 {
            bits = base.loadUnaligned(fromByteOffset: start, as: UInt64.self).littleEndian
        } else {
            for index in (0..<count).reversed() { bits = bits &<< 8 | UInt64(base.load(fromByteOffset: start + index, as: UInt8.self)) }
        }
        let unused = UInt64(64 - count * 8)
        let isUnsigned = first & 0x08 != 0
        return isUnsigned ? Int64(bitPattern: (bits &<< unused) &>> unused) : Int64(bitPattern: bits &<< unused) &>> Int64(unused)
    }

    /// The floating-point number. `nil` for other types.
    @inlinable
    public var floatingPoint: Double? {
        guard tag == 2 else { return nil }
        if firstByte & 0x08 != 0 {
            guard available >= 10 else { return nil }
            let bits = base.loadUnaligned(fromByteOffset: Int(offset) + 2, as: UInt64.self).littleEndian
            return Double(bitPattern: bits)
        }
        guard available >= 6 else { return nil }
        let bits = base.loadUnaligned(fromByteOffset: Int(offset) + 2, as: UInt32.self).littleEndian
        return Double(Float(bitPattern: bits))
    }

    /// The number as a double. Booleans are 1 and 0. `nil` for other types.
    @inlinable
    public var double: Double? {
        if let bits = integerBits { return isUnsigned ? Double(UInt64(bitPattern: bits)) : Double(bits) }
        if let number = floatingPoint { return number }
        return boolean.map { $0 ? 1 : 0 }
    }

    /// The number truncated towards zero and clamped to the range of `Int64`. Booleans are 1 and 0. `nil` for other types.
    @inlinable
    public var int64: Int64? {
        if let bits = integerBits { return isUnsigned && bits < 0 ? Int64.max : bits }
        if let number = floatingPoint { return Int64(clamping: number) }
        return boolean.map { $0 ? 1 : 0 }
    }
}

extension Int64 {
    /// Creates the integer by truncating towards zero and clamping to the range. NaN results in zero.
    @inlinable
    public init(clamping number: Double) {
        if number >= 0x1p63 {
            self = .max
        } else if number < -0x1p63 {
            self = .min
        } else {
            self = number.isNaN ? 0 : Int64(number)
        }
    }
}

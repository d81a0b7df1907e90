/// A value that does not contain others, independent of any data: null, a boolean, a number, a string or a date.
@frozen
public enum ScalarValue: Sendable {
    /// Null of JSON.
    case null
    /// A boolean, which is not a number.
    case boolean(Bool)
    /// An integer of a signed type.
    case integer(Int64)
    /// An integer that was set as an unsigned type; the format distinguishes the two.
    case unsigned(UInt64)
    /// A number of type `Float`, whose JSON has fewer digits than that of a `Double`.
    case float(Float)
    /// A number of type `Double`.
    case double(Double)
    /// A string. A stored date is read as one.
    case string(String)
    /// A date that was set, in seconds since 1970. It is stored as a string.
    case date(Double)

    /// Copies a value out of its data. `nil` for arrays, dictionaries, binary data, and damaged values.
    @inlinable
    public init?(_ value: Value) {
        switch value.type {
        case .null, .undefined: self = .null
        case .boolean: self = .boolean(value.boolean == true)
        case .number:
            if let bits = value.integerBits {
                self = value.isUnsigned ? .unsigned(UInt64(bitPattern: bits)) : .integer(bits)
            } else if let number = value.floatingPoint {
                self = value.isDouble ? .double(number) : .float(Float(number))
            } else {
                return nil
            }
        case .string:
            guard let string = value.string else { return nil }
            self = .string(string)
        case .data, .array, .dictionary: return nil
        }
    }

    /// The string, or that which is stored for a date. `nil` for other types, and for a date that cannot be stored.
    @inlinable
    public var string: String? {
        switch self {
        case .string(let string): string
        case .date(let seconds): ISO8601.storedMilliseconds(seconds: seconds).map { ISO8601.string(milliseconds: $0) }
        case .null, .boolean, .integer, .unsigned, .float, .double: nil
        }
    }

    /// The number truncated towards zero and clamped to the range of `Int64`. Booleans are 1 and 0. Zero for other types.
    @inlinable
    public var int64: Int64 {
        switch self {
        case .boolean(let boolean): boolean ? 1 : 0
        case .integer(let number): number
        case .unsigned(let number): Int64(clamping: number)
        case .float(let number): Int64(clamping: Double(number))
        case .double(let number): Int64(clamping: number)
        case .null, .string, .date: 0
        }
    }

    /// The number as a double. Booleans are 1 and 0. Zero for other types.
    @inlinable
    public var double: Double {
        switch self {
        case .boolean(let boolean): boolean ? 1 : 0
        case .integer(let number): Double(number)
        case .unsigned(let number): Double(number)
        case .float(let number): Double(number)
        case .double(let number): number
        case .null, .string, .date: 0
        }
    }

    /// The number as a `Float`. Booleans are 1 and 0. Zero for other types.
    @inlinable
    public var float: Float {
        guard case .float(let number) = self else { return Float(double) }
        return number
    }

    /// `false` for `false`, zero and null; `true` for everything else.
    @inlinable
    public var boolean: Bool {
        switch self {
        case .null: false
        case .boolean(let boolean): boolean
        case .integer(let number): number != 0
        case .unsigned(let number): number != 0
        case .float(let number): number != 0
        case .double(let number): number != 0
        case .string, .date: true
        }
    }
}

extension Value {
    /// `false` for `false`, zero and null; `true` for everything else.
    @inlinable
    public var isTrue: Bool {
        switch type {
        case .null, .undefined: false
        case .boolean, .number: double != 0
        case .string, .data, .array, .dictionary: true
        }
    }
}

extension Encoder {
    /// Writes a value in the form of its type; null for a date that cannot be stored.
    @inlinable
    public mutating func write(_ scalar: ScalarValue) {
        switch scalar {
        case .null: writeNull()
        case .boolean(let boolean): write(boolean)
        case .integer(let number): write(number)
        case .unsigned(let number): write(unsigned: number)
        case .float(let number): write(number)
        case .double(let number): write(number)
        case .string(let string): write(string)
        case .date: if let text = scalar.string { write(text) } else { writeNull() }
        }
    }
}

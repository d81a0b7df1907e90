import Fleece
import ModelCoding

/// A value of a document, dictionary or array: set by the app, or still in its stored form.
enum PropertyValue {
    case null
    case boolean(Bool)
    case integer(Int64)
    /// An integer that was set as an unsigned type; the format distinguishes the two.
    case unsigned(UInt64)
    case float(Float)
    case double(Double)
    case string(String)
    case blob(Blob)
    /// Always a mutable array in a mutable container.
    case array(ArrayObject)
    /// Always a mutable dictionary in a mutable container.
    case dictionary(DictionaryObject)
    /// A part of the data of the container's source, which keeps the bytes in memory.
    case stored(Value)
}

/// The results of the typed getters (API 1.4). They never fail: another type is returned as `nil`, zero or `false`.
extension PropertyValue {
    var string: String? {
        switch self {
        case .string(let string): string
        case .stored(let value): value.string
        default: nil
        }
    }

    /// The number, truncated towards zero and clamped to the range.
    var int64: Int64 {
        switch self {
        case .boolean(let boolean): boolean ? 1 : 0
        case .integer(let number): number
        case .unsigned(let number): Int64(clamping: number)
        case .float(let number): Int64(clamping: Double(number))
        case .double(let number): Int64(clamping: number)
        case .stored(let value): value.int64 ?? 0
        default: 0
        }
    }

    var int: Int { Int(clamping: int64) }

    var double: Double {
        switch self {
        case .boolean(let boolean): boolean ? 1 : 0
        case .integer(let number): Double(number)
        case .unsigned(let number): Double(number)
        case .float(let number): Double(number)
        case .double(let number): number
        case .stored(let value): value.double ?? 0
        default: 0
        }
    }

    var float: Float {
        switch self {
        case .float(let number): number
        default: Float(double)
        }
    }

    /// `false` for `false`, zero and null; `true` for everything else.
    var boolean: Bool {
        switch self {
        case .null: false
        case .boolean(let boolean): boolean
        case .integer(let number): number != 0
        case .unsigned(let number): number != 0
        case .float(let number): number != 0
        case .double(let number): number != 0
        case .string, .blob, .array, .dictionary: true
        case .stored(let value):
            switch value.type {
            case .null, .undefined: false
            case .boolean, .number: value.double != 0
            default: true
            }
        }
    }

    var number: NSNumber? {
        switch self {
        case .boolean(let boolean): NSNumber(value: boolean)
        case .integer(let number): NSNumber(value: number)
        case .unsigned(let number): NSNumber(value: number)
        case .float(let number): NSNumber(value: number)
        case .double(let number): NSNumber(value: number)
        case .stored(let value): Self.scalar(value)?.number
        default: nil
        }
    }

    var date: Date? {
        switch self {
        case .string(let string): ISO8601.parse(string).flatMap(Date.init)
        case .stored(let value): value.stringBytes.flatMap(ISO8601.parse).flatMap(Date.init)
        default: nil
        }
    }

    /// Returns `value` as a value independent of its data, never `stored`; `nil` for arrays, dictionaries and binary data.
    static func scalar(_ value: Value) -> PropertyValue? {
        switch value.type {
        case .null, .undefined: .null
        case .boolean: .boolean(value.boolean == true)
        case .number: number(value)
        case .string: value.string.map(PropertyValue.string)
        // Binary data has no type in the API; only other software writes it into documents.
        case .data, .array, .dictionary: nil
        }
    }

    private static func number(_ value: Value) -> PropertyValue? {
        if let bits = value.integerBits {
            return value.isUnsigned ? .unsigned(UInt64(bitPattern: bits)) : .integer(bits)
        }
        guard let number = value.floatingPoint else { return nil }
        return value.isDouble ? .double(number) : .float(Float(number))
    }
}

extension PropertyValue {
    /// Returns the value independent of its data, never `stored`. Containers are immutable, and new for each call.
    func resolved(in source: FleeceSource?) -> PropertyValue {
        guard case .stored(let value) = self else { return self }
        return Self.scalar(value) ?? source?.makeObject(for: value)?.propertyValue ?? .null
    }

    /// The value that `value(forKey:)` returns, for a value that is not `stored`.
    var any: Any {
        switch self {
        case .null, .stored: NSNull()
        case .string(let string): string
        case .blob(let blob): blob
        case .array(let array): array
        case .dictionary(let dictionary): dictionary
        case .boolean, .integer, .unsigned, .float, .double: number ?? NSNull()
        }
    }

    /// The value that `toDictionary()` returns: Swift values and blobs.
    var plain: Any {
        switch self {
        case .array(let array): array.toArray()
        case .dictionary(let dictionary): dictionary.toDictionary()
        default: any
        }
    }
}

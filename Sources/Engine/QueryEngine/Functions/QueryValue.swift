import Fleece
import SQLiteEngine

/// The SQLite subtypes that mark values without an SQL type of their own (Query 3.1). They are never stored, so the numbers can be chosen
/// freely.
enum ValueTag {
    static let null: UInt32 = 0x4E
    static let boolean: UInt32 = 0x42
    static let unsigned: UInt32 = 0x55
    /// A BLOB that is itself binary data, not Fleece.
    static let raw: UInt32 = 0x52
}

/// An SQL value as a value of the query language (Query 3.1). Its bytes are owned by SQLite.
enum QueryValue {
    case missing
    case null
    case boolean(Bool)
    case integer(Int64)
    /// A number above the range of `Int64`.
    case unsigned(UInt64)
    case double(Double)
    case string(UnsafeRawBufferPointer)
    case array(ArrayValue)
    case dictionary(DictionaryValue)
    case data(UnsafeRawBufferPointer)

    init(_ value: SQLValue) {
        switch value.type {
        case .null: self = .missing
        case .integer:
            // Only queries tag numbers above the range of Int64. In indexes, functions see the negative number with the same bits (Query 3.1).
            switch value.subtype {
            case ValueTag.boolean: self = .boolean(value.int64 != 0)
            case ValueTag.unsigned: self = .unsigned(UInt64(bitPattern: value.int64))
            default: self = .integer(value.int64)
            }
        case .real: self = .double(value.double)
        case .text: self = .string(value.textBytes)
        case .blob:
            let bytes = value.blobBytes
            if value.subtype == ValueTag.raw {
                self = .data(bytes)
            } else if let root = Value(root: bytes) {
                self.init(root)
            } else {
                // Empty, or not Fleece.
                self = .null
            }
        }
    }

    init(_ value: Value) {
        switch value.type {
        case .null, .undefined: self = .null
        case .boolean: self = .boolean(value.boolean == true)
        case .number:
            if let bits = value.integerBits {
                self = value.isUnsigned && bits < 0 ? .unsigned(UInt64(bitPattern: bits)) : .integer(bits)
            } else {
                self = value.floatingPoint.map { .double($0) } ?? .null
            }
        case .string: self = value.stringBytes.map { .string($0) } ?? .null
        case .data: self = value.dataBytes.map { .data($0) } ?? .null
        case .array: self = value.array.map { .array($0) } ?? .null
        case .dictionary: self = value.dictionary.map { .dictionary($0) } ?? .null
        }
    }

    var isMissing: Bool { if case .missing = self { true } else { false } }

    var isNull: Bool { if case .null = self { true } else { false } }

    var isNullOrMissing: Bool { isNull || isMissing }

    /// The UTF-8 bytes if this is a string.
    var stringBytes: UnsafeRawBufferPointer? { if case .string(let bytes) = self { bytes } else { nil } }

    var string: String? { stringBytes.map { String(decoding: $0, as: UTF8.self) } }

    /// The number if this is one; `nil` for booleans and other values.
    var number: Double? {
        switch self {
        case .integer(let number): Double(number)
        case .unsigned(let number): Double(number)
        case .double(let number): number
        default: nil
        }
    }

    /// The number if this is one, 1 or 0 for a boolean, `nil` for other values: the argument of mathematical functions (Query 3.12).
    var numberOrBoolean: Double? {
        if case .boolean(let flag) = self { flag ? 1 : 0 } else { number }
    }

    /// The number, truncated to an integer and clamped to its range; 1 or 0 for a boolean; `nil` for other values.
    var truncated: Int64? {
        switch self {
        case .boolean(let flag): flag ? 1 : 0
        case .integer(let number): number
        case .unsigned: .max
        case .double(let number): Int64(clamping: number)
        default: nil
        }
    }

    /// The number as array functions read it: 1 or 0 for a boolean, 0 for other values that are not numbers (Query 3.10).
    var numericValue: Double {
        if case .boolean(let flag) = self { return flag ? 1 : 0 }
        return number ?? 0
    }

    /// Whether the value is true in the sense of JSON (Query 3.11, `toboolean`); `nil` for null and MISSING.
    var truth: Bool? {
        switch self {
        case .missing, .null: nil
        case .boolean(let flag): flag
        case .integer(let number): number != 0
        case .unsigned: true
        case .double(let number): number != 0
        case .string(let bytes), .data(let bytes): !bytes.isEmpty
        case .array(let array): array.count > 0
        case .dictionary(let dictionary): dictionary.count > 0
        }
    }
}

/// Encodes query values as Fleece. The bytes are used as index keys, and SQL compares containers by them (Storage format 5.7).
extension Encoder {
    /// Writes a query value; nothing if it is MISSING. A scalar is written in its shortest form, as in a new document; an array or
    /// dictionary is copied without changing the encoding of its numbers.
    mutating func write(_ value: QueryValue) {
        switch value {
        case .missing: break
        case .null: writeNull()
        case .boolean(let flag): write(flag)
        case .integer(let number): write(number)
        case .unsigned(let number): write(unsigned: number)
        case .double(let number): number.isNaN ? writeNull() : write(number)
        case .string(let bytes): write(utf8: bytes)
        case .data(let bytes): write(data: bytes)
        case .array(let array): writeCopy(of: array, keys: .empty)
        case .dictionary(let dictionary): writeCopy(of: dictionary, keys: .empty)
        }
    }
}

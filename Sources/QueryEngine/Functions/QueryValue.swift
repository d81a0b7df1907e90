import Fleece
import SQLiteEngine

/// The small numbers that tell apart values which SQL has no type for (Query 3.1). They live in registers only, so their
/// choice is nobody else's business.
enum ValueTag {
    static let null: UInt32 = 0x4E
    static let boolean: UInt32 = 0x42
    static let unsigned: UInt32 = 0x55
    /// A BLOB that is binary data by itself, not Fleece.
    static let raw: UInt32 = 0x52
}

/// An SQL value as the query language sees it (Query 3.1). The bytes are borrowed from SQLite.
enum QueryValue {
    case missing
    case null
    case boolean(Bool)
    case integer(Int64)
    /// Above the range of `Int64`.
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
            // One above the range of Int64 is its negative to every function (Query 3.1); only reading it again gives the number.
            self = value.subtype == ValueTag.boolean ? .boolean(value.int64 != 0) : .integer(value.int64)
        case .real: self = .double(value.double)
        case .text: self = .string(value.textBytes)
        case .blob:
            let bytes = value.blobBytes
            if value.subtype == ValueTag.raw {
                self = .data(bytes)
            } else if let root = Value(root: bytes) {
                self.init(root)
            } else {
                // Of length zero, or no Fleece at all.
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

    /// The UTF-8 of a string.
    var stringBytes: UnsafeRawBufferPointer? { if case .string(let bytes) = self { bytes } else { nil } }

    var string: String? { stringBytes.map { String(decoding: $0, as: UTF8.self) } }

    /// The number, if this is one; booleans are none.
    var number: Double? {
        switch self {
        case .integer(let number): Double(number)
        case .unsigned(let number): Double(number)
        case .double(let number): number
        default: nil
        }
    }

    /// The number, if this is one or a boolean, which then is 1 or 0: what mathematical functions take (Query 3.12).
    var numberOrBoolean: Double? {
        if case .boolean(let flag) = self { flag ? 1 : 0 } else { number }
    }

    /// The number, truncated, if this is one or a boolean, which then is 1 or 0.
    var truncated: Int64? {
        switch self {
        case .boolean(let flag): flag ? 1 : 0
        case .integer(let number): number
        case .unsigned: .max
        case .double(let number): Int64(clamping: number)
        default: nil
        }
    }

    /// The reading as a number that array functions take: booleans are 1 and 0, everything else 0 (Query 3.10).
    var numericReading: Double {
        if case .boolean(let flag) = self { return flag ? 1 : 0 }
        return number ?? 0
    }

    /// Whether it is true in the sense of JSON (Query 3.11, `toboolean`); nil for null and MISSING.
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

import DatabaseRuntime
import Fleece
import ModelCoding

/// A value of a document, dictionary or array: set by the app, or still in its stored form.
enum PropertyValue {
    case scalar(ScalarValue)
    case object(PropertyObject)
    /// A part of the data of the container's source, which keeps the bytes in memory.
    case stored(Value)

    static var null: PropertyValue { .scalar(.null) }
    static func boolean(_ boolean: Bool) -> PropertyValue { .scalar(.boolean(boolean)) }
    static func integer(_ number: Int64) -> PropertyValue { .scalar(.integer(number)) }
    static func float(_ number: Float) -> PropertyValue { .scalar(.float(number)) }
    static func double(_ number: Double) -> PropertyValue { .scalar(.double(number)) }
}

/// A property value that is an object with an identity.
enum PropertyObject: Hashable, Sendable {
    case blob(Blob)
    /// Always a mutable array in a mutable container.
    case array(ArrayObject)
    /// Always a mutable dictionary in a mutable container.
    case dictionary(DictionaryObject)

    var blob: Blob? { if case .blob(let blob) = self { blob } else { nil } }
    var array: ArrayObject? { if case .array(let array) = self { array } else { nil } }
    var dictionary: DictionaryObject? { if case .dictionary(let dictionary) = self { dictionary } else { nil } }

    var reference: any SharedObject {
        switch self {
        case .blob(let blob): blob
        case .array(let array): array
        case .dictionary(let dictionary): dictionary
        }
    }
}

/// The results of the typed getters (API 1.4). They never fail: another type is returned as `nil`, zero or `false`.
extension PropertyValue {
    var string: String? { read(nil, { $0.string }, { $0.string }) }
    /// The number, truncated towards zero and clamped to the range.
    var int64: Int64 { read(0, { $0.int64 }, { $0.int64 ?? 0 }) }
    var int: Int { Int(clamping: int64) }
    var double: Double { read(0, { $0.double }, { $0.double ?? 0 }) }
    var float: Float { read(0, { $0.float }, { Float($0.double ?? 0) }) }
    /// `false` for `false`, zero and null; `true` for everything else.
    var boolean: Bool { read(true, { $0.boolean }, { $0.isTrue }) }
    var number: NSNumber? { read(nil, { $0.number }, { ScalarValue($0)?.number }) }
    var date: Date? { read(nil, { $0.date }, { $0.date }) }

    /// Returns what `ofScalar` or `ofStored` returns for the value; `other` for an object.
    @inline(__always)
    private func read<Result>(_ other: Result, _ ofScalar: (ScalarValue) -> Result, _ ofStored: (Value) -> Result) -> Result {
        switch self {
        case .scalar(let scalar): ofScalar(scalar)
        case .object: other
        case .stored(let value): ofStored(value)
        }
    }
}

extension PropertyValue {
    /// The object that this is, if it is not `stored`.
    var object: PropertyObject? { if case .object(let object) = self { object } else { nil } }

    /// Returns the value independent of its data, never `stored`. Containers are immutable, and new for each call.
    func resolved(in source: FleeceSource?) -> PropertyValue {
        guard case .stored(let value) = self else { return self }
        if let scalar = ScalarValue(value) { return .scalar(scalar) }
        return source?.makeObject(for: value).map(PropertyValue.object) ?? .null
    }

    /// The value that `value(forKey:)` returns, for a value that is not `stored`.
    var any: Any {
        switch self {
        case .scalar(let scalar): scalar.any
        case .object(let object): object.reference
        case .stored: NSNull()
        }
    }

    /// Returns the value that `value(forKey:)` returns. For a stored blob, array or dictionary, `object` finds the object.
    func any(_ object: @autoclosure () -> PropertyObject?) -> Any? {
        guard case .stored(let value) = self else { return any }
        return ScalarValue(value)?.any ?? object()?.reference
    }

    /// The value that `toDictionary()` returns: Swift values and blobs.
    var plain: Any {
        switch self {
        case .object(.array(let array)): array.toArray()
        case .object(.dictionary(let dictionary)): dictionary.toDictionary()
        default: any
        }
    }
}

/// Equality by content (API 1.4). Neither side may be `stored`: see ``PropertyValue/resolved(in:)``.
extension PropertyValue {
    func isEqual(to other: PropertyValue) -> Bool {
        switch (self, other) {
        case (.scalar(let left), .scalar(let right)): left.isEqual(to: right)
        case (.object(let left), .object(let right)): left == right
        default: false
        }
    }

    func hash(into hasher: inout Hasher) {
        switch self {
        case .scalar(let scalar): scalar.hash(into: &hasher)
        case .object(let object): object.hash(into: &hasher)
        case .stored: break
        }
    }
}

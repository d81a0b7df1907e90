import Base
import Fleece
import Foundation

/// Decodes one value: the decoder that `init(from:)` of a type receives.
final class ValueDecoder: Swift.Decoder {
    /// The data to decode.
    enum Content {
        /// A part of the source's data.
        case value(Value)
        case row(ResultRow)
    }

    /// The maximum nesting of values: as many as containers may be nested, and a wrapper between each two of them.
    private static let maximumNesting = 2 * Limits.maximumDepth

    let decoding: ModelDecoding
    let content: Content
    private let parent: ValueDecoder?
    private let key: (any CodingKey)?
    /// The type that is decoded; `nil` for a part of one.
    private let type: Any.Type?
    private let nesting: Int
    /// Whether this decodes the properties of the whole object, or those of its superclass.
    private let isObject: Bool

    /// Creates the decoder of the whole object.
    init(_ decoding: ModelDecoding, _ content: Content, as type: Any.Type?) {
        self.decoding = decoding
        self.content = content
        self.type = type
        parent = nil
        key = nil
        nesting = 0
        isObject = true
    }

    /// Creates the decoder of a nested value.
    ///
    /// - Parameter isSuperclass: Whether these are the properties that the superclass of an object decodes.
    /// - Throws: `DecodingError` if values are nested too deeply, or there are too many.
    init(
        _ value: Value,
        at key: (any CodingKey)?,
        in parent: ValueDecoder,
        as type: Any.Type? = nil,
        isSuperclass: Bool = false
    ) throws {
        self.type = type
        isObject = isSuperclass && parent.isObject
        decoding = parent.decoding
        content = .value(value)
        self.parent = parent
        self.key = key
        nesting = parent.nesting + 1
        guard nesting <= Self.maximumNesting, decoding.budget.consume() else {
            throw DecodingError.refusal(
                at: codingPath,
                "values are nested deeper than \(Limits.maximumDepth) levels, or there are too many values"
            )
        }
    }

    var codingPath: [any CodingKey] { parent?.path(to: key) ?? [] }

    func path(to key: (any CodingKey)?) -> [any CodingKey] { codingPath + (key.map { [$0] } ?? []) }

    var userInfo: [CodingUserInfoKey: Any] { [:] }

    func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
        let entries: KeyedDecoding<Key>.Entries
        switch content {
        case .row(let row): entries = .row(row)
        case .value(let value):
            guard let dictionary = value.dictionary else { throw mismatch([String: Any].self, "a dictionary", value) }
            let id = parent == nil ? decoding.idEntry : nil
            entries = id.map { .identified(dictionary, idKey: $0.key, id: $0.value) } ?? .dictionary(dictionary)
        }
        return KeyedDecodingContainer(KeyedDecoding(decoder: self, entries: entries))
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
        let value = try singleValue
        guard let array = value.array else { throw mismatch([Any].self, "an array", value) }
        return UnkeyedDecoding(decoder: self, array: array)
    }

    func singleValueContainer() throws -> any SingleValueDecodingContainer { SingleValueDecoding(decoder: self, value: try singleValue) }

    /// The value.
    ///
    /// - Throws: `DecodingError` if this is a row.
    var singleValue: Value {
        get throws {
            if case .value(let value) = content { return value }
            throw DecodingError.refusal(at: codingPath, "the columns of a row can only be decoded with a keyed container")
        }
    }

    /// The value.
    ///
    /// - Throws: `DecodingError` if it is not a blob.
    var blobValue: Value {
        get throws {
            let value = try singleValue
            guard decoding.source.isBlob(value) else { throw mismatch(decoding.types.blob, "a blob", value) }
            return value
        }
    }

    // MARK: Nested values

    @inline(__always)
    func scalar<T: StoredScalar>(_ type: T.Type, _ value: Value, at key: @autoclosure () -> (any CodingKey)?) throws -> T {
        if let scalar = T(stored: value) { return scalar }
        throw mismatch(type, value, at: key())
    }

    /// Decodes a nested value.
    func decode<T: Decodable>(_ type: T.Type, _ value: Value, at key: (any CodingKey)?) throws -> T {
        // Standard library collections also decode scalars with this function.
        if let string = try exactly(type, String.self, value, at: key) { return string }
        if let integer = try exactly(type, Int.self, value, at: key) { return integer }
        if let double = try exactly(type, Double.self, value, at: key) { return double }
        if let adapted = try StoredForm.decode(type, self, value, at: key) { return adapted }
        if type == decoding.types.blob {
            guard decoding.source.isBlob(value), let blob = decoding.source.makeBlob(for: value) as? T
            else { throw mismatch(type, "a blob", value, at: key) }
            return blob
        }
        if type == Data.self { throw DecodingError.refusal(at: path(to: key), "binary data is not stored in properties, use a Blob") }
        if type == Int128.self || type == UInt128.self {
            throw DecodingError.refusal(at: path(to: key), "integers of more than 64 bits are not stored")
        }
        do {
            return try T(from: ValueDecoder(value, at: key, in: self, as: type))
        } catch let error as DecodingError where error.isUnknownCase(of: type) {
            guard let value = decoding.types.defaultValue(type) as? T else { throw error }
            return value
        }
    }

    @inline(__always)
    private func exactly<T, Exact: StoredScalar>(
        _ type: T.Type,
        _ exact: Exact.Type,
        _ value: Value,
        at key: (any CodingKey)?
    ) throws -> T? {
        guard type == exact else { return nil }
        return try scalar(exact, value, at: key) as? T
    }

    /// Decodes a nested value that is stored as a scalar.
    func adapted<T: AdaptedScalar>(_ type: T.Type, _ value: Value, at key: (any CodingKey)?) throws -> T {
        if let scalar = T(adapted: value) { return scalar }
        switch value.type {
        case .array, .dictionary: return try T(former: ValueDecoder(value, at: key, in: self, as: type))
        case .string: throw DecodingError.refusal(at: path(to: key), "the string is not \(T.expectedText)")
        case .number where T.readsNumbers: throw DecodingError.refusal(at: path(to: key), "the number does not fit in \(type)")
        default: throw mismatch(type, T.expected, value, at: key)
        }
    }

    /// Returns the ID of the document if this decodes a whole document and `type` is ``ModelTypes/documentID``.
    @inline(__always)
    func documentID<T>(_ type: T.Type) -> T? {
        guard type == decoding.types.documentID, isObject, let identity = decoding.identity else { return nil }
        return decoding.types.documentID.init(identity.wrapped) as? T
    }

    /// The counter that was encoded for this property of the model; `nil` if the model is decoded from something else.
    var encodedCounter: PendingCount? {
        guard let key, let parent, parent.parent == nil else { return nil }
        return decoding.counters?.count(for: key.stringValue)
    }

    // MARK: Earlier versions

    private lazy var evolution = type.flatMap { ModelEvolution.of($0, decoding.types) }

    /// Returns the value of the first former key of a property that an object has.
    func formerValue(_ key: some CodingKey, _ value: (String) -> Value?) -> Value? {
        guard let former = evolution?.formerKeys[ExactString(key.stringValue)] else { return nil }
        return former.lazy.compactMap(value).first
    }

    /// The default value of this object as it would be stored; `nil` if it has none, or is itself a part of a default value.
    private(set) lazy var defaults: (decoder: ValueDecoder, values: DictionaryValue)? = findDefaults()

    private func findDefaults() -> (decoder: ValueDecoder, values: DictionaryValue)? {
        if decoding.isDefault { return nil }
        if let source = evolution?.defaults, let root = source.data.root, let values = root.dictionary {
            return (ValueDecoder(ModelDecoding(source, types: decoding.types, isDefault: true), .value(root), as: nil), values)
        }
        guard let key, !(key is ArrayIndexKey), let outer = parent?.defaults,
            let values = outer.values.value(for: key.stringValue, sharedKeys: outer.decoder.decoding.sharedKeys)?.dictionary
        else { return nil }
        return (outer.decoder, values)
    }

    // MARK: Errors

    func missing(_ key: some CodingKey) -> DecodingError {
        .keyNotFound(key, .init(codingPath: codingPath, debugDescription: "There is no value for this key."))
    }

    @inline(never)
    private func mismatch<T: StoredScalar>(_ type: T.Type, _ value: Value, at key: (any CodingKey)?) -> DecodingError {
        guard value.type == T.storedType else { return mismatch(type, "a value of type \(type)", value, at: key) }
        return .refusal(at: path(to: key), "the number does not fit in \(type)")
    }

    func mismatch(_ type: Any.Type, _ expectation: String, _ value: Value, at key: (any CodingKey)? = nil) -> DecodingError {
        let reason = "\(value.type.name) instead of \(expectation)"
        let context = DecodingError.Context(at: path(to: key), reason)
        return value.isNull ? .valueNotFound(type, context) : .typeMismatch(type, context)
    }
}

extension ValueType {
    fileprivate var name: String {
        switch self {
        case .null, .undefined: "null"
        case .boolean: "a boolean"
        case .number: "a number"
        case .string: "a string"
        case .data: "binary data"
        case .array: "an array"
        case .dictionary: "a dictionary"
        }
    }
}

extension DecodingError {
    /// Whether this is the error of an enumeration with raw values that none of its cases has the stored value.
    func isUnknownCase(of type: Any.Type) -> Bool {
        guard case .dataCorrupted = self else { return false }
        return type is any RawRepresentable.Type
    }
}

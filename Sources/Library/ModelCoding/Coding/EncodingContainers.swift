import Base

// The generic functions for scalars implement the fourteen functions that each protocol requires.

/// Returns the value as `type` if it is of exactly that type. Comparing types first is several times faster than a failing cast.
@inline(__always)
func exactly<Exact, T>(_ type: Exact.Type, _ value: T) -> Exact? { T.self == Exact.self ? value as? Exact : nil }

/// A keyed container, with the functions that do not depend on the order in which values are written.
protocol KeyedValueEncoding: KeyedEncodingContainerProtocol {
    var encoder: ValueEncoder { get }
}

extension KeyedValueEncoding {
    var codingPath: [any CodingKey] { encoder.codingPath }

    func nestedContainer<NestedKey: CodingKey>(keyedBy keyType: NestedKey.Type, forKey key: Key) -> KeyedEncodingContainer<NestedKey> {
        encoder.part(at: key).container(keyedBy: keyType)
    }

    func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer { encoder.part(at: key).unkeyedContainer() }

    func superEncoder() -> any Swift.Encoder { encoder.part(at: SuperKey.super, isSuperclass: true) }

    func superEncoder(forKey key: Key) -> any Swift.Encoder { encoder.part(at: key, isSuperclass: true) }
}

/// Encodes the properties of an object, or the entries of a dictionary.
struct KeyedEncoding<Key: CodingKey>: KeyedValueEncoding {
    let encoder: ValueEncoder

    func encodeNil(forKey key: Key) throws {
        try encoder.begin(key)
        encoder.writeNull()
    }

    @inline(__always)
    func encode<T: StoredScalar>(_ value: T, forKey key: Key) throws {
        try encoder.check(value, at: key)
        try encoder.begin(key)
        encoder.write(value, noticing: key)
    }

    func encode<T: Encodable>(_ value: T, forKey key: Key) throws {
        // Standard library collections also encode scalars with this function.
        if let string = exactly(String.self, value) { return try encode(string, forKey: key) }
        if let integer = exactly(Int.self, value) { return try encode(integer, forKey: key) }
        if let double = exactly(Double.self, value) { return try encode(double, forKey: key) }
        if let boolean = exactly(Bool.self, value) { return try encode(boolean, forKey: key) }
        guard try encoder.accepts(value, at: key) else { return }
        try encoder.begin(key)
        try encoder.write(value, at: key)
    }
}

/// Encodes the entries of a Swift dictionary, whose order differs between processes, sorted by the bytes of their keys
/// (API 1.4). The entries are written when the container ends.
///
/// Dictionaries whose keys are strings, integers or `CodingKeyRepresentable` encode themselves in a keyed container.
struct DictionaryEncoding<Key: CodingKey>: KeyedValueEncoding {
    let encoder: ValueEncoder

    /// Whether a container with such keys is that of a dictionary. The standard library uses one type of keys for all
    /// dictionaries, which it does not name.
    static var isUsed: Bool { ObjectIdentifier(Key.self) == dictionaryKeyType }

    func encodeNil(forKey key: Key) throws {
        try encoder.postpone(key.stringValue) { try KeyedEncoding<Key>(encoder: $0).encodeNil(forKey: key) }
    }

    func encode<T: Encodable>(_ value: T, forKey key: Key) throws {
        try encoder.postpone(key.stringValue) { try KeyedEncoding<Key>(encoder: $0).encode(value, forKey: key) }
    }
}

private let dictionaryKeyType = ObjectIdentifier(type(of: 0.codingKey))

/// An entry of a dictionary that is not written yet.
struct PostponedEntry {
    let key: String
    let write: (ValueEncoder) throws -> Void
}

extension [PostponedEntry] {
    /// The entries in ascending order of the keys' bytes.
    var sortedByKeyBytes: [PostponedEntry] { sorted { $0.key.isOrderedBefore($1.key) } }
}

/// Encodes the items of an array.
struct UnkeyedEncoding: UnkeyedEncodingContainer {
    let encoder: ValueEncoder

    var codingPath: [any CodingKey] { encoder.codingPath }

    var count: Int { encoder.count }

    private var key: ArrayIndexKey { ArrayIndexKey(count) }

    func encodeNil() throws {
        try encoder.beginItem()
        encoder.writeNull()
    }

    @inline(__always)
    func encode<T: StoredScalar>(_ value: T) throws {
        try encoder.check(value, at: key)
        try encoder.beginItem()
        encoder.write(value)
    }

    func encode<T: Encodable>(_ value: T) throws {
        if let string = exactly(String.self, value) { return try encode(string) }
        if let integer = exactly(Int.self, value) { return try encode(integer) }
        if let double = exactly(Double.self, value) { return try encode(double) }
        if let boolean = exactly(Bool.self, value) { return try encode(boolean) }
        let key = key
        guard try encoder.accepts(value, at: key) else { return }
        try encoder.beginItem()
        try encoder.write(value, at: key)
    }

    func nestedContainer<NestedKey: CodingKey>(keyedBy keyType: NestedKey.Type) -> KeyedEncodingContainer<NestedKey> {
        encoder.part(at: key).container(keyedBy: keyType)
    }

    func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer { encoder.part(at: key).unkeyedContainer() }

    func superEncoder() -> any Swift.Encoder { encoder.part(at: key) }
}

/// Encodes a value that is not a container, or that is encoded as another value.
struct SingleValueEncoding: SingleValueEncodingContainer {
    let encoder: ValueEncoder

    var codingPath: [any CodingKey] { encoder.codingPath }

    func encodeNil() throws {
        try encoder.beginSingle()
        encoder.writeNull()
    }

    @inline(__always)
    func encode<T: StoredScalar>(_ value: T) throws {
        try encoder.check(value, at: nil)
        try encoder.beginSingle()
        encoder.write(value)
    }

    func encode<T: Encodable>(_ value: T) throws {
        guard try encoder.accepts(value, at: nil) else { return }
        try encoder.beginSingle()
        try encoder.write(value, at: nil)
    }
}

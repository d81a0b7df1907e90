import Base
import Fleece

// The generic functions for scalars implement the fourteen functions that each protocol requires.

/// Decodes the properties of an object, or the entries of a dictionary.
struct KeyedDecoding<Key: CodingKey>: KeyedDecodingContainerProtocol {
    enum Entries {
        case dictionary(DictionaryValue)
        /// The properties of a model that has a key for the ID of its document.
        case identified(DictionaryValue, idKey: String, id: Value)
        case row(ResultRow)
    }

    let decoder: ValueDecoder
    let entries: Entries

    var codingPath: [any CodingKey] { decoder.codingPath }

    var allKeys: [Key] {
        switch entries {
        case .row(let row): return row.keys.compactMap(Key.init)
        case .dictionary(let dictionary): return keys(of: dictionary)
        case .identified(let dictionary, let idKey, _):
            let others = keys(of: dictionary).filter { !$0.stringValue.isExactly(idKey) }
            return others + (Key(stringValue: idKey).map { [$0] } ?? [])
        }
    }

    private func keys(of dictionary: DictionaryValue) -> [Key] {
        var keys: [Key] = []
        dictionary.forEach { key, _ in
            if let key = key.text(decoder.decoding.sharedKeys).flatMap(Key.init) { keys.append(key) }
        }
        return keys
    }

    @inline(__always)
    private func value(_ key: some CodingKey) -> Value? {
        switch entries {
        case .dictionary(let dictionary):
            dictionary.value(for: key.stringValue, sharedKeys: decoder.decoding.sharedKeys)
        case .identified(let dictionary, let idKey, let id):
            key.stringValue.isExactly(idKey) ? id : dictionary.value(for: key.stringValue, sharedKeys: decoder.decoding.sharedKeys)
        case .row(let row): row.value(for: key.stringValue)
        }
    }

    @inline(__always)
    private func existingValue(_ key: some CodingKey) throws -> Value {
        guard let value = value(key) else { throw decoder.missing(key) }
        return value
    }

    func contains(_ key: Key) -> Bool { value(key) != nil }

    func decodeNil(forKey key: Key) throws -> Bool { try existingValue(key).isNull }

    @inline(__always)
    func decode<T: StoredScalar>(_ type: T.Type, forKey key: Key) throws -> T { try decoder.scalar(type, existingValue(key), at: key) }

    @inline(__always)
    func decodeIfPresent<T: StoredScalar>(_ type: T.Type, forKey key: Key) throws -> T? {
        guard let value = value(key), !value.isNull else { return nil }
        return try decoder.scalar(type, value, at: key)
    }

    func decode<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T {
        if let id = decoder.documentID(type) { return id }
        return try decoder.decode(type, existingValue(key), at: key)
    }

    func decodeIfPresent<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T? {
        if let id = decoder.documentID(type) { return id }
        guard let value = value(key), !value.isNull else { return nil }
        return try decoder.decode(type, value, at: key)
    }

    func nestedContainer<NestedKey: CodingKey>(keyedBy type: NestedKey.Type, forKey key: Key) throws -> KeyedDecodingContainer<NestedKey> {
        try valueDecoder(key).container(keyedBy: type)
    }

    func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer { try valueDecoder(key).unkeyedContainer() }

    func superDecoder() throws -> any Swift.Decoder { try valueDecoder(SuperKey.super) }

    func superDecoder(forKey key: Key) throws -> any Swift.Decoder { try valueDecoder(key) }

    private func valueDecoder(_ key: some CodingKey) throws -> ValueDecoder { try ValueDecoder(existingValue(key), at: key, in: decoder) }
}

/// Decodes the items of an array.
struct UnkeyedDecoding: UnkeyedDecodingContainer {
    let decoder: ValueDecoder
    let array: ArrayValue
    private(set) var currentIndex = 0

    var codingPath: [any CodingKey] { decoder.codingPath }
    var count: Int? { array.count }
    var isAtEnd: Bool { currentIndex >= array.count }

    /// Returns the current item. The index advances only after the item has been decoded.
    private func item<T>(_ type: T.Type) throws -> Value {
        if let item = array[currentIndex] { return item }
        let reason = isAtEnd ? "the array has no more items" : "the item is damaged"
        throw DecodingError.valueNotFound(type, .init(at: decoder.path(to: ArrayIndexKey(currentIndex)), reason))
    }

    mutating func decodeNil() throws -> Bool {
        guard try item(Any?.self).isNull else { return false }
        currentIndex += 1
        return true
    }

    @inline(__always)
    mutating func decode<T: StoredScalar>(_ type: T.Type) throws -> T {
        try advance(after: decoder.scalar(type, item(type), at: ArrayIndexKey(currentIndex)))
    }

    mutating func decode<T: Decodable>(_ type: T.Type) throws -> T {
        try advance(after: decoder.decode(type, item(type), at: ArrayIndexKey(currentIndex)))
    }

    mutating func nestedContainer<NestedKey: CodingKey>(keyedBy type: NestedKey.Type) throws -> KeyedDecodingContainer<NestedKey> {
        try advance(after: itemDecoder.container(keyedBy: type))
    }

    mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer { try advance(after: itemDecoder.unkeyedContainer()) }

    mutating func superDecoder() throws -> any Swift.Decoder { try advance(after: itemDecoder) }

    @inline(__always)
    private mutating func advance<Decoded>(after decoded: Decoded) -> Decoded {
        currentIndex += 1
        return decoded
    }

    private var itemDecoder: ValueDecoder {
        get throws { try ValueDecoder(item(Any.self), at: ArrayIndexKey(currentIndex), in: decoder) }
    }
}

/// Decodes a value that is not a container, or that is encoded as another value.
struct SingleValueDecoding: SingleValueDecodingContainer {
    let decoder: ValueDecoder
    let value: Value

    var codingPath: [any CodingKey] { decoder.codingPath }

    func decodeNil() -> Bool { value.isNull }

    @inline(__always)
    func decode<T: StoredScalar>(_ type: T.Type) throws -> T { try decoder.scalar(type, value, at: nil) }

    func decode<T: Decodable>(_ type: T.Type) throws -> T { try decoder.decode(type, value, at: nil) }
}

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
    private func value(_ key: some CodingKey) -> Value? { value(for: key.stringValue) ?? formerValue(key) }

    @inline(__always)
    private func value(for key: String) -> Value? {
        switch entries {
        case .dictionary(let dictionary): dictionary.value(for: key, sharedKeys: decoder.decoding.sharedKeys)
        case .identified(let dictionary, let idKey, let id):
            key.isExactly(idKey) ? id : dictionary.value(for: key, sharedKeys: decoder.decoding.sharedKeys)
        case .row(let row): row.value(for: key)
        }
    }

    @inline(never)
    private func formerValue(_ key: some CodingKey) -> Value? { decoder.formerValue(key) { value(for: $0) } }

    @inline(__always)
    private func existingValue(_ key: some CodingKey) throws -> Value {
        guard let value = self.value(key) else { throw decoder.missing(key) }
        return value
    }

    /// Calls `body` with the default of a property, and the decoder of the default value that it belongs to. Returns `nil` if there is none.
    @inline(never)
    private func withDefault<T>(_ key: Key, _ body: (ValueDecoder, Value) throws -> T?) throws -> T? {
        guard let (decoder, values) = decoder.defaults,
            let value = values.value(for: key.stringValue, sharedKeys: decoder.decoding.sharedKeys)
        else { return nil }
        return try body(decoder, value)
    }

    /// Whether there is a value, or a default. The library asks this, and ``decodeNil(forKey:)``, for optional scalars.
    func contains(_ key: Key) -> Bool { value(key) != nil || hasDefault(key) }

    private func hasDefault(_ key: Key) -> Bool { (try? withDefault(key) { !$1.isNull }) ?? false }

    func decodeNil(forKey key: Key) throws -> Bool {
        if let value = self.value(key) { return value.isNull }
        guard hasDefault(key) else { throw decoder.missing(key) }
        return false
    }

    @inline(__always)
    func decode<T: StoredScalar>(_ type: T.Type, forKey key: Key) throws -> T {
        if let value = self.value(key), !value.isNull { return try decoder.scalar(type, value, at: key) }
        if let value = try withDefault(key, { try $0.scalar(type, $1, at: key) }) { return value }
        return try decoder.scalar(type, existingValue(key), at: key)
    }

    @inline(__always)
    func decodeIfPresent<T: StoredScalar>(_ type: T.Type, forKey key: Key) throws -> T? {
        guard let value = self.value(key) else { return try withDefault(key) { $1.isNull ? nil : try $0.scalar(type, $1, at: key) } }
        return value.isNull ? nil : try decoder.scalar(type, value, at: key)
    }

    func decode<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T {
        if let id = decoder.documentID(type) { return id }
        let found = value(key)
        do {
            return try decoder.decode(type, found ?? existingValue(key), at: key)
        } catch let error as DecodingError where found?.isNull ?? true || error.isUnknownCase(of: type) {
            guard let value = try withDefault(key, { try $0.decode(type, $1, at: key) }) else { throw error }
            return value
        }
    }

    func decodeIfPresent<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T? {
        if let id = decoder.documentID(type) { return id }
        guard let found = value(key) else { return try defaultIfPresent(type, key) }
        guard !found.isNull else { return nil }
        do {
            return try decoder.decode(type, found, at: key)
        } catch let error as DecodingError where error.isUnknownCase(of: type) {
            guard decoder.defaults != nil else { throw error }
            return try defaultIfPresent(type, key)
        }
    }

    private func defaultIfPresent<T: Decodable>(_ type: T.Type, _ key: Key) throws -> T? {
        try withDefault(key) { $1.isNull ? nil : try $0.decode(type, $1, at: key) }
    }

    func nestedContainer<NestedKey: CodingKey>(keyedBy type: NestedKey.Type, forKey key: Key) throws -> KeyedDecodingContainer<NestedKey> {
        try valueDecoder(key).container(keyedBy: type)
    }

    func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer { try valueDecoder(key).unkeyedContainer() }

    func superDecoder() throws -> any Swift.Decoder { try valueDecoder(SuperKey.super, isSuperclass: true) }

    func superDecoder(forKey key: Key) throws -> any Swift.Decoder { try valueDecoder(key, isSuperclass: true) }

    private func valueDecoder(_ key: some CodingKey, isSuperclass: Bool = false) throws -> ValueDecoder {
        try ValueDecoder(existingValue(key), at: key, in: decoder, isSuperclass: isSuperclass)
    }
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

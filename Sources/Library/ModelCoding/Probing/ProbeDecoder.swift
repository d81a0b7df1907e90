import Foundation

/// Decodes types from sample values, of which ``ModelProbe`` changes one at a time.
struct ProbeDecoder: Swift.Decoder {
    /// The nesting depth at which optional values are decoded as `nil` and arrays as empty.
    private static let maximumDepth = 8

    let record: ProbeRecord
    /// The path in a document.
    let path: [String]
    let depth: Int
    /// Whether this is within an array or a dictionary, where all values have the same path.
    let isInside: Bool
    /// The types that contain this value, except the model itself.
    private var types: [ObjectIdentifier] = []
    /// The place of the value in ``ProbeRecord/fields``.
    private(set) var place: ModelFields.Place

    init(_ record: ProbeRecord) {
        self.record = record
        path = []
        depth = 0
        isInside = false
        place = record.fields == nil ? .nowhere : .node(ModelFields.root)
    }

    /// Creates the decoder of a value in `outer`.
    private init(in outer: ProbeDecoder, path: [String], isInside: Bool, place: ModelFields.Place) {
        self.place = place
        record = outer.record
        self.path = path
        depth = outer.depth + 1
        self.isInside = isInside
        types = outer.types
    }

    var codingPath: [any CodingKey] { [] }
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    var isTooDeep: Bool { depth >= Self.maximumDepth }

    func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
        if path.isEmpty, record.acceptsKey == nil { record.acceptsKey = { Key(stringValue: $0) != nil } }
        var decoder = self
        decoder.place = record.fields?.open(type, at: place) ?? .nowhere
        return KeyedDecodingContainer(ProbeKeys<Key>(decoder: decoder))
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
        addLeaf()
        return ProbeElements(decoder: inside)
    }

    func singleValueContainer() throws -> any SingleValueDecodingContainer { ProbeValue(decoder: self) }

    // MARK: Places

    /// Returns the decoder of the value for a key.
    func at(_ key: some CodingKey) -> ProbeDecoder {
        let place = record.fields?.read(key.stringValue, at: place) ?? .nowhere
        return ProbeDecoder(in: self, path: isInside ? path : path + [key.stringValue], isInside: isInside, place: place)
    }

    /// The decoder of the elements.
    var inside: ProbeDecoder { ProbeDecoder(in: self, path: path, isInside: true, place: .nowhere) }

    func addLeaf() { record.leaves.insert(path) }

    // MARK: Values

    /// Returns a value of a type: a sample value, or one decoded by the type itself.
    func decode<T: Decodable>(_ type: T.Type) throws -> T {
        guard depth < 4 * Self.maximumDepth, !record.isFull else { throw refusal }
        if let value: T = madeUp() {
            addLeaf()
            record.add(value, at: path)
            return value
        }
        var decoder = self
        decoder.place = record.fields?.decode(type, at: place) ?? .nowhere
        decoder.types.append(ObjectIdentifier(type))
        do {
            let value = try T(from: decoder)
            record.add(value, at: path)
            return value
        } catch {
            guard let value: T = record.samples.value(isSecond: isChanged) else {
                record.noteRejection(by: type)
                throw error
            }
            record.add(value, at: path)
            return value
        }
    }

    /// Returns whether an optional value of a type is decoded as `nil`.
    func omits(_ type: Any.Type) -> Bool {
        _ = record.fields?.decode(type, at: place)
        return isTooDeep || record.isFull || types.count { $0 == ObjectIdentifier(type) } >= record.recursion
    }

    private var isChanged: Bool { record.changed == path }

    private func madeUp<T>() -> T? {
        if let cases = T.self as? any CaseIterable.Type { return Self.someCase(of: cases, isLast: isChanged) as? T }
        if T.self == record.types.documentID { return record.types.documentID.init(DocumentIdentity(isChanged ? "Zy_2" : "aB-1")) as? T }
        if T.self == record.types.blob {
            return record.types.blob.init(contentType: isChanged ? "b" : "a", data: Data([isChanged ? 2 : 1])) as? T
        }
        guard let values = Self.samples[ObjectIdentifier(T.self)] else { return nil }
        return (isChanged ? values().1 : values().0) as? T
    }

    private static func someCase<T: CaseIterable>(of type: T.Type, isLast: Bool) -> Any? {
        isLast ? Array(T.allCases).last : T.allCases.first
    }

    /// Two sample values for each type that encoders handle themselves. Most functions give different results for the two.
    private static let samples: [ObjectIdentifier: @Sendable () -> (Any, Any)] = {
        var samples: [ObjectIdentifier: @Sendable () -> (Any, Any)] = [:]
        func add<T>(_ make: @escaping @Sendable () -> (T, T)) { samples[ObjectIdentifier(T.self)] = make }
        func addInteger<T: FixedWidthInteger & Sendable>(_ type: T.Type) { add { (101 as T, 57 as T) } }
        add { ("aB-1", "Zy_2") }
        add { (false, true) }
        let integers: [any (FixedWidthInteger & Sendable).Type] = [
            Int.self, Int8.self, Int16.self, Int32.self, Int64.self, UInt.self, UInt8.self, UInt16.self, UInt32.self, UInt64.self,
        ]
        for type in integers { addInteger(type) }
        add { (101.25, 57.75) }
        add { (101.25 as Float, 57.75 as Float) }
        add { (Date(timeIntervalSince1970: 1_000_000), Date(timeIntervalSince1970: 2_000_000)) }
        add { (Data([1]), Data([2])) }
        add {
            (UUID(uuid: (1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)), UUID(uuid: (2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)))
        }
        add { (URL(fileURLWithPath: "/a"), URL(fileURLWithPath: "/b")) }
        add { (Decimal(sign: .plus, exponent: -2, significand: 10125), Decimal(sign: .plus, exponent: -2, significand: 5775)) }
        add { (Duration.seconds(101), Duration.seconds(57)) }
        // These types check the texts that they decode.
        add { (TimeZone.gmt, TimeZone(secondsFromGMT: 3600) ?? .current) }
        add { (Calendar(identifier: .gregorian), Calendar(identifier: .iso8601)) }
        return samples
    }()

    var refusal: DecodingError { .dataCorrupted(.init(codingPath: [], debugDescription: "The model is nested too deeply.")) }
}

/// The properties of an object, or the entries of a dictionary.
private struct ProbeKeys<Key: CodingKey>: KeyedDecodingContainerProtocol {
    /// Only dictionaries use `allKeys`. They get one entry, all of which has the path of the dictionary.
    private final class Kind {
        var isDictionary = false
    }

    let decoder: ProbeDecoder
    private let kind = Kind()

    var codingPath: [any CodingKey] { [] }

    var allKeys: [Key] {
        kind.isDictionary = true
        decoder.record.fields?.readAllKeys(Key.self, at: decoder.place)
        decoder.addLeaf()
        // Dictionaries with integer keys parse the text.
        return Key(stringValue: "1").map { [$0] } ?? []
    }

    private func at(_ key: some CodingKey) -> ProbeDecoder { kind.isDictionary ? decoder.inside : decoder.at(key) }

    func contains(_ key: Key) -> Bool {
        _ = at(key)
        return true
    }

    func decodeNil(forKey key: Key) throws -> Bool { !contains(key) }

    func decode<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T { try at(key).decode(type) }

    func decodeIfPresent<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T? {
        let decoder = at(key)
        return decoder.omits(type) ? nil : try? decoder.decode(type)
    }

    func nestedContainer<NestedKey: CodingKey>(keyedBy type: NestedKey.Type, forKey key: Key) throws -> KeyedDecodingContainer<NestedKey> {
        try at(key).container(keyedBy: type)
    }

    func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer { try at(key).unkeyedContainer() }

    func superDecoder() throws -> any Swift.Decoder { at(SuperKey.super) }

    func superDecoder(forKey key: Key) throws -> any Swift.Decoder { at(key) }
}

/// The single element of an array.
private struct ProbeElements: UnkeyedDecodingContainer {
    let decoder: ProbeDecoder
    private(set) var currentIndex = 0

    var codingPath: [any CodingKey] { [] }
    var count: Int? { decoder.isTooDeep ? 0 : 1 }
    var isAtEnd: Bool { decoder.isTooDeep || currentIndex > 0 }

    mutating func decodeNil() throws -> Bool { false }

    mutating func decode<T: Decodable>(_ type: T.Type) throws -> T {
        currentIndex += 1
        return try decoder.decode(type)
    }

    mutating func nestedContainer<NestedKey: CodingKey>(keyedBy type: NestedKey.Type) throws -> KeyedDecodingContainer<NestedKey> {
        currentIndex += 1
        return try decoder.container(keyedBy: type)
    }

    mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
        currentIndex += 1
        return try decoder.unkeyedContainer()
    }

    mutating func superDecoder() throws -> any Swift.Decoder { decoder }
}

private struct ProbeValue: SingleValueDecodingContainer {
    let decoder: ProbeDecoder

    var codingPath: [any CodingKey] { [] }

    func decodeNil() -> Bool { false }

    func decode<T: Decodable>(_ type: T.Type) throws -> T { try decoder.decode(type) }
}

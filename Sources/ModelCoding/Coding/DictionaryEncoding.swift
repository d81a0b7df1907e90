import ExactStrings

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

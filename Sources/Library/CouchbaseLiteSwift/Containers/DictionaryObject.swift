import Fleece

/// A dictionary inside a document or a query result: values for keys, read from the encoded data on access.
///
/// Immutable and thread-safe; see ``MutableDictionaryObject`` for a dictionary that can be changed. The typed getters
/// never fail: a missing value, or one of another type, is returned as `nil`, zero or `false`.
///
/// Keys are compared by their bytes.
///
/// - Complexity: Finding a key is O(log *n*), where *n* is the number of keys.
public class DictionaryObject: DictionaryProtocol, Equatable, Hashable, Sequence, @unchecked Sendable {
    // Unchecked is safe because contents are only changed through `MutableDictionaryObject`, which is documented to need external locking,
    // and the cache of an immutable dictionary has its own lock. For the same reason no exclusivity checks are needed.
    @exclusivity(unchecked) final var contents: DictionaryContents

    /// Creates a dictionary over the encoded dictionary `value`, which must be part of the source's data.
    init(source: FleeceSource, value: Value, isMutable: Bool) {
        contents = DictionaryContents(source: source, base: value, isMutable: isMutable)
    }

    init(_ contents: consuming DictionaryContents) { self.contents = contents }

    /// The number of keys.
    ///
    /// - Complexity: O(*m*), where *m* is the number of keys that were set or removed; O(1) for an immutable dictionary.
    public var count: Int { contents.count }

    /// The keys; each occurs once. Stored keys come first, in the order in which they are stored.
    ///
    /// - Complexity: O(*n*), where *n* is the number of keys.
    public var keys: [String] { contents.keys }

    /// Returns the value for `key`: a `String`, an `NSNumber` for numbers and booleans, `NSNull`, a ``Blob``, an ``ArrayObject`` or a
    /// ``DictionaryObject``; `nil` if there is none. Containers in a mutable dictionary are mutable.
    public func value(forKey key: String) -> Any? { contents.value(forKey: key).flatMap { $0.any(object(forKey: key)) } }

    // The typed getters, which `DictionaryProtocol` documents.

    public func string(forKey key: String) -> String? { contents.value(forKey: key)?.string }
    public func number(forKey key: String) -> NSNumber? { contents.value(forKey: key)?.number }
    public func int(forKey key: String) -> Int { contents.value(forKey: key)?.int ?? 0 }
    public func int64(forKey key: String) -> Int64 { contents.value(forKey: key)?.int64 ?? 0 }
    public func float(forKey key: String) -> Float { contents.value(forKey: key)?.float ?? 0 }
    public func double(forKey key: String) -> Double { contents.value(forKey: key)?.double ?? 0 }
    public func boolean(forKey key: String) -> Bool { contents.value(forKey: key)?.boolean ?? false }
    public func date(forKey key: String) -> Date? { contents.value(forKey: key)?.date }
    public func blob(forKey key: String) -> Blob? { object(forKey: key)?.blob }
    public func array(forKey key: String) -> ArrayObject? { object(forKey: key)?.array }
    public func dictionary(forKey key: String) -> DictionaryObject? { object(forKey: key)?.dictionary }
    public func contains(key: String) -> Bool { contents.value(forKey: key) != nil }

    /// Returns all values as Swift values: `[String: Any]`, `[Any]`, `String`, `NSNumber` and `NSNull`. Blobs remain ``Blob`` objects.
    ///
    /// Keys that Swift's `String` considers equal, such as both spellings of `é`, share one entry of the result; this
    /// dictionary itself contains each of them.
    ///
    /// - Complexity: O(*n* log *n*), where *n* is the number of values at all levels.
    public func toDictionary() -> [String: Any] { contents.plain }

    /// Returns an iterator over the keys.
    public func makeIterator() -> IndexingIterator<[String]> { keys.makeIterator() }

    /// Returns the value for `key` as a ``Fragment``, which does not exist if there is no value.
    public subscript(key: String) -> Fragment { Fragment(dictionary: self, key: key) }

    /// Returns the dictionary as JSON text, with the keys in the order in which they are stored; `{}`, and logs a
    /// warning, if the stored data is damaged. Calling it on a mutable dictionary is a programming error, which traps.
    ///
    /// - Complexity: O(*n*), where *n* is the number of values at all levels.
    public func toJSON() -> String { contents.json }

    /// Returns a mutable copy. Changes to the copy do not affect this dictionary.
    ///
    /// - Complexity: O(1) for an immutable dictionary; for a mutable one, O(*m*), where *m* is the number of keys that
    ///   were set or removed, nested containers included.
    public func toMutable() -> MutableDictionaryObject { MutableDictionaryObject(contents.mutableCopy()) }

    /// Returns whether both dictionaries contain equal values for the same keys. A mutable and an immutable dictionary can be equal.
    ///
    /// Blobs that have not been saved are compared by their content, which is read for this.
    ///
    /// - Complexity: O(*n* log *n*), where *n* is the number of values at all levels.
    public static func == (dict1: DictionaryObject, dict2: DictionaryObject) -> Bool {
        dict1 === dict2 || dict1.contents.isEqual(to: dict2.contents)
    }

    /// Hashes the keys and values.
    ///
    /// - Complexity: O(*n* log *n*), where *n* is the number of values at all levels.
    public func hash(into hasher: inout Hasher) { contents.hash(into: &hasher) }

    private func object(forKey key: String) -> PropertyObject? {
        contents.isMutable ? contents.mutableObject(forKey: key) : contents.object(forKey: key)
    }
}

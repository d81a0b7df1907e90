import Fleece

/// A dictionary inside a document or a query result: values under keys, read where they are stored.
///
/// Immutable and safe to use from any thread; see ``MutableDictionaryObject`` for one that can be changed. The typed
/// getters never fail: no value, or one of another type, reads as nil, zero or false.
public class DictionaryObject: DictionaryProtocol, Equatable, Hashable, Sequence, @unchecked Sendable {
    // Unchecked because contents are only changed through `MutableDictionaryObject`, which needs outside locking as
    // documented, and the cache of an immutable one locks itself. For the same reason accesses need no exclusivity checks.
    @exclusivity(unchecked) final var contents: DictionaryContents

    /// The stored dictionary `value`, which must be a part of the source's data.
    init(source: FleeceSource, value: Value, isMutable: Bool) {
        contents = DictionaryContents(source: source, base: value, isMutable: isMutable)
    }

    init(_ contents: consuming DictionaryContents) {
        self.contents = contents
    }

    /// How many keys there are.
    public var count: Int { contents.count }

    /// The keys, each once. Stored ones come first, in the order in which they are stored.
    public var keys: [String] { contents.keys }

    /// The value under `key`: a `String`, an `NSNumber` for numbers and booleans, `NSNull`, a ``Blob``, an ``ArrayObject`` or a
    /// ``DictionaryObject``, the mutable ones if this is mutable; nil when there is none.
    public func value(forKey key: String) -> Any? {
        guard let value = contents.value(forKey: key) else { return nil }
        guard case .stored(let stored) = value else { return value.any }
        return PropertyValue.scalar(stored)?.any ?? object(forKey: key)?.reference
    }

    /// The string under `key`; nil when there is none.
    public func string(forKey key: String) -> String? {
        contents.value(forKey: key)?.string
    }

    /// The number or boolean under `key`; nil when there is none.
    public func number(forKey key: String) -> NSNumber? {
        contents.value(forKey: key)?.number
    }

    /// The number under `key`, truncated towards zero and clamped; 1 for true; else 0.
    public func int(forKey key: String) -> Int {
        contents.value(forKey: key)?.int ?? 0
    }

    /// The number under `key`, truncated towards zero and clamped; 1 for true; else 0.
    public func int64(forKey key: String) -> Int64 {
        contents.value(forKey: key)?.int64 ?? 0
    }

    /// The number under `key`; 1 for true; else 0.
    public func float(forKey key: String) -> Float {
        contents.value(forKey: key)?.float ?? 0
    }

    /// The number under `key`; 1 for true; else 0.
    public func double(forKey key: String) -> Double {
        contents.value(forKey: key)?.double ?? 0
    }

    /// Whether the value under `key` is anything but false, zero, null or absent.
    public func boolean(forKey key: String) -> Bool {
        contents.value(forKey: key)?.boolean ?? false
    }

    /// The date that the string under `key` says in ISO-8601; nil when there is none.
    public func date(forKey key: String) -> Date? {
        contents.value(forKey: key)?.date
    }

    /// The blob under `key`; nil when there is none.
    public func blob(forKey key: String) -> Blob? {
        object(forKey: key)?.blob
    }

    /// The array under `key`; nil when there is none.
    public func array(forKey key: String) -> ArrayObject? {
        object(forKey: key)?.array
    }

    /// The dictionary under `key`; nil when there is none.
    public func dictionary(forKey key: String) -> DictionaryObject? {
        object(forKey: key)?.dictionary
    }

    /// Whether there is a value under `key`, be it null.
    public func contains(key: String) -> Bool {
        contents.value(forKey: key) != nil
    }

    /// All values as plain Swift ones: dictionaries, arrays, strings, `NSNumber`, `NSNull`. Blobs stay blobs.
    /// Of keys that Swift's strings take for equal, such as `é` in both of its spellings, one is there; the document itself holds each.
    public func toDictionary() -> [String: Any] {
        contents.plain
    }

    /// Goes through the keys.
    public func makeIterator() -> IndexingIterator<[String]> {
        keys.makeIterator()
    }

    /// The value under `key`, which need not exist, as a step of a path.
    public subscript(key: String) -> Fragment {
        Fragment(dictionary: self, key: key)
    }

    /// The dictionary as JSON, keys in the order in which they are stored. Not for a mutable one, which is a misuse.
    public func toJSON() -> String {
        contents.json
    }

    /// A copy that can be changed; changes do not reach this one.
    public func toMutable() -> MutableDictionaryObject {
        MutableDictionaryObject(contents.mutableCopy())
    }

    /// Whether both hold equal values under the same keys, whatever their mutability.
    public static func == (dict1: DictionaryObject, dict2: DictionaryObject) -> Bool {
        dict1 === dict2 || dict1.contents.isEqual(to: dict2.contents)
    }

    /// Feeds the values into `hasher`.
    public func hash(into hasher: inout Hasher) {
        contents.hash(into: &hasher)
    }

    private func object(forKey key: String) -> PropertyObject? {
        contents.isMutable ? contents.mutableObject(forKey: key) : contents.object(forKey: key)
    }
}

import DocumentStore
import ExactStrings
import Fleece
import Synchronization

/// A document as it was read: a JSON object with an ID, of which every property is read where it is stored.
///
/// Immutable and safe to use from any thread; ``toMutable()`` gives a copy that can be changed and saved. The typed
/// getters never fail: no value, or one of another type, reads as nil, zero or false.
///
/// ```swift
/// let document = try collection.document(id: "airport_1254")
/// print(document?.string(forKey: "airportname"), document?["geo"]["alt"].int)
/// ```
public class Document: DictionaryProtocol, Equatable, Hashable, Sequence, @unchecked Sendable {
    // Unchecked because contents are only changed through `MutableDocument`, which needs outside locking as
    // documented, and the cache of an immutable one locks itself. For the same reason accesses need no exclusivity checks.
    @exclusivity(unchecked) final var contents: DictionaryContents
    private final let state: Mutex<TransactionalValue<SavedState>>

    /// The ID, unique in the collection.
    public final let id: String

    /// Which revision the document is, and where.
    private struct SavedState: Sendable {
        var revision: RevisionID?
        var sequence: UInt64
        var collection: Collection?
        var canBeMutable = true
    }

    /// A document as it is stored. The root of `body` should be a dictionary; another reads as an empty one.
    init(id: String, revision: RevisionID?, sequence: UInt64, body: FleeceData, sharedKeys: SharedKeys, collection: Collection?) {
        self.id = id
        state = Mutex(TransactionalValue(SavedState(revision: revision, sequence: sequence, collection: collection)))
        let source = FleeceSource(data: body, sharedKeys: sharedKeys, database: collection?.database)
        contents = DictionaryContents(source: source, base: body.root, isMutable: false)
    }

    /// A document that is `original` with other contents, or a new one.
    init(id: String, _ contents: consuming DictionaryContents, original: Document? = nil) {
        self.id = id
        self.contents = contents
        state = Mutex(
            original?.state.withLock { $0 }
                ?? TransactionalValue(SavedState(revision: nil, sequence: 0, collection: nil))
        )
    }

    /// The ID of the revision that was read or saved last; nil when the document was never saved.
    public final var revisionID: String? { revision?.description }

    /// The place of the revision in the order of all changes in the collection; 0 when the document was never saved.
    public final var sequence: UInt64 { state.withLock { $0.value.sequence } }

    /// The collection it was read from or saved in; nil when it was never saved. A document is saved in no other collection unless
    /// this is set to it, or to nil.
    public final var collection: Collection? {
        get { state.withLock { $0.value.collection } }
        set { state.withLock { $0.value.collection = newValue } }
    }

    /// The revision that was read or saved last; nil when the document was never saved.
    final var revision: RevisionID? { state.withLock { $0.value.revision } }

    /// The document has become another revision: it was saved or deleted.
    ///
    /// - Parameter fate: That of the batch in which it happened. When it fails, the document goes back to what it was before.
    final func didSave(revision: RevisionID, sequence: UInt64, collection: Collection, fate: TransactionOutcome?) {
        let saved = SavedState(revision: revision, sequence: sequence, collection: collection)
        state.withLock { $0.set(saved, fate: fate) }
    }

    /// The document was purged, and is like a new one, which belongs to no collection.
    ///
    /// - Parameter fate: See ``didSave(revision:sequence:collection:fate:)``.
    final func didPurge(fate: TransactionOutcome?) {
        state.withLock { $0.set(SavedState(revision: nil, sequence: 0, collection: nil), fate: fate) }
    }

    /// Makes ``toMutable()`` a misuse from now on: the document is handed to a replication filter.
    final func forbidMutableCopies() {
        state.withLock { $0.value.canBeMutable = false }
    }

    /// The IDs of the revisions that led to this one, newest first, separated by commas; nil when it was never saved.
    public func _getRevisionHistory() -> String? {
        let state = state.withLock { $0.value }
        return state.revision.flatMap { state.collection?.revisionHistory(ofDocument: id, from: $0) }
    }

    /// A copy that can be changed and saved; changes do not reach this one. Not for a document that a replication filter was given,
    /// which is a misuse.
    public func toMutable() -> MutableDocument {
        guard state.withLock({ $0.value.canBeMutable }) else {
            _CBLMisuse.inconsistency("Documents from a replication filter cannot be edited.")
        }
        return MutableDocument(self)
    }

    /// The document as JSON, keys in the order in which they are stored. Not for a mutable one, which is a misuse.
    public func toJSON() -> String {
        contents.json
    }

    /// Whether both have the same collection, ID and equal values, whatever their mutability.
    public static func == (doc1: Document, doc2: Document) -> Bool {
        if doc1 === doc2 { return true }
        guard doc1.id.isExactly(doc2.id), doc1.collection == doc2.collection else { return false }
        return doc1.contents.isEqual(to: doc2.contents)
    }

    /// Feeds the ID and the values into `hasher`.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(id)
        contents.hash(into: &hasher)
    }

    // MARK: Values

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

    private func object(forKey key: String) -> PropertyObject? {
        contents.isMutable ? contents.mutableObject(forKey: key) : contents.object(forKey: key)
    }
}

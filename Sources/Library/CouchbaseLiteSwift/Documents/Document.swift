import Base
import DocumentStore
import Fleece
import Synchronization

/// A snapshot of a stored document: a JSON object with an ID.
///
/// A `Document` is immutable and thread-safe. It holds its own copy of the stored revision, so it does not change when the document is
/// saved again, and reading its properties does not access the database; only the content of blobs is read from disk. ``toMutable()``
/// returns a copy that can be changed and saved.
///
/// The typed getters never fail: if a value is missing or has another type, they return `nil`, zero or `false`.
///
/// ```swift
/// let document = try collection.document(id: "airport_1254")
/// print(document?.string(forKey: "airportname"), document?["geo"]["alt"].int)
/// ```
public class Document: DictionaryProtocol, Equatable, Hashable, Sequence, @unchecked Sendable {
    // Unchecked: `contents` changes only in a `MutableDocument`, which is documented as not thread-safe. The cache in the contents of an
    // immutable document has its own lock. For the same reason, accesses need no exclusivity checks.
    @exclusivity(unchecked) final var contents: DictionaryContents
    private final let state: Mutex<TransactionalValue<SavedState>>

    /// The document's ID, which is unique in its collection.
    public final let id: String

    /// The revision that the object represents, and the collection it belongs to.
    private struct SavedState: Sendable {
        var revision: RevisionID?
        var sequence: UInt64
        var collection: Collection?
        var canBeMutable = true
    }

    /// Creates a document from a stored revision. The root of `body` should be a dictionary; any other root is read as an empty dictionary.
    init(id: String, revision: RevisionID?, sequence: UInt64, body: FleeceData, sharedKeys: SharedKeys, collection: Collection?) {
        self.id = id
        state = Mutex(TransactionalValue(SavedState(revision: revision, sequence: sequence, collection: collection)))
        let source = FleeceSource(data: body, sharedKeys: sharedKeys, database: collection?.database)
        contents = DictionaryContents(source: source, base: body.root, isMutable: false)
    }

    /// Creates a copy of `original` with other contents, or a new document.
    init(id: String, _ contents: consuming DictionaryContents, original: Document? = nil) {
        self.id = id
        self.contents = contents
        state = Mutex(original?.state.withLock { $0 } ?? TransactionalValue(SavedState(revision: nil, sequence: 0, collection: nil)))
    }

    /// The ID of the revision that was last read or saved; `nil` if the document has never been saved.
    public final var revisionID: String? { revision?.description }

    /// The time of the revision that was last read or saved, in nanoseconds since 1970; 0 if the document has never been saved.
    ///
    /// The time is that of the version, as the database that made it has noted it, and the last 16 bits are a counter. A revision of a revision tree
    /// has no time: then this is its generation, the number of revisions in its history, so that every version counts as later.
    public final var timestamp: UInt64 { revision?.timestamp ?? 0 }

    /// The sequence number of the revision, which orders all changes in the collection; 0 if the document has never been saved.
    public final var sequence: UInt64 { state.withLock { $0.value.sequence } }

    /// The collection that the document was read from or saved in; `nil` if the document has never been saved.
    ///
    /// A document can be saved, deleted and purged only in this collection. To save it in another one, first set this property to the other
    /// collection or to `nil`.
    public final var collection: Collection? {
        get { state.withLock { $0.value.collection } }
        set {
            // The last reference to a collection must not be released while holding the lock.
            let old = state.withLock { state in
                defer { state.value.collection = newValue }
                return state.value.collection
            }
            withExtendedLifetime(old) {}
        }
    }

    /// The revision that was last read or saved; `nil` if the document has never been saved.
    final var revision: RevisionID? { state.withLock { $0.value.revision } }

    /// Updates the revision after the document was saved or deleted.
    ///
    /// - Parameter transactionOutcome: The outcome of the batch in which the document was saved. If the batch is rolled back, the document returns to its
    ///   previous revision.
    final func didSave(revision: RevisionID, sequence: UInt64, collection: Collection, transactionOutcome: TransactionOutcome?) {
        replaceState(SavedState(revision: revision, sequence: sequence, collection: collection), transactionOutcome: transactionOutcome)
    }

    /// Resets the document to an unsaved one without a collection, after it was purged.
    ///
    /// - Parameter transactionOutcome: See ``didSave(revision:sequence:collection:transactionOutcome:)``.
    final func didPurge(transactionOutcome: TransactionOutcome?) {
        replaceState(SavedState(revision: nil, sequence: 0, collection: nil), transactionOutcome: transactionOutcome)
    }

    /// Replaces all but ``SavedState/canBeMutable``, which belongs to the object and not to its revision.
    private func replaceState(_ new: SavedState, transactionOutcome: TransactionOutcome?) {
        state.withLock { state in
            var new = new
            new.canBeMutable = state.value.canBeMutable
            state.set(new, transactionOutcome: transactionOutcome)
        }
    }

    /// Makes ``toMutable()`` a programming error. Called for documents that are passed to a replication filter.
    final func forbidMutableCopies() { state.withLock { $0.value.canBeMutable = false } }

    /// Returns the IDs of the document's revision and of its known ancestors, newest first, separated by commas. Of a revision with a version
    /// it is the version vector as it is sent to others, followed by known IDs in trees (Version vectors 4.3).
    ///
    /// Reads from disk. If the revision is no longer stored, the result contains only its own ID. For tests and diagnosis.
    ///
    /// - Returns: `nil` if the document has never been saved, or if its collection can no longer be read.
    public func _getRevisionHistory() -> String? {
        let state = state.withLock { $0.value }
        return state.revision.flatMap { state.collection?.revisionHistory(ofDocument: id, from: $0) }
    }

    /// Returns a copy that can be changed and saved. Changes to the copy do not affect this document.
    ///
    /// Calling this for a document that was passed to a replication filter is a programming error and ends the process.
    public func toMutable() -> MutableDocument {
        guard state.withLock({ $0.value.canBeMutable }) else {
            _CBLMisuse.inconsistency("Documents from a replication filter cannot be edited.")
        }
        return MutableDocument(self)
    }

    /// Returns the properties as compact JSON, with the keys in stored order.
    ///
    /// Calling this for a ``MutableDocument`` is a programming error and ends the process.
    ///
    /// - Complexity: O(*n*), where *n* is the size of the document.
    public func toJSON() -> String { contents.json }

    /// Returns whether two documents belong to the same collection and have equal IDs and properties. Whether they are mutable does not
    /// matter.
    ///
    /// - Complexity: O(*n*), where *n* is the size of the documents.
    public static func == (doc1: Document, doc2: Document) -> Bool {
        if doc1 === doc2 { return true }
        guard doc1.id.isExactly(doc2.id), doc1.collection == doc2.collection else { return false }
        return doc1.contents.isEqual(to: doc2.contents)
    }

    /// Feeds the ID and the properties into `hasher`.
    ///
    /// - Complexity: O(*n*), where *n* is the size of the document.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(id)
        contents.hash(into: &hasher)
    }

    // MARK: Values

    /// The number of properties.
    ///
    /// - Complexity: O(*k*), where *k* is the number of properties that were changed.
    public var count: Int { contents.count }

    /// The keys of all properties, without duplicates. Stored keys come first, in stored order; added keys follow.
    ///
    /// - Complexity: O(*n*), where *n* is the number of properties.
    public var keys: [String] { contents.keys }

    /// Returns the value for `key`.
    ///
    /// - Returns: A `String`, an `NSNumber` for a number or boolean, `NSNull`, a ``Blob``, an ``ArrayObject`` or a ``DictionaryObject``;
    ///   the latter two are mutable if this document is. `nil` if there is no value.
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

    /// Returns all properties as plain Swift values: dictionaries, arrays, strings, `NSNumber` and `NSNull`. Blobs remain ``Blob`` objects.
    ///
    /// Swift compares strings by canonical equivalence: of keys that differ only in their Unicode normalization, such as the two spellings
    /// of `é`, the result contains only one, whereas the document contains each.
    ///
    /// - Complexity: O(*n*), where *n* is the size of the document.
    public func toDictionary() -> [String: Any] { contents.plain }

    /// Returns an iterator over the keys.
    public func makeIterator() -> IndexingIterator<[String]> { keys.makeIterator() }

    /// Returns a fragment that represents the value for `key`, which may be missing. Fragments can be chained to read nested values.
    public subscript(key: String) -> Fragment { Fragment(dictionary: self, key: key) }

    private func object(forKey key: String) -> PropertyObject? {
        contents.isMutable ? contents.mutableObject(forKey: key) : contents.object(forKey: key)
    }
}

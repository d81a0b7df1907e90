import Base
import DatabaseRuntime
package import DocumentStore
import Fleece
import ModelCoding

/// A collection of documents.
///
/// Thread-safe. Once the collection is deleted, or its database is closed or deleted, functions throw ``CBLError/notOpen``.
///
/// Functions that read do not wait for writers, but at most four reads of a database run at the same time. They see the last commit or,
/// inside a batch, the changes of the batch. Functions that write wait for the transactions of other threads without a time limit. For a
/// transaction of another process they wait at most 10 seconds, and then throw ``CBLError/busy``. Tasks call them
/// inside of ``Database/read(_:)`` and ``Database/write(_:)``.
public final class Collection: Sendable {
    /// The name of the default collection, which always exists: `_default`.
    public static let defaultCollectionName = CollectionID.defaultName

    /// The `Database` object that the collection was obtained from.
    public let database: Database
    /// The collection in the file of the database.
    package let store: CollectionStore

    init(_ store: CollectionStore, database: Database) { (self.store, self.database) = (store, database) }

    /// The name, without the scope.
    public var name: String { store.id.name }

    /// The name of the scope, a period and the name of the collection.
    public var fullName: String { store.id.fullName }

    /// The scope that the collection belongs to.
    public var scope: Scope { Scope(store.id.scope, database: database) }

    /// Whether the collection exists, as seen by its `Database` object, and the database is open.
    var isValid: Bool { (try? database.withFile { _ in store.exists }) ?? false }

    /// Runs `body` with the open file, and converts its errors to public ones (API 14).
    ///
    /// - Throws: `notOpen` if the database is closed, or the collection was deleted.
    func withOpenFile<Result>(_ body: (DatabaseFile) throws -> Result) throws -> Result {
        // Code of the app may throw a `CancellationError`, for example the `encode(to:)` of a model.
        do { return try database.core.withFile(of: store, body) } catch { throw LibraryError.thrown(error) }
    }

    /// The number of documents, without deleted ones; 0 if the collection cannot be read, for example because it was deleted.
    ///
    /// - Complexity: The first call reads from disk, in O(*n*), where *n* is the number of documents. Then the count follows the changes that
    ///   this process makes, in O(1); after changes by other processes, and from time to time, the documents are counted again.
    public var count: UInt64 { (try? withOpenFile { _ in try store.count() }) ?? 0 }

    /// Reads a document.
    ///
    /// - Returns: The document; `nil` if it does not exist or was deleted.
    /// - Throws: ``CBLError/corruptRevisionData`` if the stored document is damaged; ``CBLError/notOpen`` if the collection was deleted or
    ///   its database is closed.
    /// - Complexity: O(log *n*), where *n* is the number of documents. Reads from disk.
    public func document(id: String) throws -> Document? {
        try withOpenFile { _ in try store.document(id).map { Document($0, collection: self) } }
    }

    /// Reads the document with the ID `key`, and returns a fragment that represents it. The document may be missing.
    ///
    /// An error is logged as a warning, and the document is treated as missing.
    public subscript(key: String) -> DocumentFragment { DocumentFragment(Self.readable(key) { try document(id: key) }) }

    /// Returns the document that `read` returns. Logs an error as a warning, and returns `nil` then.
    static func readable(_ id: String, _ read: () throws -> Document?) -> Document? {
        do {
            return try read()
        } catch {
            warn("document \"\(id)\" cannot be read: \(error.localizedDescription)")
            return nil
        }
    }
}

extension Collection: Equatable, Hashable {
    /// Returns whether two objects represent the same collection of the same database. A collection that was deleted, or whose database is
    /// closed, is equal only to the identical object.
    public static func == (lhs: Collection, rhs: Collection) -> Bool {
        if lhs === rhs { return true }
        guard lhs.isValid, rhs.isValid else { return false }
        return lhs.store.id == rhs.store.id && lhs.database.path?.isExactly(rhs.database.path) == true
    }

    /// Feeds the names of the collection and its scope into `hasher`.
    public func hash(into hasher: inout Hasher) { hasher.combine(store.id) }
}

extension Collection {
    /// Returns the IDs of a document's revision and its known ancestors, newest first, separated by commas; `nil` if the collection cannot
    /// be read.
    func revisionHistory(ofDocument id: String, from revision: RevisionID) -> String? {
        try? withOpenFile { _ in try store.historyText(of: id, from: revision) }
    }
}

extension Document {
    /// Creates the document from its stored record.
    convenience init(_ record: DocumentRecord, collection: Collection) {
        self.init(
            id: record.id,
            revision: record.revision,
            sequence: record.sequence,
            body: record.body,
            sharedKeys: record.sharedKeys,
            collection: collection
        )
    }
}

extension Collection {
    /// Sets the date at which a document expires, rounded to milliseconds.
    ///
    /// An expired document is purged in the background: at its expiration date, or shortly after the database is next opened. Setting the
    /// date changes neither the document's revision nor its sequence number.
    ///
    /// - Parameter id: The ID of the document.
    /// - Parameter expiration: The expiration date; `nil` means that the document does not expire. A date in the past purges the document at
    ///   once, but possibly after this function has returned.
    /// - Throws: ``CBLError/notFound`` if there is no such document; ``CBLError/notOpen`` if the collection was deleted or its database is
    ///   closed; ``CBLError/busy`` and ``CBLError/notWriteable`` as for ``save(document:)``.
    public func setDocumentExpiration(id: String, expiration: Date?) throws {
        try withOpenFile { file in
            let milliseconds = expiration.map { max(1, $0.milliseconds) }
            let isSet = try file.transaction { try store.setExpiration(milliseconds, of: id, in: $0) }
            if !isSet { throw StoreError.notFound(what: "document \"\(id)\"") }
        }
    }

    /// Returns the date at which a document expires; `nil` if it does not expire or does not exist.
    ///
    /// - Throws: ``CBLError/notOpen`` if the collection was deleted or its database is closed.
    public func getDocumentExpiration(id: String) throws -> Date? {
        try withOpenFile { _ in
            try store.document(id, includingDeleted: true)?.expiration
                .map { Date(timeIntervalSince1970: Double($0) / 1000) }
        }
    }
}

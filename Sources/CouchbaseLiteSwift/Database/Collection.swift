import DocumentStore
import ExactStrings
import SQLiteEngine

/// A collection of documents.
///
/// Safe to use from any thread. When the collection, or its database, has been deleted or closed, functions throw `notOpen`.
public final class Collection: Sendable {
    /// The name of the collection that always exists.
    public static let defaultCollectionName = CollectionID.defaultName

    /// The database, the very object the collection was got from.
    public let database: Database
    let store: CollectionStore

    init(_ store: CollectionStore, database: Database) {
        self.store = store
        self.database = database
    }

    /// The name, without the scope's.
    public var name: String { store.id.name }

    /// `scope.collection`.
    public var fullName: String { store.id.fullName }

    /// The scope the collection belongs to.
    public var scope: Scope { Scope(store.id.scope, database: database) }

    /// Whether the collection and its database can still be used.
    var isValid: Bool { store.exists && database.path != nil }

    /// The open store.
    ///
    /// - Throws: `notOpen` once the database is closed or the collection deleted.
    func openStore() throws(StoreError) -> (DatabaseFile, CollectionStore) {
        let file = try database.openFile()
        guard store.exists else { throw notOpen }
        return (file, store)
    }

    /// Runs `body` with the open file, and turns what is thrown into what an app gets to see.
    ///
    /// - Throws: `notOpen` once the database is closed or the collection deleted.
    func withOpenFile<Result>(_ body: (DatabaseFile) throws -> Result) throws -> Result {
        do {
            let (file, store) = try openStore()
            do {
                return try file.onBehalf(of: BatchOwner(database)) { try body(file) }
            } catch let error as SQLiteError {
                // Another process may have deleted the collection, or the batch that made it was taken back.
                guard (try? file.stillHolds(store)) != false else { throw notOpen }
                throw error
            }
        } catch {
            throw publicError(error)
        }
    }

    var notOpen: StoreError { .notOpen(what: "collection \"\(fullName)\"") }

    /// How many documents there are; 0 when the collection cannot be used any more.
    public var count: UInt64 {
        (try? withOpenFile { _ in try store.count() }) ?? 0
    }

    /// The document with that ID; nil when there is none or it has been deleted.
    ///
    /// - Throws: `notOpen`; `corruptRevisionData` when the stored document is damaged.
    public func document(id: String) throws -> Document? {
        try withOpenFile { _ in try store.document(id).map { Document($0, collection: self) } }
    }

    /// The document with that ID as a fragment, whether or not there is one.
    public subscript(key: String) -> DocumentFragment {
        let document: Document?
        do {
            document = try self.document(id: key)
        } catch {
            warn("document \"\(key)\" cannot be read: \(error.localizedDescription)")
            document = nil
        }
        return DocumentFragment(document)
    }
}

extension Collection: Equatable, Hashable {
    /// Whether both are the same collection of the same database, and both can still be used.
    public static func == (lhs: Collection, rhs: Collection) -> Bool {
        if lhs === rhs { return true }
        guard lhs.isValid, rhs.isValid else { return false }
        return lhs.store.id == rhs.store.id && lhs.database.path?.isExactly(rhs.database.path) == true
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(store.id)
    }
}

extension Collection {
    /// The IDs of a document's revision and its ancestors, as far as they are known, newest first, separated by commas; nil when the
    /// collection cannot be used any more.
    func revisionHistory(ofDocument id: String, from revision: RevisionID) -> String? {
        guard let history = try? withOpenFile({ _ in try store.history(of: id, from: revision) ?? [revision] }) else { return nil }
        return history.map(\.description).joined(separator: ",")
    }
}

extension Document {
    /// The document as it is stored.
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

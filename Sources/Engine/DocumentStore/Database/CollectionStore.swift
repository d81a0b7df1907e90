import Synchronization

/// A collection of documents in a file. Thread-safe.
///
/// Reading uses a connection of the pool, or the writer's connection inside a transaction of the same thread. Changes must be made inside
/// ``DatabaseFile/transaction(_:)``.
package final class CollectionStore: Sendable {
    /// The names of the collection and its scope.
    package let id: CollectionID
    /// The SQL tables of the collection.
    package let tables: CollectionTables
    /// A small number that is unique among the existing collection objects of the file, used as an index into arrays of cached state. It is
    /// used again when the object has been released.
    let ordinal: Int
    /// A number that no other collection object of the file has or had.
    let number: Int
    // A reference cycle with the file, which releases its collections when it is closed.
    let file: DatabaseFile
    private let isDropped = Atomic(false)
    /// Whether the open transaction has deleted the collection.
    private let isBeingDropped = Atomic(false)

    init(_ id: CollectionID, tables: CollectionTables, ordinal: Int, number: Int, file: DatabaseFile) {
        self.id = id
        self.tables = tables
        self.ordinal = ordinal
        self.number = number
        self.file = file
    }

    deinit {
        file.knownCollections.free(ordinal)
    }

    /// The file that contains the collection.
    package var databaseFile: DatabaseFile { file }

    /// Whether the collection exists, as seen by the calling thread: a deletion that is not committed is visible only inside its
    /// transaction. It stays `false` after the collection was deleted, even if a new collection with the same name was created.
    package var exists: Bool {
        if isDropped.load(ordering: .relaxed) { return false }
        return !isBeingDropped.load(ordering: .relaxed) || !(file.writerIfWritable?.isInTransactionOfThisThread ?? false)
    }

    func markDropped(_ dropped: Bool = true) {
        isDropped.store(dropped, ordering: .relaxed)
    }

    func markBeingDropped(_ dropped: Bool = true) {
        isBeingDropped.store(dropped, ordering: .relaxed)
    }

    /// - Throws: `notOpen` if the collection has been deleted.
    func checkExists() throws(StoreError) {
        if !exists { throw notOpen }
    }

    /// The error of a function whose collection was deleted, or whose database is closed.
    package var notOpen: StoreError { .notOpen(what: "collection \"\(id.fullName)\"") }
}

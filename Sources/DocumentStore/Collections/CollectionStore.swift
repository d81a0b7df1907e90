import Synchronization

/// A collection of documents in a file.
///
/// Reading takes a connection of the pool, or the writer's inside a transaction of the same thread. Changing is done inside
/// ``DatabaseFile/transaction(_:)``.
package final class CollectionStore: Sendable {
    package let id: CollectionID
    package let tables: CollectionTables
    /// A small number that is this object's alone among those of the file, for tables of per-collection things.
    let ordinal: Int
    // The file knows its collections too, until it is closed.
    let file: DatabaseFile
    private let isDropped = Atomic(false)

    init(_ id: CollectionID, tables: CollectionTables, ordinal: Int, file: DatabaseFile) {
        self.id = id
        self.tables = tables
        self.ordinal = ordinal
        self.file = file
    }

    /// False once the collection has been deleted, also if one of the same name has been created since.
    package var exists: Bool { !isDropped.load(ordering: .relaxed) }

    func markDropped(_ dropped: Bool = true) {
        isDropped.store(dropped, ordering: .relaxed)
    }

    /// - Throws: `notOpen` when the collection has been deleted.
    func checkExists() throws(StoreError) {
        if !exists { throw .notOpen(what: "collection \"\(id.fullName)\"") }
    }
}

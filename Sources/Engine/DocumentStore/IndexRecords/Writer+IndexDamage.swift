import Base
import SQLiteEngine

extension Writer {
    /// Runs a statement that changes documents. If an index does not contain the entry of a document that is changed, the indexes of the
    /// collection are rebuilt, and the statement is run once more.
    ///
    /// The statement has not changed the document then: SQLite changes the indexes of a row first. What it, or triggers before it, have
    /// changed in other indexes and tables, is what the second run would change.
    @inline(__always)
    func changing<Result>(_ collection: CollectionStore, _ body: () throws -> Result) throws -> Result {
        do {
            return try body()
        } catch let error as SQLiteError where error.isIndexDamage {
            try rebuildIndexes(of: collection)
            return try body()
        }
    }

    /// Rebuilds the SQL indexes on the tables of a collection, also those of array elements.
    private func rebuildIndexes(of collection: CollectionStore) throws {
        let tables = try connection.texts("SELECT DISTINCT tbl_name FROM sqlite_master WHERE type = 'index'")
        let owners = try TableOwners(on: connection)
        for table in tables where owners.store(of: table)?.isExactly(collection.tables.store) ?? false {
            try connection.execute("REINDEX \(table.quotedIdentifier)")
        }
        renewal.noteIndexChange()
        renewal.log(
            .warning,
            "rebuilt the indexes of collection \(collection.id.fullName) of the database at \(connection.path), in which entries were missing"
        )
    }
}

import Base
import SQLiteEngine

extension Writer {
    /// Describes to ``renewal`` in which state indexes are current now, and how they are rebuilt.
    func indexConditions(_ support: IndexSupport) -> IndexRenewal.Conditions {
        IndexRenewal.Conditions(
            knowledge: support.dependencies,
            zone: context.evaluation.localZone,
            connection: connection,
            path: context.file?.bundle.directory ?? connection.path
        ) { [self] group in
            guard let id = CollectionID(storeName: group.store), let collection = try context.file?.collection(id) else { return false }
            for index in group.indexes {
                if index.table != nil {
                    try connection.execute("REINDEX \(index.name.quotedIdentifier)")
                } else {
                    try support.rebuildFullText(index.name, collection, context)
                }
            }
            return true
        }
    }

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

extension ConnectionContext {
    /// Returns the indexes that a query on this connection must not use now. Must be called inside a read transaction, before the query is
    /// compiled; until the next call, SQL functions use the local time zone that the device had at this call.
    package func outdatedIndexes() throws -> OutdatedIndexes {
        // A transaction begins with current indexes, as far as possible.
        if isWriter { return file?.writerIfWritable?.renewal.outdated ?? OutdatedIndexes() }
        adoptLocalZone()
        let version = try schemaVersion
        if outdatedIndexCache.hasNoDependents(in: version) { return OutdatedIndexes() }
        guard let knowledge = file?.options.indexes?.dependencies else { return OutdatedIndexes() }
        return try outdatedIndexCache.outdatedIndexes(knowledge, schemaVersion: version, evaluation.localZone, on: connection)
    }
}

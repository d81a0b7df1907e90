import SQLiteEngine

/// The statements of one collection on one connection. Each is compiled when it is first used.
final class CollectionStatements {
    /// The number of the collection object.
    let collectionNumber: Int
    /// Select the current revision by document ID: sequence, flags, version, body, expiration.
    let readLive, readTombstone: PreparedStatement
    /// Select a whole row by document ID.
    let rowOfLive, rowOfTombstone: PreparedStatement
    /// Insert a document that is in neither table: key, sequence, flags, version, body, extra.
    let insertLive, insertTombstone: PreparedStatement
    /// Insert a row that is in neither table, or has been deleted from the other one, with its expiration as the seventh value.
    let moveToLive, moveToTombstones: PreparedStatement
    /// Update a row: row id, sequence, flags, version, body, extra.
    let updateLive, updateTombstone: PreparedStatement
    /// Update the metadata of revisions without changing the document: row id, flags, extra.
    let updateMetadataOfLive, updateMetadataOfTombstone: PreparedStatement
    /// Mark the current revision as pushed to the first remote: key, version. Does not update rows that are already marked or in conflict.
    let markLiveSynced, markTombstoneSynced: PreparedStatement
    /// Select a document without its body: flags, version, extra, and the column `body` if it holds the tree.
    let headOfLive, headOfTombstone: PreparedStatement
    /// Delete a row by row id.
    let deleteLive, deleteTombstone: PreparedStatement
    /// Check whether there is a tombstone with a document ID.
    let isTombstone: PreparedStatement

    init(_ collection: CollectionStore) {
        collectionNumber = collection.number
        let tables = collection.tables
        let live = tables.live
        // Files before version 500 have one table for both.
        let tombstones = tables.tombstones ?? live
        func read(_ table: String) -> PreparedStatement {
            PreparedStatement("SELECT sequence, flags, version, body, \(tables.expirationColumn) FROM \(table) WHERE key = ?1")
        }
        func row(_ table: String) -> PreparedStatement {
            PreparedStatement("SELECT \(tables.rowColumns) FROM \(table) WHERE key = ?1")
        }
        func insert(_ table: String) -> PreparedStatement {
            PreparedStatement(
                """
                INSERT OR IGNORE INTO \(table) (key, sequence, flags, version, body, extra)
                VALUES (?1, ?2, ?3, ?4, ?5, ?6)
                """
            )
        }
        func move(_ table: String) -> PreparedStatement {
            PreparedStatement(
                """
                INSERT INTO \(table) (key, sequence, flags, version, body, extra, expiration)
                VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)
                """
            )
        }
        func update(_ table: String) -> PreparedStatement {
            PreparedStatement("UPDATE \(table) SET sequence = ?2, flags = ?3, version = ?4, body = ?5, extra = ?6 WHERE rowid = ?1")
        }
        func updateMetadata(_ table: String) -> PreparedStatement {
            PreparedStatement("UPDATE \(table) SET flags = ?2, extra = ?3 WHERE rowid = ?1")
        }
        func markSynced(_ table: String) -> PreparedStatement {
            PreparedStatement(
                """
                UPDATE \(table) SET flags = (flags + 0x10000) | \(DocumentFlags.synced.rawValue)
                WHERE key = ?1 AND version = ?2 AND flags & \(DocumentFlags([.synced, .conflicted]).rawValue) = 0
                """
            )
        }
        func head(_ table: String) -> PreparedStatement {
            PreparedStatement(
                """
                SELECT flags, version, \(tables.extraColumn), \(tables.treeInBodyColumn) FROM \(table) WHERE key = ?1
                """
            )
        }
        func delete(_ table: String) -> PreparedStatement {
            PreparedStatement("DELETE FROM \(table) WHERE rowid = ?1")
        }
        readLive = read(live)
        readTombstone = read(tombstones)
        rowOfLive = row(live)
        rowOfTombstone = row(tombstones)
        insertLive = insert(live)
        insertTombstone = insert(tombstones)
        moveToLive = move(live)
        moveToTombstones = move(tombstones)
        updateLive = update(live)
        updateTombstone = update(tombstones)
        updateMetadataOfLive = updateMetadata(live)
        updateMetadataOfTombstone = updateMetadata(tombstones)
        markLiveSynced = markSynced(live)
        markTombstoneSynced = markSynced(tombstones)
        headOfLive = head(live)
        headOfTombstone = head(tombstones)
        deleteLive = delete(live)
        deleteTombstone = delete(tombstones)
        isTombstone = PreparedStatement("SELECT 1 FROM \(tombstones) WHERE key = ?1")
    }
}

/// A statement that is compiled when it is first used.
final class PreparedStatement {
    private let sql: String
    // Safe: the owner of the connection guarantees that one thread at a time uses the connection and its statements.
    @exclusivity(unchecked) private var statement: Statement?

    init(_ sql: String) {
        self.sql = sql
    }

    @inline(__always)
    func on(_ connection: Connection) throws(SQLiteError) -> Statement {
        if let statement { return statement }
        return try compile(connection)
    }

    @inline(never)
    private func compile(_ connection: Connection) throws(SQLiteError) -> Statement {
        let compiled = try connection.prepare(sql, persistent: true)
        statement = compiled
        return compiled
    }
}

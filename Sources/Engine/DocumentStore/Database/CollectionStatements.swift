import SQLiteEngine

/// The statements of one collection on one connection. Each is compiled when it is first used.
final class CollectionStatements {
    /// The number of the collection object.
    let collectionNumber: Int
    /// Select the current revision by document ID: sequence, flags, version, body, expiration.
    let read: TableStatements
    /// Select a whole row by document ID.
    let row: TableStatements
    /// Insert a document that is in neither table: key, sequence, flags, version, body, extra.
    let insert: TableStatements
    /// Insert a row that is in neither table, or has been deleted from the other one, with its expiration as the seventh value.
    let move: TableStatements
    /// Update a row: row id, sequence, flags, version, body, extra.
    let update: TableStatements
    /// Update the metadata of revisions without changing the document: row id, flags, extra.
    let updateMetadata: TableStatements
    /// Mark the current revision as pushed to the first remote: key, version. Does not update rows that are already marked or in conflict.
    let markSynced: TableStatements
    /// Select a document without its body: flags, version, extra, and the column `body` if it holds the tree.
    let head: TableStatements
    /// Delete a row by row id.
    let delete: TableStatements
    /// Check whether there is a tombstone with a document ID.
    let isTombstone: PreparedStatement

    init(_ collection: CollectionStore) {
        collectionNumber = collection.number
        let tables = collection.tables
        let live = tables.live
        // Files before version 500 have one table for both.
        let tombstones = tables.tombstones ?? live
        func both(_ sql: (_ table: String) -> String) -> TableStatements {
            TableStatements(live: PreparedStatement(sql(live)), tombstones: PreparedStatement(sql(tombstones)))
        }
        read = both { "SELECT sequence, flags, version, body, \(tables.expirationColumn) FROM \($0) WHERE key = ?1" }
        row = both { "SELECT \(tables.rowColumns) FROM \($0) WHERE key = ?1" }
        insert = both {
            "INSERT OR IGNORE INTO \($0) (key, sequence, flags, version, body, extra) VALUES (?1, ?2, ?3, ?4, ?5, ?6)"
        }
        move = both {
            "INSERT INTO \($0) (key, sequence, flags, version, body, extra, expiration) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)"
        }
        update = both { "UPDATE \($0) SET sequence = ?2, flags = ?3, version = ?4, body = ?5, extra = ?6 WHERE rowid = ?1" }
        updateMetadata = both { "UPDATE \($0) SET flags = ?2, extra = ?3 WHERE rowid = ?1" }
        markSynced = both {
            """
            UPDATE \($0) SET flags = (flags + 0x10000) | \(RecordFlags.synced.rawValue)
            WHERE key = ?1 AND version = ?2 AND flags & \(RecordFlags([.synced, .conflicted]).rawValue) = 0
            """
        }
        head = both { "SELECT flags, version, \(tables.extraColumn), \(tables.treeInBodyColumn) FROM \($0) WHERE key = ?1" }
        delete = both { "DELETE FROM \($0) WHERE rowid = ?1" }
        isTombstone = PreparedStatement("SELECT 1 FROM \(tombstones) WHERE key = ?1")
    }
}

/// The same statement for the two tables of a collection.
struct TableStatements {
    let live: PreparedStatement
    let tombstones: PreparedStatement

    subscript(isTombstone isTombstone: Bool) -> PreparedStatement { isTombstone ? tombstones : live }
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

    /// Runs `read` on the row that the statement selects by `documentID`, its only parameter. Returns `nil` if there is none.
    @inline(__always)
    func find<Result>(_ documentID: String, on connection: Connection, _ read: (Statement) throws -> Result) throws -> Result? {
        let statement = try on(connection)
        var key = documentID
        return try key.withUTF8 { utf8 in
            defer { statement.reset() }
            try statement.bindText(borrowing: UnsafeRawBufferPointer(utf8), at: 1)
            return try statement.step() ? read(statement) : nil
        }
    }
}

internal import CSQLiteSystem

extension Connection {
    /// Copies the write-ahead log into the database file, and empties the log. Returns `false` if other connections prevented that.
    @discardableResult
    package func checkpoint() throws(SQLiteError) -> Bool {
        let database = try openDatabase()
        let result = sqlite3_wal_checkpoint_v2(database, nil, SQLITE_CHECKPOINT_TRUNCATE, nil, nil)
        guard result == SQLITE_OK || result & 0xFF == SQLITE_BUSY else { throw .last(of: database, code: result, sql: nil) }
        return result == SQLITE_OK
    }

    /// Sets whether SQL that could damage the file is forbidden, such as writing to shadow tables or `PRAGMA writable_schema` (Storage
    /// format 2.3).
    package func setDefensive(_ isDefensive: Bool) throws(SQLiteError) {
        try call { csqlite_set_defensive($0, isDefensive ? 1 : 0) }
    }

    /// Copies a consistent snapshot of the database, including its log, into the database of `destination`, which must be empty.
    ///
    /// - Throws: The destination's error if it cannot be written; an error whose `isBusy` is true if the source is locked.
    package func backup(to destination: Connection) throws(SQLiteError) {
        let source = try openDatabase()
        let target = try destination.openDatabase()
        guard let backup = sqlite3_backup_init(target, "main", source, "main") else {
            throw .last(of: target, code: sqlite3_errcode(target), sql: nil)
        }
        let result = sqlite3_backup_step(backup, -1)
        sqlite3_backup_finish(backup)
        guard result == SQLITE_DONE else { throw .last(of: target, code: result, sql: nil) }
    }
}

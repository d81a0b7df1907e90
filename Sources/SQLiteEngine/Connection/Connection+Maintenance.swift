internal import CSQLiteSystem

/// The result of a checkpoint of the write-ahead log.
package struct CheckpointResult: Equatable, Sendable {
    /// Whether readers or writers prevented the checkpoint from completing.
    package let isIncomplete: Bool
    /// The number of frames in the log. -1 if the database is not in WAL mode.
    package let framesInLog: Int
    /// The number of frames that have been copied into the database file. -1 if the database is not in WAL mode.
    package let framesCheckpointed: Int
}

/// The mode of a checkpoint.
package enum CheckpointMode: Sendable {
    /// Copies as many frames as possible without waiting.
    case passive
    /// Waits for writers (within the busy timeout) and copies all frames.
    case full
    /// Like `full`, and makes the next writer restart the log from its beginning.
    case restart
    /// Like `restart`, and truncates the log file to zero bytes.
    case truncate
}

extension Connection {
    /// Copies the write-ahead log into the database file.
    ///
    /// - Throws: An error of SQLite. If other connections prevented the checkpoint from completing, no error is thrown; the result reports
    ///   it.
    @discardableResult
    package func checkpoint(_ mode: CheckpointMode) throws(SQLiteError) -> CheckpointResult {
        let database = try openDatabase()
        let code =
            switch mode {
            case .passive: SQLITE_CHECKPOINT_PASSIVE
            case .full: SQLITE_CHECKPOINT_FULL
            case .restart: SQLITE_CHECKPOINT_RESTART
            case .truncate: SQLITE_CHECKPOINT_TRUNCATE
            }
        var frames: Int32 = -1
        var copied: Int32 = -1
        let result = sqlite3_wal_checkpoint_v2(database, nil, code, &frames, &copied)
        guard result == SQLITE_OK || result & 0xFF == SQLITE_BUSY else { throw .last(of: database, code: result, sql: nil) }
        return CheckpointResult(isIncomplete: result != SQLITE_OK, framesInLog: Int(frames), framesCheckpointed: Int(copied))
    }

    /// Sets whether SQL that could damage the file is forbidden, such as writing to shadow tables or `PRAGMA writable_schema` (Storage
    /// format 2.3).
    package func setDefensive(_ isDefensive: Bool) throws(SQLiteError) {
        let database = try openDatabase()
        let result = csqlite_set_defensive(database, isDefensive ? 1 : 0)
        guard result == SQLITE_OK else { throw .last(of: database, code: result, sql: nil) }
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

internal import CSQLiteSystem

/// What a checkpoint of the write-ahead log did.
package struct CheckpointResult: Equatable, Sendable {
    /// Whether readers or writers kept the checkpoint from finishing.
    package let isIncomplete: Bool
    /// How many frames the log has; -1 if the database is not in WAL mode.
    package let framesInLog: Int
    /// How many of them have been copied into the database file; -1 if the database is not in WAL mode.
    package let framesCheckpointed: Int
}

/// How thorough a checkpoint is.
package enum CheckpointMode: Sendable {
    /// Copies what can be copied without waiting for anybody.
    case passive
    /// Waits for writers (within the busy timeout) and copies everything.
    case full
    /// As `full`, and sees that the next writer begins the log anew.
    case restart
    /// As `restart`, and cuts the log file to zero bytes.
    case truncate
}

extension Connection {
    /// Copies the write-ahead log into the database file.
    ///
    /// - Throws: not for being kept from finishing by others, which the result tells.
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

    /// Forbids SQL that could damage the file, such as writing to shadow tables or `PRAGMA writable_schema` (Storage format 2.3).
    package func setDefensive(_ isDefensive: Bool) throws(SQLiteError) {
        let database = try openDatabase()
        let result = csqlite_set_defensive(database, isDefensive ? 1 : 0)
        guard result == SQLITE_OK else { throw .last(of: database, code: result, sql: nil) }
    }

    /// Copies the whole database, log included, as it is at one moment, into the database of `destination`, which must be empty.
    ///
    /// - Throws: the destination's error when it cannot be written, `isBusy` when somebody holds the source's lock.
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

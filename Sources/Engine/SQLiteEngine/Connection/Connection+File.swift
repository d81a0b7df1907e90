import Base
import CSQLiteSystem

/// Operations on the file itself, independent of its content.
extension Connection {
    /// Runs `body` while no other connection, of this or another process, has the file open. Other connections that open the file wait
    /// until `body` returns, within their busy timeout.
    ///
    /// In WAL mode, every connection that has read from the file counts as open; in the older journal modes, only those that are currently
    /// reading or writing. In these modes, the method must be called inside a transaction, whose locks are the only ones held. The file
    /// need not be a database; in that case `body` must not read or write it.
    ///
    /// - Throws: An error whose `isBusy` is true if the file is open elsewhere; errors of `body`.
    package func withExclusiveAccess<Result>(_ body: () throws -> Result) throws -> Result {
        let database = try openDatabase()
        var previous: Int32 = 0
        let code = csqlite_lock_exclusively(database, &previous)
        guard code == SQLITE_OK else {
            guard code & 0xFF == SQLITE_BUSY else { throw SQLiteError.last(of: nil, code: code, sql: nil) }
            throw SQLiteError(extendedCode: code, message: "the file is open elsewhere")
        }
        // Closing the connection releases all locks; and if the surrounding transaction has ended, it has released this one.
        defer { if let database = self.database { _ = csqlite_unlock(database, previous) } }
        return try body()
    }

    /// Whether the file at the path is no longer the connection's open file, because it was moved, replaced or deleted.
    package var hasMoved: Bool {
        guard let database else { return false }
        var hasMoved: Int32 = 0
        sqlite3_file_control(database, "main", SQLITE_FCNTL_HAS_MOVED, &hasMoved)
        return hasMoved != 0
    }

    /// Releases the memory in which the file is mapped. Data that is read later is mapped again.
    ///
    /// Ends the snapshot. Has no effect while a statement is on a row, or if nothing is mapped. Takes about a microsecond plus the time to
    /// unmap.
    package func unmap() {
        guard let database else { return }
        endSnapshot()
        // The call replaces the value with the previous limit.
        var limit: sqlite3_int64 = 0
        sqlite3_file_control(database, "main", SQLITE_FCNTL_MMAP_SIZE, &limit)
        sqlite3_file_control(database, "main", SQLITE_FCNTL_MMAP_SIZE, &limit)
    }

    /// Returns the first `count` bytes of the file, with zeros after its end.
    package func header(_ count: Int) throws(SQLiteError) -> [UInt8] {
        let database = try openDatabase()
        var buffer = [UInt8](repeating: 0, count: count)
        let code = buffer.withUnsafeMutableBytes { csqlite_read(database, $0.baseAddress, Int32(clamping: $0.count)) }
        guard code == SQLITE_OK else { throw .last(of: nil, code: code, sql: nil) }
        return buffer
    }
}

/// Creates an empty file at `path` that only its owner can read and write, unless the path exists.
///
/// SQLite would create a database file that everybody can read; its log and lock files get the permissions of the database file. Errors are
/// ignored here, because SQLite encounters and reports them again.
func makePrivateFile(_ path: String) {
    guard access(path, F_OK) != 0 else { return }
    // The file is created under a temporary name and closed before it gets its final name: closing a file releases all locks that the
    // process has on it, and another thread may open the file as soon as it exists.
    let unfinished = path + ".new-\(UInt64.random(in: 0 ... .max))"
    let file = open(unfinished, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
    guard file >= 0 else { return }
    close(file)
    _ = link(unfinished, path)
    unlink(unfinished)
}

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

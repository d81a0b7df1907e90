internal import CSQLiteSystem

/// What concerns the file as such, whatever is in it.
extension Connection {
    /// Runs `body` while no other connection, of this process or another, has the file open. Until it is done others that
    /// open the file wait, within their busy timeout.
    ///
    /// In WAL mode every connection counts that has read from the file once; in the older journal modes those that are
    /// reading or writing just now. There it must be called inside a transaction, whose locks are the only ones held.
    /// The file may even be no database: then nothing must be read or written meanwhile.
    ///
    /// - Throws: an error that `isBusy` when somebody has the file open; what `body` throws.
    package func whileAlone<Result>(_ body: () throws -> Result) throws -> Result {
        let database = try openDatabase()
        var previous: Int32 = 0
        let code = csqlite_lock_exclusively(database, &previous)
        guard code == SQLITE_OK else {
            guard code & 0xFF == SQLITE_BUSY else { throw SQLiteError.last(of: nil, code: code, sql: nil) }
            throw SQLiteError(extendedCode: code, message: "the file is open elsewhere")
        }
        // Closing gives back all locks; and when the transaction around has ended, it has given back this one.
        defer { if let database = self.database { _ = csqlite_unlock(database, previous) } }
        return try body()
    }

    /// Whether the path no longer leads to the file that the connection has open: it was moved, replaced or deleted.
    package var hasMoved: Bool {
        guard let database else { return false }
        var hasMoved: Int32 = 0
        sqlite3_file_control(database, "main", SQLITE_FCNTL_HAS_MOVED, &hasMoved)
        return hasMoved != 0
    }

    /// Gives back the memory in which the file is mapped. What is read later is mapped again as it is read.
    ///
    /// Without effect while a statement stands at a row, or when nothing is mapped. Costs about a microsecond and what was mapped.
    package func unmap() {
        guard let database else { return }
        // Answers with what the limit was.
        var limit: sqlite3_int64 = 0
        sqlite3_file_control(database, "main", SQLITE_FCNTL_MMAP_SIZE, &limit)
        sqlite3_file_control(database, "main", SQLITE_FCNTL_MMAP_SIZE, &limit)
    }

    /// The first bytes of the file, with zeros after its end.
    package func header(_ count: Int) throws(SQLiteError) -> [UInt8] {
        let database = try openDatabase()
        var buffer = [UInt8](repeating: 0, count: count)
        let code = buffer.withUnsafeMutableBytes { csqlite_read(database, $0.baseAddress, Int32(clamping: $0.count)) }
        guard code == SQLITE_OK else { throw .last(of: nil, code: code, sql: nil) }
        return buffer
    }
}

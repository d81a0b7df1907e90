internal import CSQLiteSystem

extension Connection {
    /// Makes every page of the database, which must still be empty, and of copies made by ``vacuum(into:encryption:)`` leave room for
    /// the seal at its end.
    func reservePageEnds() throws(SQLiteError) {
        let database = try openDatabase()
        var count = Int32(SealedPage.overhead)
        let result = sqlite3_file_control(database, "main", SQLITE_FCNTL_RESERVE_BYTES, &count)
        guard result == SQLITE_OK else { throw .last(of: database, code: result, sql: nil) }
    }

    /// Writes a copy of the database, as it is at one moment, to another file. What is in the tables, row IDs included, and the
    /// settings of the file stay the same. The connection must have been opened for that (`namesFilesByURI`).
    ///
    /// Not crash-safe: a copy that was not finished must be thrown away.
    ///
    /// - Parameters:
    ///   - path: A file of no pages: one that ``EncryptedFileSystem/begin(at:with:)`` has made, or for a plain copy none at all.
    ///   - encryption: What the copy is encrypted with; nil for a plain copy.
    ///   - register: Registers on a connection to the copy what its schema calls; it is given before the schema is read.
    package func vacuum(into path: String, encryption: EncryptedFileSystem?, register: (Connection) throws -> Void = { _ in }) throws {
        if encryption == nil { makePrivateFile(path) }
        let name = Self.uri(path, "vfs=" + (encryption?.name ?? Self.systemFileSystemName))
        // Setting the page size would undo the reservation.
        try execute("PRAGMA page_size=\(SealedPage.size)")
        if encryption != nil { try reservePageEnds() }
        let statement = try prepare("VACUUM INTO ?")
        defer { statement.finalize() }
        try statement.bindText(name, at: 1)
        try statement.run()
        // A copy is never in WAL mode at first, and an encrypted one can have no journal on disk for the change.
        let copy = try Connection(path: path, mode: .readWrite, encryption: encryption)
        try register(copy)
        try copy.execute("PRAGMA journal_mode=MEMORY; PRAGMA journal_mode=WAL")
        try copy.close()
    }

    private static var systemFileSystemName: String {
        sqlite3_vfs_find(nil)?.pointee.zName.map { String(cString: $0) } ?? ""
    }
}

internal import CSQLiteSystem

extension Connection {
    /// Reserves space for the authentication tag and nonce at the end of every page of the database, which must still be empty, and of
    /// copies made by ``vacuum(into:encryption:)``.
    func reservePageEnds() throws(SQLiteError) {
        var count = Int32(SealedPage.overhead)
        try call { sqlite3_file_control($0, "main", SQLITE_FCNTL_RESERVE_BYTES, &count) }
    }

    /// Writes a copy of a consistent snapshot of the database to another file. The content of the tables, including row IDs, and the
    /// settings of the file are preserved. The connection must have been opened with `namesFilesByURI`.
    ///
    /// Not crash-safe: an incomplete copy must be discarded.
    ///
    /// - Parameters:
    ///   - path: The path of the copy: a file without pages created by ``EncryptedFileSystem/begin(at:with:)``, or for a plain copy a path
    ///     that does not exist.
    ///   - encryption: The encryption of the copy. `nil` writes a plain copy.
    ///   - register: Registers the functions and collations that the schema uses on the connection to the copy. Called before the schema is
    ///     read.
    package func vacuum(into path: String, encryption: EncryptedFileSystem?, register: (Connection) throws -> Void = { _ in }) throws {
        if encryption == nil { makePrivateFile(path) }
        let name = Self.uri(path, "vfs=" + (encryption?.name ?? Self.systemFileSystemName))
        // Setting the page size later would undo the reservation.
        try execute("PRAGMA page_size=\(SealedPage.size)")
        if encryption != nil { try reservePageEnds() }
        let statement = try prepare("VACUUM INTO ?")
        defer { statement.finalize() }
        try statement.bindText(name, at: 1)
        try statement.run()
        // A copy is never in WAL mode at first, and an encrypted copy cannot have a journal on disk for changing the mode.
        let copy = try Connection(path: path, mode: .readWrite, encryption: encryption)
        do {
            try register(copy)
            try copy.execute("PRAGMA journal_mode=MEMORY; PRAGMA journal_mode=WAL")
        } catch {
            copy.closeLoggingErrors()
            throw error
        }
        try copy.close()
    }

    private static var systemFileSystemName: String {
        sqlite3_vfs_find(nil)?.pointee.zName.map { String(cString: $0) } ?? ""
    }
}

extension EncryptedFileSystem {
    /// Creates an empty encrypted database in WAL mode at `path`, which must not exist.
    ///
    /// Not crash-safe: an incomplete database must be discarded.
    package static func create(at path: String, with secret: EncryptionSecret) throws -> EncryptedFileSystem {
        let system = try begin(at: path, with: secret)
        try system.prepare(path)
        return system
    }

    /// Creates another database file with the same header and therefore the same keys, without tables.
    package func create(at path: String) throws {
        try begin(at: path)
        try prepare(path)
    }

    private func prepare(_ path: String) throws {
        let connection = try Connection(path: path, mode: .readWrite, encryption: self)
        try connection.reservePageEnds()
        try connection.execute(
            """
            PRAGMA journal_mode=MEMORY; PRAGMA page_size=\(SealedPage.size); PRAGMA encoding='UTF-8';
            PRAGMA auto_vacuum=incremental; PRAGMA journal_mode=WAL
            """
        )
        try connection.close()
    }
}

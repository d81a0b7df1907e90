import Base
internal import CSQLiteSystem

/// A connection to a SQLite database file.
///
/// It is opened without SQLite's mutex, which would only protect single calls, not sequences of calls. The owner of a connection must
/// ensure that only one thread at a time uses it and its statements: ``RecursiveLock`` of a writer, ``ConnectionPool`` for readers. Only
/// interrupting it through ``handle`` and *releasing* a ``Statement`` are thread-safe.
package final class Connection {
    /// Determines what a connection can do with the file.
    package enum Mode: Sendable {
        /// The file must exist and is never written.
        case readOnly
        /// The file must exist and be writable.
        case readWrite
        /// The file is created if it does not exist, readable and writable by its owner only (permissions 0600).
        case create
    }

    /// The path with which the database file was opened.
    package let path: String
    /// What the connection can do with the file. It is fixed when the file is opened.
    package let mode: Mode

    /// The time a call waits for another connection's lock before it throws an error whose ``SQLiteError/isBusy`` is true. Default: 10
    /// seconds.
    package var busyTimeout: Duration = .seconds(10) { didSet { applyBusyTimeout() } }

    /// The maximum number of statements that ``cachedStatement(_:)`` caches.
    package var statementCacheCapacity = 256

    /// An object that the owner associates with the connection. It is retained until the connection is closed without an error.
    // The owner's lock ensures exclusive access, as for everything else in this class.
    @exclusivity(unchecked) package var attachment: AnyObject?

    /// Interrupts the connection, from any thread.
    package let handle: DatabaseHandle
    /// The encryption of the database's files. `nil` if the database is not encrypted.
    package let encryption: EncryptedFileSystem?
    /// `nil` after closing.
    private(set) var database: OpaquePointer?
    /// The cached statements by SQL text, see `Connection+Statements.swift`.
    var statementCache: [ExactString: Statement] = [:]
    /// The statement of the cache that was used last. The owner's lock ensures exclusive access.
    @exclusivity(unchecked) var lastCachedStatement: (sql: String, statement: Statement)?
    /// The statements that start and end transactions, by number; see `Connection+Transactions.swift`.
    var transactionStatements: [Statement?] = Array(repeating: nil, count: TransactionStatement.allCases.count)
    /// See `Connection+Snapshot.swift`. The owner's lock ensures exclusive access.
    @exclusivity(unchecked) var snapshot = ReadSnapshot()
    var collationNeeded: ((Connection, String) -> Void)?
    /// The remaining steps of ``limitSteps(to:)``. Retained here because SQLite holds an unretained pointer to it.
    var stepBudget: StepBudget?

    /// Opens the database file at `path`.
    ///
    /// SQLite reads the file when the first statement runs, so a file that is not a database is only detected then.
    ///
    /// - Parameters:
    ///   - path: The path of the file. `:memory:` opens an in-memory database, and an empty path a temporary file.
    ///   - immutable: Promises that nobody changes the file. Then no locks are taken, and no `-wal` or `-shm` file is needed or read: this
    ///     opens a WAL database on read-only media (Storage format 2.3). Only allowed with ``Mode/readOnly``.
    ///   - namesFilesByURI: Whether statements may name other files by URI, as ``vacuum(into:encryption:)`` does.
    ///   - encryption: The encryption of an encrypted database, which must exist.
    /// - Throws: An error whose `isCantOpen` is true if the file or directory does not exist, or whose `isReadOnly` is true if a writable
    ///   connection was requested for a read-only file; one whose `isNotADatabase` is true if the file is not encrypted with the keys of
    ///   `encryption`; one that names both versions if the library is older than ``SQLiteLibrary/minimumVersion``.
    package init(
        path: String,
        mode: Mode,
        immutable: Bool = false,
        namesFilesByURI: Bool = false,
        encryption: EncryptedFileSystem? = nil
    ) throws(SQLiteError) {
        try SQLiteLibrary.checkVersion(SQLiteLibrary.version)
        guard !path.utf8.contains(0) else {
            throw SQLiteError(extendedCode: SQLITE_CANTOPEN, message: "the database path contains a NUL character")
        }
        guard !immutable || mode == .readOnly else { throw .misuse("an immutable database can only be opened for reading") }
        var flags = SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE
        switch mode {
        case .readOnly: flags |= SQLITE_OPEN_READONLY
        case .readWrite: flags |= SQLITE_OPEN_READWRITE
        case .create: flags |= SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
        }
        Self.configureOnce
        if mode == .create, !path.isEmpty, path != ":memory:" { makePrivateFile(path) }
        let isURI = immutable || namesFilesByURI
        if isURI { flags |= SQLITE_OPEN_URI }
        let name = isURI ? Self.uri(path, immutable ? "immutable=1" : "") : path
        var opened: OpaquePointer?
        let result = sqlite3_open_v2(name, &opened, flags, encryption?.name ?? (mode == .readOnly ? nil : JoiningFileSystem.name))
        guard result == SQLITE_OK, let opened else {
            let error = SQLiteError.last(of: opened, code: result, sql: nil)
            sqlite3_close(opened)
            throw error
        }
        // SQLite silently opens a file that is not writable as read-only; the caller must be informed.
        guard mode == .readOnly || sqlite3_db_readonly(opened, "main") != 1 else {
            sqlite3_close(opened)
            throw SQLiteError(extendedCode: SQLITE_READONLY, message: "the database file cannot be written")
        }
        Self.distrustFile(opened, isReader: mode == .readOnly)
        self.path = path
        self.mode = mode
        self.encryption = encryption
        self.handle = DatabaseHandle(opened)
        self.database = opened
        applyBusyTimeout()
    }

    deinit { _ = handle.close() }

    /// Configures SQLite for the process, before its first use. Apple's SQLite does not count memory either.
    private static let configureOnce: Void = {
        // Fails if the app uses SQLite already. Then memory is counted, which costs a few percent of the time.
        _ = csqlite_disable_memory_statistics()
    }()

    /// Closes the connection. An open transaction is rolled back. Statements that are still referenced become invalid: using
    /// one throws an error whose ``SQLiteError/isMisuse`` is true. Closing twice has no effect.
    ///
    /// - Throws: An error whose `isBusy` is true if SQLite cannot close the database yet, because one of its statements is running. The
    ///   connection is closed nevertheless, because its statements are invalid. SQLite's part is retried when the connection is released,
    ///   unless ``attachment`` retains it.
    package func close() throws(SQLiteError) {
        statementCache.removeAll()
        lastCachedStatement = nil
        snapshot = ReadSnapshot()
        transactionStatements = transactionStatements.map { _ in nil }
        let result = handle.close()
        let error = result == SQLITE_OK ? nil : SQLiteError.last(of: database, code: result, sql: nil)
        database = nil
        collationNeeded = nil
        // The attachment may retain the connection. The functions of a running statement use the attachment.
        if error == nil { attachment = nil }
        if let error { throw error }
    }

    /// Closes the connection like ``close()``, where the caller has a result, or another error that counts more: an error is only logged.
    package func closeLoggingErrors() {
        do { try close() } catch { EngineLog.log(.warning, .database, "the connection to \(path) was not closed properly: \(error)") }
    }

    /// Returns the open database, or throws the error for a closed connection.
    func openDatabase(sql: String? = nil) throws(SQLiteError) -> OpaquePointer {
        guard let database else { throw .closed(sql: sql) }
        handle.finalizeAbandoned()
        return database
    }

    /// Calls a function of SQLite that takes the open database, and throws its error.
    func call(_ function: (OpaquePointer) -> Int32) throws(SQLiteError) {
        let database = try openDatabase()
        let result = function(database)
        guard result == SQLITE_OK else { throw .last(of: database, code: result, sql: nil) }
    }

    private func applyBusyTimeout() {
        guard let database else { return }
        let (seconds, attoseconds) = busyTimeout.components
        let milliseconds = seconds.multipliedReportingOverflow(by: 1000)
        let total = milliseconds.overflow ? Int64.max : milliseconds.partialValue &+ attoseconds / 1_000_000_000_000_000
        sqlite3_busy_timeout(database, Int32(clamping: total))
    }

    /// Returns `path` as a URI with parameters. Everything except unreserved ASCII characters and `/` is percent-encoded in the path.
    static func uri(_ path: String, _ parameters: String) -> String {
        let digits = Array("0123456789ABCDEF".utf8)
        // An absolute path needs an empty authority, because "//" at its start would be parsed as an authority.
        var uri = Array((path.hasPrefix("/") ? "file://" : "file:").utf8)
        for byte in path.utf8 {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
                UInt8(ascii: "~"), UInt8(ascii: "/"):
                uri.append(byte)
            default:
                uri += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
            }
        }
        return String(decoding: uri, as: UTF8.self) + (parameters.isEmpty ? "" : "?" + parameters)
    }
}

// MARK: - State

extension Connection {
    /// Whether ``close()`` was called, even if it threw an error. Using the connection then throws an error whose ``SQLiteError/isMisuse``
    /// is true.
    package var isClosed: Bool { database == nil }

    /// The number of rows that the last INSERT, UPDATE or DELETE changed, without changes by triggers.
    package var changes: Int { database.map { Int(sqlite3_changes64($0)) } ?? 0 }

    /// The row ID that the last INSERT assigned, without rows inserted by triggers.
    package var lastInsertedRowID: Int64 { database.map { sqlite3_last_insert_rowid($0) } ?? 0 }

    /// Whether a transaction is open, started by BEGIN or by an outermost savepoint. SQLite ends a transaction by itself if the disk is
    /// full or fails.
    package var isInTransaction: Bool { database.map { sqlite3_get_autocommit($0) == 0 } ?? false }

    /// A number that changes when *another* connection has committed a change to the file. It is up to date inside a read transaction,
    /// after the first step of a statement. Reading it takes a few nanoseconds.
    package var contentVersion: UInt32 {
        guard let database else { return 0 }
        var version: UInt32 = 0
        sqlite3_file_control(database, "main", SQLITE_FCNTL_DATA_VERSION, &version)
        return version
    }
}

/// The library that this process uses, which may be another one than that with which the code was compiled.
package enum SQLiteLibrary {
    /// The version, such as 3,043,002 for 3.43.2.
    package static let version = Int(sqlite3_libversion_number())

    /// The oldest version that is supported, that of Debian 12. Older ones are not tested, and before 3.38 lack functions that this layer calls.
    package static let minimumVersion = 3_040_000

    /// Checks a version before the first call of a function that old libraries do not have, which would end the process.
    ///
    /// - Throws: An error that names both versions if this one is too old.
    static func checkVersion(_ version: Int) throws(SQLiteError) {
        guard version < minimumVersion else { return }
        throw .misuse("SQLite \(text(version)) is too old; version \(text(minimumVersion)) or newer is required")
    }

    private static func text(_ version: Int) -> String {
        "\(version / 1_000_000).\(version / 1000 % 1000).\(version % 1000)"
    }
}

internal import CSQLiteSystem
import ExactStrings

/// One connection to a SQLite database file.
///
/// Opened without SQLite's own mutex, because that would guard single calls and no sequence of them. Whoever owns a
/// connection sees to it that one thread at a time uses it and its statements; only ``interrupt()`` and the *release* of
/// a ``Statement`` are free of that rule.
///
/// `@unchecked Sendable`: the owner's lock (``RecursiveLock`` of a writer, ``ConnectionPool`` for readers) confines it.
package final class Connection: @unchecked Sendable {
    /// What a connection may do with the file.
    package enum Mode: Sendable {
        /// The file must exist and is never written.
        case readOnly
        /// The file must exist and be writable.
        case readWrite
        /// The file is created if it does not exist, for the user alone (permissions 0600).
        case create
    }

    /// The path given when opening.
    package let path: String
    /// The mode given when opening.
    package let mode: Mode

    /// How long a call waits for another connection's lock before it throws an error that ``SQLiteError/isBusy``. 10 s at first.
    package var busyTimeout: Duration = .seconds(10) {
        didSet { applyBusyTimeout() }
    }

    /// How many statements ``cachedStatement(_:)`` keeps.
    package var statementCacheCapacity = 256

    /// Whatever the owner wants to find again with the connection, which keeps it until it is closed.
    // Exclusivity is given by the owner's lock, as for everything else here.
    @exclusivity(unchecked) package var attachment: AnyObject?

    let handle: DatabaseHandle
    /// What the files of an encrypted database are sealed with; nil for a plain one.
    package let encryption: EncryptedFileSystem?
    /// `nil` once closed.
    private(set) var database: OpaquePointer?
    /// Statements by their SQL text; the file `Connection+Statements.swift` says how they are used.
    var statementCache: [ExactString: Statement] = [:]
    /// The statements that begin and end transactions, by number; see `Connection+Transactions.swift`.
    var transactionStatements: [Statement?] = Array(repeating: nil, count: TransactionStatement.allCases.count)
    var collationNeeded: ((Connection, String) -> Void)?
    /// What ``limitSteps(to:)`` has left; SQLite refers to it.
    var stepBudget: StepBudget?

    /// Opens the database file at `path`.
    ///
    /// SQLite reads the file at the first statement only, so a file that is no database is found out then.
    ///
    /// - Parameters:
    ///   - path: The file; `:memory:` is a database in memory and an empty path a temporary file.
    ///   - immutable: Promise that nobody changes the file. Then nothing is locked, and no `-wal` or `-shm` file is needed or
    ///     read: the way to open a WAL database on read-only media (Storage format 2.3). Only with ``Mode/readOnly``.
    ///   - namesFilesByURI: Whether statements may name other files by URI, as ``vacuum(into:encryption:)`` does.
    ///   - encryption: For an encrypted database, which must exist: what its pages are sealed with.
    /// - Throws: an error that `isCantOpen` for a missing file or directory, and that `isReadOnly` when writing was asked for
    ///   and the file can only be read; one that `isNotADatabase` when the file is not encrypted with the keys of `encryption`.
    package init(
        path: String,
        mode: Mode,
        immutable: Bool = false,
        namesFilesByURI: Bool = false,
        encryption: EncryptedFileSystem? = nil
    ) throws(SQLiteError) {
        guard !path.utf8.contains(0) else {
            throw SQLiteError(extendedCode: SQLITE_CANTOPEN, message: "the database path contains a NUL character")
        }
        guard !immutable || mode == .readOnly else {
            throw SQLiteError(extendedCode: SQLITE_MISUSE, message: "an immutable database can only be opened for reading")
        }
        var flags = SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE
        switch mode {
        case .readOnly: flags |= SQLITE_OPEN_READONLY
        case .readWrite: flags |= SQLITE_OPEN_READWRITE
        case .create: flags |= SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
        }
        if mode == .create, !path.isEmpty, path != ":memory:" { makePrivateFile(path) }
        let isURI = immutable || namesFilesByURI
        if isURI { flags |= SQLITE_OPEN_URI }
        let name = isURI ? Self.uri(path, immutable ? "immutable=1" : "") : path
        var opened: OpaquePointer?
        let result = sqlite3_open_v2(name, &opened, flags, encryption?.name)
        guard result == SQLITE_OK, let opened else {
            let error = SQLiteError.last(of: opened, code: result, sql: nil)
            sqlite3_close(opened)
            throw error
        }
        // SQLite quietly falls back to reading when the file refuses writing; the caller has to know.
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

    deinit {
        _ = handle.close()
    }

    /// Closes the connection. An open transaction is rolled back. Statements that are still referenced become void: using one
    /// throws an error that ``SQLiteError/isMisuse``. Closing twice is fine.
    package func close() throws(SQLiteError) {
        statementCache.removeAll()
        transactionStatements = transactionStatements.map { _ in nil }
        let result = handle.close()
        guard result == SQLITE_OK else { throw .last(of: database, code: result, sql: nil) }
        database = nil
        collationNeeded = nil
        // It may keep the connection in its turn.
        attachment = nil
    }

    /// Stops what the connection is doing, from any thread: the running statement throws an error that ``SQLiteError/isInterrupted``.
    ///
    /// Functions that work for long look at ``isInterrupted``. It stays so until ``clearInterruption()``; statements that begin when no
    /// other is under way run nevertheless.
    package func interrupt() {
        handle.interrupt()
    }

    /// Whether ``interrupt()`` has been called since the last ``clearInterruption()``. Costs one load, on any thread.
    package var isInterrupted: Bool { handle.isInterrupted }

    /// Forgets that there was an interruption.
    package func clearInterruption() {
        handle.clearInterruption()
    }

    /// The open database, or the error that says it has been closed.
    func openDatabase(sql: String? = nil) throws(SQLiteError) -> OpaquePointer {
        guard let database else { throw .closed(sql: sql) }
        handle.finalizeAbandoned()
        return database
    }

    private func applyBusyTimeout() {
        guard let database else { return }
        let (seconds, attoseconds) = busyTimeout.components
        let milliseconds = seconds.multipliedReportingOverflow(by: 1000)
        let total = milliseconds.overflow ? Int64.max : milliseconds.partialValue &+ attoseconds / 1_000_000_000_000_000
        sqlite3_busy_timeout(database, Int32(clamping: total))
    }

    /// `path` as a URI with parameters. Everything but unreserved ASCII characters and `/` is percent-encoded in the path.
    static func uri(_ path: String, _ parameters: String) -> String {
        let digits = Array("0123456789ABCDEF".utf8)
        // An absolute path needs the empty authority, or "//" at its start would be read as one.
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
    /// Whether ``close()`` has been called.
    package var isClosed: Bool { database == nil }

    /// Whether the database can only be read, by mode or by the file's nature.
    package var databaseReadOnly: Bool {
        database.map { sqlite3_db_readonly($0, "main") == 1 } ?? true
    }

    /// How many rows the last INSERT, UPDATE or DELETE changed, without what triggers did.
    package var changes: Int {
        database.map { Int(sqlite3_changes64($0)) } ?? 0
    }

    /// How many rows have been changed since the connection was opened.
    package var totalChanges: Int {
        database.map { Int(sqlite3_total_changes64($0)) } ?? 0
    }

    /// The row id of the last inserted row; 0 before the first.
    package var lastInsertRowID: Int64 {
        database.map { sqlite3_last_insert_rowid($0) } ?? 0
    }

    /// Whether a transaction is open, be it begun by BEGIN or by an outermost savepoint. SQLite ends a transaction by itself
    /// when the disk is full or fails.
    package var isInTransaction: Bool {
        database.map { sqlite3_get_autocommit($0) == 0 } ?? false
    }

    /// A number that changes when *another* connection has committed a change to the file. Current inside a read transaction,
    /// that is after a statement's first step. A few nanoseconds, where ``dataVersion`` runs a statement.
    package var contentVersion: UInt32 {
        guard let database else { return 0 }
        var version: UInt32 = 0
        sqlite3_file_control(database, "main", SQLITE_FCNTL_DATA_VERSION, &version)
        return version
    }

    /// A number that changes when *another* connection has committed a change to the file.
    package var dataVersion: Int64 {
        get throws(SQLiteError) { try scalar("PRAGMA data_version") ?? 0 }
    }
}

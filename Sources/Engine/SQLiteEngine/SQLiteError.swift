import Base
internal import CSQLiteSystem

/// An error reported by SQLite, or detected by this layer before calling SQLite.
///
/// `description` does not contain the SQL text, because statements compiled from an app's queries contain the app's literals.
package struct SQLiteError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The primary result code, for example 5 for `SQLITE_BUSY`.
    package let code: Int32

    /// The extended result code, for example 2067 for `SQLITE_CONSTRAINT_UNIQUE`. Equal to `code` if there is no extended code.
    package let extendedCode: Int32

    /// SQLite's message, or this layer's message if the error is not from SQLite.
    package let message: String

    /// The SQL text that was being compiled or run.
    package let sql: String?

    /// The offset in `sql` of the token that caused the error, in UTF-8 bytes. Only set for compile errors.
    package let offset: Int?

    /// Creates an error.
    ///
    /// - Parameter extendedCode: The extended result code, whose lower eight bits are the primary code.
    package init(extendedCode: Int32, message: String, sql: String? = nil, offset: Int? = nil) {
        self.code = extendedCode & 0xFF
        self.extendedCode = extendedCode
        self.message = message
        self.sql = sql
        self.offset = offset
    }

    package var description: String {
        let place = offset.map { " at byte \($0) of the statement" } ?? ""
        return "SQLite error \(extendedCode): \(message)\(place)"
    }
}

extension SQLiteError {
    /// Whether another connection holds a required lock, and the busy timeout has elapsed.
    package var isBusy: Bool { code == SQLITE_BUSY }

    /// Whether the file is not a SQLite database (or is encrypted).
    package var isNotADatabase: Bool { code == SQLITE_NOTADB }

    /// Whether the file is a damaged SQLite database.
    package var isCorrupt: Bool { code == SQLITE_CORRUPT }

    /// Whether an index lacks the entry of a row that a statement changes.
    package var isIndexDamage: Bool { extendedCode == SQLITE_CORRUPT | 3 << 8 }

    /// Whether reading from the file failed: at a bad block of the medium, or at an encrypted page that fails authentication.
    package var isFailedRead: Bool { code == SQLITE_IOERR }

    /// Whether the disk is full, or the database has reached its maximum size.
    package var isFull: Bool { code == SQLITE_FULL }

    /// Whether the connection or the file is read-only.
    package var isReadOnly: Bool { code == SQLITE_READONLY }

    /// Whether the file could not be opened or created, for example because the directory does not exist, permissions are missing, or the
    /// path is a directory.
    package var isCantOpen: Bool { code == SQLITE_CANTOPEN }

    /// Whether the statement was stopped by ``DatabaseHandle/interrupt()``.
    package var isInterrupted: Bool { code == SQLITE_INTERRUPT }

    /// Whether a text, a BLOB or a statement exceeds SQLite's limit.
    package var isTooBig: Bool { code == SQLITE_TOOBIG }

    /// Whether the type of a value is not allowed where it was used.
    package var isMismatch: Bool { code == SQLITE_MISMATCH }

    /// Whether a statement cannot be compiled or run because of what it or the schema says, or because a function has failed.
    package var isOfStatement: Bool { code == SQLITE_ERROR }

    /// The name of the module of a virtual table that SQLite does not have; `nil` for other errors.
    package var missingModule: String? { isOfStatement ? message.rest(afterExactly: "no such module: ").map(String.init) : nil }

    /// Whether the circumstances are the reason, not what the file contains: locks, memory, the medium, permissions or an interruption.
    package var isOfCircumstances: Bool {
        switch code {
        case SQLITE_BUSY, SQLITE_LOCKED, SQLITE_NOMEM, SQLITE_READONLY, SQLITE_INTERRUPT, SQLITE_IOERR, SQLITE_FULL, SQLITE_CANTOPEN: true
        default: false
        }
    }

    /// Whether the call was not allowed in the current state of the object, for example after the connection was closed.
    package var isMisuse: Bool { code == SQLITE_MISUSE }
}

extension SQLiteError {
    /// Returns the error that a connection has just reported.
    ///
    /// - Parameter start: Where the compiled part of `sql` starts, in bytes. `nil` for errors other than those of the compiler.
    @inline(never)
    static func last(of database: OpaquePointer?, code: Int32, sql: String?, start: Int? = nil) -> SQLiteError {
        guard let database else { return SQLiteError(extendedCode: code, message: String(cString: sqlite3_errstr(code)), sql: sql) }
        // The connection's message belongs to its last call and is wrong for another code.
        let isLast = sqlite3_errcode(database) & 0xFF == code & 0xFF
        let message = String(cString: isLast ? sqlite3_errmsg(database) : sqlite3_errstr(code))
        let extended = isLast ? sqlite3_extended_errcode(database) : code
        let offset = start.flatMap { start in
            let offset = sqlite3_error_offset(database)
            return offset < 0 ? nil : start + Int(offset)
        }
        return SQLiteError(extendedCode: extended, message: message, sql: sql, offset: offset)
    }

    /// Returns the error for using a closed connection or a statement of a closed connection.
    static func closed(sql: String? = nil) -> SQLiteError {
        misuse("the database connection has been closed", sql)
    }

    static func misuse(_ message: String, _ sql: String? = nil, offset: Int? = nil) -> SQLiteError {
        SQLiteError(extendedCode: SQLITE_MISUSE, message: message, sql: sql, offset: offset)
    }
}

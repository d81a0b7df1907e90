internal import CSQLiteSystem

/// What SQLite reported, or what this layer found before asking SQLite.
///
/// `description` leaves out the SQL text: statements compiled from an app's queries carry the app's literals.
package struct SQLiteError: Error, Hashable, Sendable {
    /// The primary result code, for example 5 for `SQLITE_BUSY`.
    package let code: Int32

    /// The extended result code, for example 2067 for `SQLITE_CONSTRAINT_UNIQUE`. Equal to `code` where there is no finer one.
    package let extendedCode: Int32

    /// SQLite's message, or this layer's where the error is not SQLite's own.
    package let message: String

    /// The SQL text that was being compiled or run.
    package let sql: String?

    /// The offset in UTF-8 bytes, inside `sql`, of the token the error is about; known for compile errors only.
    package let offset: Int?

    package init(extendedCode: Int32, message: String, sql: String? = nil, offset: Int? = nil) {
        self.code = extendedCode & 0xFF
        self.extendedCode = extendedCode
        self.message = message
        self.sql = sql
        self.offset = offset
    }
}

extension SQLiteError {
    /// Another connection holds a lock this one needs, and the busy timeout has passed.
    package var isBusy: Bool { code == SQLITE_BUSY }

    /// A UNIQUE, NOT NULL, CHECK or foreign key constraint refused the change.
    package var isConstraint: Bool { code == SQLITE_CONSTRAINT }

    /// The file is not a SQLite database (or is encrypted).
    package var isNotADatabase: Bool { code == SQLITE_NOTADB }

    /// The file is a SQLite database, and damaged.
    package var isCorrupt: Bool { code == SQLITE_CORRUPT }

    /// The disk is full, or the database has reached its largest allowed size.
    package var isFull: Bool { code == SQLITE_FULL }

    /// The connection or the file can only be read.
    package var isReadOnly: Bool { code == SQLITE_READONLY }

    /// The file could not be opened or created: a missing directory, missing permission, a directory in its place.
    package var isCantOpen: Bool { code == SQLITE_CANTOPEN }

    /// The statement was stopped by ``Connection/interrupt()``.
    package var isInterrupted: Bool { code == SQLITE_INTERRUPT }

    /// A text or BLOB, or a statement, is longer than SQLite's limit.
    package var isTooBig: Bool { code == SQLITE_TOOBIG }

    /// A value is of another type than its place allows.
    package var isMismatch: Bool { code == SQLITE_MISMATCH }

    /// The call made no sense in the state the object is in, for example after the connection was closed.
    package var isMisuse: Bool { code == SQLITE_MISUSE }
}

extension SQLiteError: CustomStringConvertible {
    package var description: String {
        let place = offset.map { " at byte \($0) of the statement" } ?? ""
        return "SQLite error \(extendedCode): \(message)\(place)"
    }
}

extension SQLiteError {
    /// The error a connection has just reported.
    @inline(never)
    static func last(of database: OpaquePointer?, code: Int32, sql: String?, hasOffset: Bool = false) -> SQLiteError {
        guard let database else { return SQLiteError(extendedCode: code, message: String(cString: sqlite3_errstr(code)), sql: sql) }
        // The connection's message belongs to its last call; for another code it would tell a wrong story.
        let isLast = sqlite3_errcode(database) & 0xFF == code & 0xFF
        let message = String(cString: isLast ? sqlite3_errmsg(database) : sqlite3_errstr(code))
        let extended = isLast ? sqlite3_extended_errcode(database) : code
        let offset = hasOffset ? sqlite3_error_offset(database) : -1
        return SQLiteError(extendedCode: extended, message: message, sql: sql, offset: offset < 0 ? nil : Int(offset))
    }

    /// The error for every use of a closed connection or of a statement that outlived its connection.
    static func closed(sql: String? = nil) -> SQLiteError {
        SQLiteError(extendedCode: SQLITE_MISUSE, message: "the database connection has been closed", sql: sql)
    }
}

internal import CSQLiteSystem

/// A compiled SQL statement: bind the parameters, step through the rows, read the columns, reset.
///
/// ```swift
/// let statement = try connection.prepare("SELECT body FROM kv WHERE key = ?1", persistent: true)
/// try statement.bindText(key, at: 1)
/// defer { statement.reset() }
/// while try statement.step() { use(statement.blob(at: 0)) }
/// ```
///
/// Every call is the C call and a branch. A statement whose connection has been closed throws on binding and stepping and reads
/// as NULL everywhere: SQLite itself answers so to a null statement, and that is why `handle` is optional and never checked.
///
/// `@unchecked Sendable`: a statement is used under the lock that confines its connection. It may be *released* on any thread
/// and at any time.
package final class Statement: @unchecked Sendable {
    /// `nil` once finalized or the connection closed.
    ///
    /// Exclusivity unchecked: set at the beginning and, by `invalidate()`, at the end, both under the connection's lock.
    @usableFromInline @exclusivity(unchecked) private(set) var handle: OpaquePointer?

    private let owner: DatabaseHandle

    init(_ handle: OpaquePointer, on owner: DatabaseHandle) {
        self.handle = handle
        self.owner = owner
        owner.register(self, handle)
    }

    deinit {
        if let handle { owner.abandon(handle) }
    }

    /// Gives the statement's resources back now, and with them any read lock it holds, instead of at the connection's next call
    /// after the release. Afterwards the statement is void.
    package func finalize() {
        guard let handle else { return }
        self.handle = nil
        owner.finalize(handle)
    }

    /// The connection is finalizing the handle.
    func invalidate() {
        handle = nil
    }
}

// MARK: - Running

extension Statement {
    /// Goes to the next row. Returns `false` when there is none; the statement is then reset, ready to be bound and run again.
    ///
    /// After an error, too, the statement is reset. The bindings stay in both cases.
    @inlinable
    package func step() throws(SQLiteError) -> Bool {
        let result = sqlite3_step(handle)
        if result == SQLITE_ROW { return true }
        if result != SQLITE_DONE { throw failure(result) }
        sqlite3_reset(handle)
        return false
    }

    /// Runs the statement to its end, ignoring rows, and resets it.
    @inlinable
    package func run() throws(SQLiteError) {
        while try step() {}
    }

    /// Makes the statement ready to be run again, and gives up the read lock if it stood on a row. The bindings stay.
    @inlinable
    package func reset() {
        // The result repeats the error of the last step, which has been thrown.
        sqlite3_reset(handle)
    }

    /// Sets all parameters to NULL.
    package func clearBindings() {
        if let handle { sqlite3_clear_bindings(handle) }
    }

    /// Whether the statement stands on a row: stepped, and neither at its end nor reset.
    package var isBusy: Bool { sqlite3_stmt_busy(handle) != 0 }

    /// Whether the statement leaves the database as it is.
    package var isReadOnly: Bool { handle == nil || sqlite3_stmt_readonly(handle) != 0 }

    /// The SQL text; empty once the statement is void.
    package var sql: String { sqlite3_sql(handle).map { String(cString: $0) } ?? "" }

    /// The error for `result`, which the last call on the statement returned. Resets the statement.
    @usableFromInline @inline(never)
    func failure(_ result: Int32) -> SQLiteError {
        guard let handle else { return .closed() }
        let isBusy = isBusy
        let error = SQLiteError.last(of: sqlite3_db_handle(handle), code: result, sql: sql)
        if error.isMisuse, isBusy {
            return SQLiteError(
                extendedCode: result,
                message: "a parameter was set while the statement stood on a row; reset it first",
                sql: sql
            )
        }
        sqlite3_reset(handle)
        return error
    }
}

// MARK: - Shape

extension Statement {
    /// How many columns a row has; 0 for a statement that gives no rows.
    package var columnCount: Int { Int(sqlite3_column_count(handle)) }

    /// The name of a column, from 0: the AS clause's, or what SQLite makes up. Empty if there is no such column.
    package func columnName(_ index: Int) -> String {
        guard let handle, let name = sqlite3_column_name(handle, Int32(clamping: index)) else { return "" }
        return String(cString: name)
    }

    /// The number of the largest parameter.
    package var parameterCount: Int { Int(sqlite3_bind_parameter_count(handle)) }

    /// The number of the parameter with this name, its prefix (`:`, `@`, `$`) included; `nil` if there is none.
    package func parameterIndex(named name: String) -> Int? {
        let index = sqlite3_bind_parameter_index(handle, name)
        return index == 0 ? nil : Int(index)
    }

    /// The names of the parameters, prefixes included, in their order: `nil` for one without a name. The first is number 1.
    package var parameterNames: [String?] {
        (0..<parameterCount).map { index in
            sqlite3_bind_parameter_name(handle, Int32(index + 1)).map { String(cString: $0) }
        }
    }
}

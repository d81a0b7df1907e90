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
/// Every call costs the C call and a branch. A statement whose connection has been closed throws on binding and stepping, and reads as NULL
/// everywhere: SQLite itself treats a null statement so, which is why `handle` is optional and never checked.
///
/// A statement is used under the lock that confines its connection. It may be *released* on any thread at any time.
package final class Statement {
    /// `nil` after finalizing or closing the connection.
    ///
    /// Exclusivity unchecked: it is only written by the initializer, `finalize()` and `invalidate()`, under the connection's lock.
    @usableFromInline @exclusivity(unchecked) private(set) var handle: OpaquePointer?

    private let owner: DatabaseHandle

    /// What ``namedParameters`` returns, after its first use.
    // Exclusivity unchecked: it is used under the lock that confines the connection.
    @exclusivity(unchecked) private var knownParameters: [(name: String, index: Int)]?

    init(_ handle: OpaquePointer, on owner: DatabaseHandle) {
        self.handle = handle
        self.owner = owner
        owner.register(self, handle)
    }

    deinit {
        if let handle { owner.abandon(handle) }
    }

    /// Releases the statement's resources and any read lock it holds immediately, instead of at the connection's next call after the
    /// statement is released. The statement is invalid afterwards.
    package func finalize() {
        guard let handle else { return }
        self.handle = nil
        owner.finalize(handle)
    }

    func invalidate() { handle = nil }
}

extension Statement {
    /// Advances to the next row. Returns `false` if there is none; the statement is then reset, ready to be bound and run again.
    ///
    /// The statement is also reset after an error. The bindings are kept in both cases.
    @inlinable
    package func step() throws(SQLiteError) -> Bool {
        let result = sqlite3_step(handle)
        if result == SQLITE_ROW { return true }
        if result != SQLITE_DONE { throw failure(result) }
        sqlite3_reset(handle)
        return false
    }

    /// Runs the statement to completion, ignoring rows, and resets it.
    @inlinable
    package func run() throws(SQLiteError) {
        while try step() {}
    }

    /// Prepares the statement to be run again, and releases the read lock if it was on a row. The bindings are kept.
    @inlinable
    package func reset() {
        // The result repeats the error of the last step, which has already been thrown.
        sqlite3_reset(handle)
    }

    /// Sets all parameters to NULL.
    package func clearBindings() {
        if let handle { sqlite3_clear_bindings(handle) }
    }

    /// Prepares the statement to be used for something else, as ``reset()`` does, and sets all parameters to NULL.
    package func resetAndClear() {
        reset()
        clearBindings()
    }

    /// Whether the statement is on a row: it was stepped, and is neither at its end nor reset.
    package var isBusy: Bool { sqlite3_stmt_busy(handle) != 0 }

    var sql: String { sqlite3_sql(handle).map { String(cString: $0) } ?? "" }

    /// Returns the error for `result`, which the last call on the statement returned. Resets the statement, except after binding while it
    /// was on a row.
    @usableFromInline @inline(never)
    func failure(_ result: Int32) -> SQLiteError {
        guard let handle else { return .closed() }
        let isBusy = isBusy
        let error = SQLiteError.last(of: sqlite3_db_handle(handle), code: result, sql: sql)
        if error.isMisuse, isBusy {
            return SQLiteError(
                extendedCode: result,
                message: "a parameter was set while the statement was on a row; reset the statement first",
                sql: sql
            )
        }
        sqlite3_reset(handle)
        return error
    }
}

extension Statement {
    /// The number of columns of a row. 0 for a statement that returns no rows.
    package var columnCount: Int { Int(sqlite3_column_count(handle)) }

    /// The parameters whose names begin with `$_`, which is omitted here, with their numbers.
    package var namedParameters: [(name: String, index: Int)] {
        if let knownParameters { return knownParameters }
        let found = readNamedParameters()
        knownParameters = found
        return found
    }

    private func readNamedParameters() -> [(name: String, index: Int)] {
        (0..<sqlite3_bind_parameter_count(handle)).compactMap { number in
            let name = sqlite3_bind_parameter_name(handle, number + 1).map { String(cString: $0) } ?? ""
            guard name.utf8.starts(with: "$_".utf8) else { return nil }
            return (String(decoding: name.utf8.dropFirst(2), as: UTF8.self), Int(number) + 1)
        }
    }

    /// Returns the number of the parameter with this name, including its prefix (`:`, `@`, `$`), or `nil` if there is none.
    package func parameterIndex(named name: String) -> Int? {
        let index = sqlite3_bind_parameter_index(handle, name)
        return index == 0 ? nil : Int(index)
    }
}

internal import CSQLiteSystem

/// Limits what the schema of an untrusted file can do.
extension Connection {
    /// Configures SQLite to trust the file as little as possible: views are disabled, pages with invalid cells are detected when they are
    /// read, and on a read-only connection the schema can only call innocuous functions. Called for every connection.
    ///
    /// A connection that writes must allow triggers to write to full-text tables, which SQLite does not classify as innocuous.
    static func distrustFile(_ database: OpaquePointer, isReader: Bool) {
        // These calls only fail if SQLite was built without the feature they disable.
        if isReader { _ = csqlite_set_trusted_schema(database, 0) }
        _ = csqlite_set_views(database, 0)
        sqlite3_exec(database, "PRAGMA cell_size_check=ON", nil, nil, nil)
    }

    /// Allows statements of a read-only connection to read the views of a file that others may have made.
    ///
    /// A view can only read the file: the schema may call no function and read no virtual table that SQLite does not know to be innocuous. It can
    /// take any time, so the caller must limit that, for example with ``reportingSteps(_:_:)``.
    ///
    /// - Parameter valueSize: The most bytes that a value or a row has, in tables too. Larger ones are an error.
    /// - Throws: An error whose ``SQLiteError/isMisuse`` is true if the connection can write.
    package func allowViews(valueSize: Int) throws(SQLiteError) {
        guard mode == .readOnly else { throw .misuse("the views of a file can only be read by a read-only connection") }
        let database = try openDatabase()
        _ = csqlite_set_defensive(database, 1)
        sqlite3_limit(database, SQLITE_LIMIT_LENGTH, Int32(clamping: valueSize))
        try call { csqlite_set_views($0, 1) }
    }

    /// Runs `body`, whose statements may execute at most `limit` steps of SQLite's virtual machine in total. A step takes nanoseconds to
    /// microseconds; a row takes about ten steps.
    ///
    /// - Throws: An error whose ``SQLiteError/isInterrupted`` is true if the limit was exceeded; errors of `body`.
    package func withStepLimit<Result>(_ limit: Int, _ body: () throws -> Result) throws -> Result {
        try limitSteps(to: limit)
        defer {
            if let database { sqlite3_progress_handler(database, 0, nil, nil) }
            stepBudget = nil
        }
        return try body()
    }

    /// Limits all further statements of the connection to `limit` steps in total. Statements that exceed the limit are interrupted.
    package func limitSteps(to limit: Int) throws(SQLiteError) {
        let database = try openDatabase()
        let budget = StepBudget(max(1, limit / Int(StepBudget.stepsPerCall)))
        stepBudget = budget
        sqlite3_progress_handler(
            database,
            StepBudget.stepsPerCall,
            { Unmanaged<StepBudget>.fromOpaque($0.unsafelyUnwrapped)._withUnsafeGuaranteedRef { $0.consume() } },
            // Not retained: the connection retains the budget until the database is closed.
            Unmanaged.passUnretained(budget).toOpaque()
        )
    }
}

/// Counts the steps of SQLite's virtual machine. Only used by the thread that uses the connection.
final class StepBudget {
    static let stepsPerCall: Int32 = 1000
    private var callsLeft: Int

    init(_ calls: Int) { callsLeft = calls }

    /// Consumes one call. Returns a nonzero value if the budget is exhausted.
    func consume() -> Int32 {
        callsLeft -= 1
        return callsLeft < 0 ? 1 : 0
    }
}

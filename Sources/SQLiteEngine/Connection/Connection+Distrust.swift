internal import CSQLiteSystem

/// Files come from strangers, too: what their schema may do is bounded here.
extension Connection {
    /// Has SQLite believe as little as possible of what the file says: views are not run, pages whose cells do not fit are found when
    /// they are read, and on a connection that reads the schema calls only functions that are harmless. Called for every connection.
    ///
    /// One that writes must let triggers write to full-text tables, which SQLite does not count among what is harmless.
    static func distrustFile(_ database: OpaquePointer, isReader: Bool) {
        // These fail only when SQLite was built without what they switch off.
        if isReader { _ = csqlite_set_trusted_schema(database, 0) }
        _ = csqlite_set_views(database, 0)
        sqlite3_exec(database, "PRAGMA cell_size_check=ON", nil, nil, nil)
    }

    /// Runs `body`, whose statements may take no more than `limit` steps of SQLite's virtual machine together. A step takes some
    /// nanoseconds to microseconds; a row takes about ten.
    ///
    /// - Throws: An error that ``SQLiteError/isInterrupted`` when that was not enough; what `body` throws.
    package func withStepLimit<Result>(_ limit: Int, _ body: () throws -> Result) throws -> Result {
        try limitSteps(to: limit)
        defer { if let database { sqlite3_progress_handler(database, 0, nil, nil) } }
        return try body()
    }

    /// Lets all statements of the connection from now on take no more than `limit` steps together: those after that are interrupted.
    package func limitSteps(to limit: Int) throws(SQLiteError) {
        let database = try openDatabase()
        let budget = StepBudget(max(1, limit / Int(StepBudget.stepsPerCall)))
        stepBudget = budget
        sqlite3_progress_handler(
            database,
            StepBudget.stepsPerCall,
            { Unmanaged<StepBudget>.fromOpaque($0.unsafelyUnwrapped)._withUnsafeGuaranteedRef { $0.take() } },
            // The connection keeps it, and closes the database before it goes.
            Unmanaged.passUnretained(budget).toOpaque()
        )
    }
}

/// Counts the steps of SQLite's virtual machine. Used by the thread that has the connection.
final class StepBudget {
    static let stepsPerCall: Int32 = 1000
    private var callsLeft: Int

    init(_ calls: Int) {
        callsLeft = calls
    }

    /// Other than 0 when nothing is left.
    func take() -> Int32 {
        callsLeft -= 1
        return callsLeft < 0 ? 1 : 0
    }
}

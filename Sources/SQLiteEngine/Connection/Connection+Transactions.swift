internal import CSQLiteSystem
import ExactStrings

/// How a transaction takes its locks.
package enum TransactionKind: Sendable {
    /// Locks are taken when the first statement needs them.
    case deferred
    /// The write lock is taken at once, so that a later statement cannot fail for want of it.
    case immediate
    /// As `immediate`; outside WAL mode readers are shut out too.
    case exclusive
}

/// The statements kept for transactions; the raw value is the place in `Connection.transactionStatements`.
enum TransactionStatement: Int, CaseIterable {
    case beginDeferred, beginImmediate, beginExclusive, commit, rollback

    var sql: String {
        switch self {
        case .beginDeferred: "BEGIN DEFERRED"
        case .beginImmediate: "BEGIN IMMEDIATE"
        case .beginExclusive: "BEGIN EXCLUSIVE"
        case .commit: "COMMIT"
        case .rollback: "ROLLBACK"
        }
    }
}

extension Connection {
    /// Runs `body` in a transaction and commits. Whatever `body` throws rolls the transaction back and is thrown on.
    ///
    /// If the commit itself fails (for example busy), the transaction is rolled back and that error thrown. If SQLite has ended the
    /// transaction by itself, because the disk is full or failing, nothing more is done to it. Transactions do not nest: inside one,
    /// use ``savepoint(_:_:)``.
    package func transaction<Result>(_ kind: TransactionKind, _ body: () throws -> Result) throws -> Result {
        try begin(kind)
        do {
            let result = try body()
            try commit()
            return result
        } catch {
            rollbackAfterFailure()
            throw error
        }
    }

    /// Runs `body` in a savepoint, which may stand inside a transaction or another savepoint, or alone.
    ///
    /// Whatever `body` throws undoes what was done since the savepoint, and only that, and is thrown on.
    package func savepoint<Result>(_ name: String, _ body: () throws -> Result) throws -> Result {
        let quoted =
            "\"\(name.doubling("\""))\""
        let isOutermost = !isInTransaction
        try cachedStatement("SAVEPOINT \(quoted)").run()
        do {
            let result = try body()
            try cachedStatement("RELEASE \(quoted)").run()
            return result
        } catch {
            if isOutermost {
                rollbackAfterFailure()
            } else if isInTransaction {
                // When these fail, SQLite has given up the whole transaction, and the caller's error says why.
                try? cachedStatement("ROLLBACK TO \(quoted)").run()
                try? cachedStatement("RELEASE \(quoted)").run()
            }
            throw error
        }
    }

    /// Begins a transaction. For callers whose transaction does not fit a closure.
    package func begin(_ kind: TransactionKind) throws(SQLiteError) {
        switch kind {
        case .deferred: try run(.beginDeferred)
        case .immediate: try run(.beginImmediate)
        case .exclusive: try run(.beginExclusive)
        }
    }

    /// Commits. When that fails the transaction is still open (see ``isInTransaction``): try again or ``rollback()``.
    ///
    /// - Throws: an error with the code of SQLITE_ABORT_ROLLBACK if SQLite has rolled the transaction back by itself.
    package func commit() throws(SQLiteError) {
        guard isInTransaction || isClosed else {
            throw SQLiteError(
                extendedCode: SQLITE_ABORT | 2 << 8,
                message: "there is no transaction to commit; an earlier error has rolled it back"
            )
        }
        try run(.commit)
    }

    /// Rolls back. Does nothing if there is no transaction, as after an error on which SQLite has rolled back by itself.
    package func rollback() throws(SQLiteError) {
        guard isInTransaction else { return }
        try run(.rollback)
    }

    /// The error that led here is the one to report, so one of the rollback is dropped; SQLite rolls back at the latest on closing.
    private func rollbackAfterFailure() {
        try? rollback()
    }

    private func run(_ kind: TransactionStatement) throws(SQLiteError) {
        handle.finalizeAbandoned()
        if let statement = transactionStatements[kind.rawValue] { return try statement.run() }
        let statement = try prepare(kind.sql, persistent: true)
        transactionStatements[kind.rawValue] = statement
        try statement.run()
    }
}

import Base
internal import CSQLiteSystem

/// Determines when a transaction takes its locks.
package enum TransactionKind: Sendable {
    /// Takes locks when a statement needs them.
    case deferred
    /// Takes the write lock immediately, so that no later statement can fail because of it.
    case immediate
    /// Like `immediate`, and outside WAL mode also blocks readers.
    case exclusive
}

/// The cached statements for transactions. The raw value is the index in `Connection.transactionStatements`.
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
    /// Runs `body` in a transaction and commits. If `body` throws, the transaction is rolled back and the error is rethrown.
    ///
    /// If the commit fails (for example because the database is busy), the transaction is rolled back and that error is thrown. If SQLite
    /// has rolled the transaction back by itself, because the disk is full or failing, nothing more is done. Transactions cannot be nested:
    /// inside a transaction, use ``savepoint(_:_:)``.
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

    /// Runs `body` in a savepoint. It may be inside a transaction or another savepoint, or start a transaction itself.
    ///
    /// If `body` throws, only the changes since the savepoint are rolled back, and the error is rethrown.
    package func savepoint<Result>(_ name: String, _ body: () throws -> Result) throws -> Result {
        let quoted = "\"\(name.doubling("\""))\""
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
                // If these fail, SQLite has rolled back the whole transaction, and the caller's error contains the reason.
                try? cachedStatement("ROLLBACK TO \(quoted)").run()
                try? cachedStatement("RELEASE \(quoted)").run()
            }
            throw error
        }
    }

    /// Runs `body` in a savepoint of a transaction. If it fails because of what the file contains, its changes are rolled back, and the error is
    /// returned; `nil` if it does not fail.
    ///
    /// - Throws: An error that has other reasons, for example that the disk is full, or one after which there is no transaction any more.
    package func failure(inSavepoint name: String, of body: () throws -> Void) throws -> (any Error)? {
        do {
            try savepoint(name, body)
            return nil
        } catch {
            let isOfCircumstances = (error as? SQLiteError)?.isOfCircumstances ?? false
            guard isInTransaction, !isOfCircumstances else { throw error }
            return error
        }
    }

    /// Starts a transaction. For callers whose transaction does not fit into a closure.
    package func begin(_ kind: TransactionKind) throws(SQLiteError) {
        switch kind {
        case .deferred: try run(.beginDeferred)
        case .immediate: try run(.beginImmediate)
        case .exclusive: try run(.beginExclusive)
        }
    }

    /// Commits. If this fails, the transaction is still open (see ``isInTransaction``): retry, or call ``rollback()``.
    ///
    /// - Throws: An error with the code of SQLITE_ABORT_ROLLBACK if SQLite has rolled back the transaction by itself.
    package func commit() throws(SQLiteError) {
        guard isInTransaction || isClosed else {
            throw SQLiteError(
                extendedCode: SQLITE_ABORT | 2 << 8,
                message: "there is no transaction to commit; an earlier error has rolled it back"
            )
        }
        try run(.commit)
    }

    /// Rolls back. Does nothing if there is no transaction, for example because SQLite has rolled it back after an error.
    package func rollback() throws(SQLiteError) {
        guard isInTransaction else { return }
        try run(.rollback)
    }

    /// Rolls back and ignores errors, because the caller reports the original error. SQLite rolls back on closing at the latest.
    private func rollbackAfterFailure() { try? rollback() }

    private func run(_ kind: TransactionStatement) throws(SQLiteError) {
        handle.finalizeAbandoned()
        if let statement = transactionStatements[kind.rawValue] { return try statement.run() }
        let statement = try prepare(kind.sql, persistent: true)
        transactionStatements[kind.rawValue] = statement
        try statement.run()
    }
}

import SQLiteEngine
import TestSupport
import Testing

@Suite("Transactions")
struct TransactionTests {
    private struct Stop: Error {}

    let directory: TemporaryDirectory
    let connection: Connection

    init() throws {
        directory = try TemporaryDirectory()
        connection = try Connection(path: directory.path("t.db"), mode: .create)
        try connection.execute("CREATE TABLE t (x)")
    }

    private func insert(_ value: Int) throws {
        try connection.execute("INSERT INTO t VALUES (\(value))")
    }

    private var rows: [String] {
        get throws { try connection.column("SELECT x FROM t ORDER BY x") }
    }

    @Test("a transaction commits, and returns the result of its body", arguments: [TransactionKind.deferred, .immediate, .exclusive])
    func committing(kind: TransactionKind) throws {
        let value = try connection.transaction(kind) {
            #expect(connection.isInTransaction)
            try insert(1)
            return "done"
        }
        #expect(value == "done")
        #expect(!connection.isInTransaction)
        #expect(try Connection(path: connection.path, mode: .readOnly).scalar("SELECT x FROM t") == 1)
    }

    @Test("an error in the body rolls the transaction back and is rethrown")
    func throwing() throws {
        #expect(throws: Stop.self) {
            try connection.transaction(.immediate) {
                try insert(1)
                throw Stop()
            }
        }
        #expect(!connection.isInTransaction)
        #expect(try rows == [])
        try connection.transaction(.immediate) { try insert(2) }
        #expect(try rows == ["2"])
    }

    @Test("a nested transaction is refused, and the outer transaction continues")
    func nesting() throws {
        try connection.transaction(.immediate) {
            try insert(1)
            #expect(throws: SQLiteError.self) { try connection.transaction(.deferred) { try insert(2) } }
            #expect(connection.isInTransaction)
        }
        #expect(try rows == ["1"])
    }

    @Test("a commit that gets a busy error rolls back and throws")
    func busyCommit() throws {
        connection.busyTimeout = .milliseconds(5)
        let reader = try Connection(path: connection.path, mode: .readOnly)
        let select = try reader.prepare("SELECT 1 FROM sqlite_schema")
        #expect(try select.step())
        // With a rollback journal the reader's lock prevents the writer from committing.
        let error = try sqliteError { try connection.transaction(.immediate) { try insert(1) } }
        #expect(error.isBusy)
        #expect(!connection.isInTransaction)
        select.reset()
        #expect(try rows == [])

        #expect(try select.step())
        try connection.begin(.immediate)
        try insert(2)
        #expect(try sqliteError { try connection.commit() }.isBusy)
        #expect(connection.isInTransaction)
        select.reset()
        try connection.commit()
        #expect(try rows == ["2"])
    }

    @Test("a full database rolls the transaction back and stays usable")
    func full() throws {
        try insert(1)
        let pages = try #require(try connection.scalar("PRAGMA page_count"))
        _ = try connection.scalar("PRAGMA max_page_count = \(pages + 5)")
        let error = try sqliteError {
            try connection.transaction(.immediate) {
                for _ in 0..<100 { try connection.execute("INSERT INTO t VALUES (randomblob(3000))") }
            }
        }
        #expect(error.isFull)
        #expect(!connection.isInTransaction)
        #expect(try rows == ["1"])
        try connection.transaction(.immediate) { try insert(2) }
        #expect(try rows == ["1", "2"])
        #expect(try connection.scalarText("PRAGMA integrity_check") == "ok")
    }

    @Test("a transaction that was rolled back by its body throws an error")
    func swallowedRollback() throws {
        try connection.execute("CREATE TABLE u (x UNIQUE)")
        let error = try sqliteError {
            try connection.transaction(.immediate) {
                try insert(1)
                try? connection.execute("INSERT OR ROLLBACK INTO u VALUES (1), (1)")
                #expect(!connection.isInTransaction)
            }
        }
        #expect(error.extendedCode == 516)
        #expect(try rows == [])
    }

    @Test("rolling back without a transaction does nothing")
    func idleRollback() throws {
        try connection.rollback()
        try connection.begin(.deferred)
        try insert(1)
        try connection.rollback()
        try connection.rollback()
        #expect(try rows == [])
    }

    /// Runs `body` in a savepoint that then fails, and checks that the error is thrown.
    ///
    /// `#expect(throws:)` is not used directly: if several of its closures are nested in one function, one of them does not run its own
    /// body (observed with Swift 6.3.1).
    private func failingSavepoint(_ name: String, _ body: () throws -> Void) throws {
        var isStopped = false
        do {
            try connection.savepoint(name) {
                try body()
                throw Stop()
            }
        } catch is Stop {
            isStopped = true
        }
        #expect(isStopped)
    }

    @Test("a failed nested savepoint undoes only its own changes")
    func savepoints() throws {
        try connection.transaction(.immediate) {
            try insert(1)
            try connection.savepoint("outer") {
                try insert(2)
                try failingSavepoint("in\"ner") { try insert(3) }
                try connection.savepoint("in\"ner") { try insert(4) }
            }
            try failingSavepoint("outer") {
                try connection.savepoint("outer") { try insert(5) }
            }
            #expect(connection.isInTransaction)
        }
        #expect(try rows == ["1", "2", "4"])
    }

    @Test("a savepoint outside a transaction is a transaction")
    func savepointAlone() throws {
        try connection.savepoint("alone") { try insert(1) }
        #expect(!connection.isInTransaction)
        #expect(throws: Stop.self) {
            try connection.savepoint("alone") {
                try insert(2)
                throw Stop()
            }
        }
        #expect(!connection.isInTransaction)
        #expect(try rows == ["1"])
    }

    @Test("a full database inside a savepoint rolls back the whole transaction")
    func fullInSavepoint() throws {
        let pages = try #require(try connection.scalar("PRAGMA page_count"))
        _ = try connection.scalar("PRAGMA max_page_count = \(pages + 5)")
        let error = try sqliteError {
            try connection.transaction(.immediate) {
                try insert(1)
                try connection.savepoint("big") {
                    for _ in 0..<100 { try connection.execute("INSERT INTO t VALUES (randomblob(3000))") }
                }
            }
        }
        #expect(error.isFull)
        #expect(!connection.isInTransaction)
        #expect(try rows == [])
    }
}

import Foundation
import SQLiteEngine
import Synchronization
import TestSupport
import Testing

@Suite("Connections")
struct ConnectionTests {
    let directory: TemporaryDirectory

    init() throws {
        directory = try TemporaryDirectory()
    }

    @Test("a created database file can be reopened for writing and for reading")
    func reopening() throws {
        let path = directory.path("ä 100%?#.db")
        let first = try Connection(path: path, mode: .create)
        try first.execute("CREATE TABLE t (x); INSERT INTO t VALUES (7)")
        try first.close()
        #expect(FileManager.default.fileExists(atPath: path))
        #expect(try Connection(path: path, mode: .readWrite).scalar("SELECT x FROM t") == 7)
        let reader = try Connection(path: path, mode: .readOnly)
        #expect(try reader.scalar("SELECT x FROM t") == 7)
        #expect(try sqliteError { try reader.execute("INSERT INTO t VALUES (8)") }.isReadOnly)
    }

    @Test("a missing file is not created unless requested", arguments: [Connection.Mode.readOnly, .readWrite])
    func missingFile(mode: Connection.Mode) throws {
        let path = directory.path("missing.db")
        #expect(try sqliteError { _ = try Connection(path: path, mode: mode) }.isCantOpen)
        #expect(!FileManager.default.fileExists(atPath: path))
    }

    @Test("a path in a missing directory, of a directory, or with a NUL cannot be opened")
    func unusablePaths() throws {
        for path in [directory.path("no/such/dir.db"), directory.url.path, directory.url.path + "/a\0b.db"] {
            let error = try sqliteError {
                let connection = try Connection(path: path, mode: .create)
                _ = try connection.scalar("PRAGMA user_version")
            }
            #expect(error.isCantOpen, "\(error)")
        }
        #expect(try FileManager.default.contentsOfDirectory(atPath: directory.url.path) == [])
    }

    @Test("a file that is not a database gives an error at the first statement")
    func notADatabase() throws {
        let path = directory.path("text.db")
        try Data(String(repeating: "this is a text file. ", count: 100).utf8).write(to: URL(fileURLWithPath: path))
        let connection = try Connection(path: path, mode: .readOnly)
        let error = try sqliteError { _ = try connection.scalar("SELECT count(*) FROM sqlite_schema") }
        #expect(error.isNotADatabase)
        #expect(error.code == 26)
    }

    @Test("a damaged page is reported as corruption")
    func corrupt() throws {
        let path = directory.path("corrupt.db")
        let connection = try Connection(path: path, mode: .create)
        try connection.execute("CREATE TABLE t (x); INSERT INTO t VALUES (randomblob(100))")
        try connection.close()
        let file = try FileHandle(forWritingTo: URL(fileURLWithPath: path))
        try file.seek(toOffset: 4096)
        try file.write(contentsOf: Data(repeating: 0xFF, count: 4096))
        try file.close()
        let damaged = try Connection(path: path, mode: .readOnly)
        #expect(try sqliteError { _ = try damaged.scalar("SELECT x FROM t") }.isCorrupt)
    }

    @Test("a WAL database in a directory without write permission can be opened as immutable")
    func immutable() throws {
        let path = directory.path("wal ü.db")
        let writer = try Connection(path: path, mode: .create)
        #expect(try writer.scalarText("PRAGMA journal_mode=WAL") == "wal")
        try writer.execute("CREATE TABLE t (x); INSERT INTO t VALUES (42)")
        try writer.close()
        try FileManager.default.setAttributes([.posixPermissions: 0o555], ofItemAtPath: directory.url.path)
        defer { try? FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: directory.url.path) }
        let reader = try Connection(path: path, mode: .readOnly, immutable: true)
        #expect(try reader.scalar("SELECT x FROM t") == 42)
        #expect(try FileManager.default.contentsOfDirectory(atPath: directory.url.path) == ["wal ü.db"])
        #expect(try sqliteError { _ = try Connection(path: path, mode: .readWrite, immutable: true) }.isMisuse)
    }

    @Test("opening an unwritable file for writing throws an error", .enabled(if: geteuid() != 0, "root may write anything"))
    func unwritableFile() throws {
        let path = directory.path("locked.db")
        try Connection(path: path, mode: .create).execute("CREATE TABLE t (x)")
        try FileManager.default.setAttributes([.posixPermissions: 0o444], ofItemAtPath: path)
        #expect(try sqliteError { _ = try Connection(path: path, mode: .readWrite) }.isReadOnly)
        #expect(try Connection(path: path, mode: .readOnly).scalar("SELECT count(*) FROM t") == 0)
    }

    @Test("a second writer gets a busy error after its timeout, and can write after the first has committed")
    func busy() throws {
        let path = directory.path("busy.db")
        let first = try Connection(path: path, mode: .create)
        try first.execute("CREATE TABLE t (x)")
        let second = try Connection(path: path, mode: .readWrite)
        #expect(try second.scalar("PRAGMA busy_timeout") == 10_000)
        second.busyTimeout = .milliseconds(10)
        #expect(try second.scalar("PRAGMA busy_timeout") == 10)
        try first.begin(.immediate)
        #expect(try sqliteError { try second.begin(.immediate) }.isBusy)
        #expect(!second.isInTransaction)
        try first.commit()
        try second.begin(.immediate)
        try second.rollback()
    }

    @Test("the counter counts own changes, and the content version changes with those of other connections")
    func counters() throws {
        let path = directory.path("counters.db")
        let connection = try Connection(path: path, mode: .create)
        try connection.execute("CREATE TABLE t (x)")
        try connection.execute("INSERT INTO t VALUES (1), (2), (3)")
        #expect(connection.changes == 3)
        try connection.execute("DELETE FROM t WHERE x > 1")
        #expect(connection.changes == 2)

        func version() throws -> UInt32 {
            // The version is up to date after something has been read.
            _ = try connection.scalar("SELECT count(*) FROM t")
            return connection.contentVersion
        }
        let before = try version()
        try Connection(path: path, mode: .readWrite).execute("INSERT INTO t VALUES (10)")
        let changed = try version()
        #expect(changed != before)
        #expect(try version() == changed)
    }

    @Test("a closed connection and its statements return errors or empty values")
    func closing() throws {
        let connection = try Connection(path: directory.path("close.db"), mode: .create)
        try connection.execute("CREATE TABLE t (x); INSERT INTO t VALUES (1), (2)")
        let select = try connection.prepare("SELECT x AS number FROM t WHERE x >= ?1")
        try select.bind(1, at: 1)
        #expect(try select.step())
        let cached = try connection.cachedStatement("SELECT 1")
        try connection.close()
        try connection.close()
        #expect(connection.isClosed)

        for statement in [select, cached] {
            #expect(try sqliteError { _ = try statement.step() }.isMisuse)
            #expect(try sqliteError { try statement.bind(1, at: 1) }.message.contains("closed"))
            #expect(try sqliteError { try statement.bindText("x", at: 1) }.isMisuse)
            statement.reset()
            statement.clearBindings()
            statement.finalize()
            #expect(statement.int64(at: 0) == 0)
            #expect(statement.text(at: 0) == "")
            #expect(statement.blob(at: 0).isEmpty)
            #expect(statement.isNull(at: 0))
            #expect(statement.columnCount == 0)
            #expect(statement.parameterIndex(named: ":x") == nil)
        }
        #expect(try sqliteError { try connection.execute("SELECT 1") }.isMisuse)
        #expect(try sqliteError { _ = try connection.cachedStatement("SELECT 1") }.isMisuse)
        #expect(try sqliteError { try connection.begin(.deferred) }.isMisuse)
        #expect(try sqliteError { try connection.commit() }.isMisuse)
        #expect(try sqliteError { try connection.checkpoint() }.isMisuse)
        #expect(connection.changes == 0)
        #expect(!connection.isInTransaction)
        connection.handle.interrupt()
    }

    @Test("a statement whose connection was released throws an error")
    func statementOutlivesConnection() throws {
        var connection: Connection? = try Connection.inMemory()
        let statement = try #require(try connection?.prepare("SELECT 1"))
        #expect(try statement.step())
        connection = nil
        #expect(try sqliteError { _ = try statement.step() }.isMisuse)
    }

    @Test("a statement released on another thread is finalized at the connection's next call")
    func releaseElsewhere() throws {
        let path = directory.path("release.db")
        let reader = try Connection(path: path, mode: .create)
        try reader.execute("CREATE TABLE t (x); INSERT INTO t VALUES (1), (2)")
        let holder = StatementHolder(try reader.prepare("SELECT x FROM t"))
        #expect(try holder.statement?.step() == true)
        waitingForThread { holder.statement = nil }
        // A table can be dropped only if no statement reads it.
        try reader.execute("DROP TABLE t")
    }

    @Test("closing a connection rolls back its open transaction")
    func closingInTransaction() throws {
        let path = directory.path("open.db")
        let connection = try Connection(path: path, mode: .create)
        try connection.execute("CREATE TABLE t (x)")
        try connection.begin(.immediate)
        try connection.execute("INSERT INTO t VALUES (1)")
        try connection.close()
        #expect(try Connection(path: path, mode: .readOnly).scalar("SELECT count(*) FROM t") == 0)
    }

    @Test("a running statement can be interrupted from another thread")
    func interrupting() async throws {
        // Unchecked: the statement runs on one thread, and only the handle is used on the other.
        nonisolated(unsafe) let connection = try Connection.inMemory()
        let handle = connection.handle
        let finished = Flag()
        // An interruption before the statement runs has no effect, so it is repeated, with pauses, until the endless statement is
        // interrupted.
        Thread.detachNewThread {
            while !finished.isRaised.load(ordering: .acquiring) {
                handle.interrupt()
                usleep(1000)
            }
        }
        let failure: SQLiteError? = try await onThread {
            defer { finished.isRaised.store(true, ordering: .releasing) }
            do {
                try connection.execute("WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n")
                return nil
            } catch let error as SQLiteError {
                return error
            }
        }
        #expect(failure?.isInterrupted == true)
    }

    @Test("a checkpoint empties the write-ahead log, or is incomplete while a reader is active")
    func checkpoint() throws {
        let path = directory.path("wal.db")
        let writer = try Connection(path: path, mode: .create)
        writer.busyTimeout = .milliseconds(1)
        _ = try writer.scalarText("PRAGMA journal_mode=WAL")
        try writer.execute("CREATE TABLE t (x); INSERT INTO t VALUES (1)")
        let reader = try Connection(path: path, mode: .readOnly)
        let select = try reader.prepare("SELECT x FROM t")
        #expect(try select.step())
        try writer.execute("INSERT INTO t VALUES (2)")
        #expect(try !writer.checkpoint())
        select.reset()
        #expect(try writer.checkpoint())
        let size = try FileManager.default.attributesOfItem(atPath: path + "-wal")[.size] as? Int
        #expect(size == 0)
    }

    @Test("a defensive connection rejects writes to its schema")
    func defensive() throws {
        let connection = try Connection.inMemory()
        try connection.execute("CREATE TABLE t (x)")
        let harm = "PRAGMA writable_schema=ON; UPDATE sqlite_schema SET sql = sql"
        try connection.execute(harm)
        try connection.setDefensive(true)
        #expect(throws: SQLiteError.self) { try connection.execute(harm) }
    }
}

/// A message from one thread to another.
private final class Flag: Sendable {
    let isRaised = Atomic(false)
}

/// Keeps a statement alive until a thread releases it.
///
/// `@unchecked Sendable`: one thread at a time uses it.
private final class StatementHolder: @unchecked Sendable {
    var statement: Statement?

    init(_ statement: Statement) {
        self.statement = statement
    }
}

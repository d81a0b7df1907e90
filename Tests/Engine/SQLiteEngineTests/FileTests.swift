import Foundation
import TestSupport
import Testing

@testable import SQLiteEngine

@Suite("Connection files")
struct FileTests {
    private let directory: TemporaryDirectory
    private let path: String

    init() throws {
        directory = try TemporaryDirectory()
        path = directory.path("db.sqlite3")
    }

    private func open(_ mode: Connection.Mode = .create, reading: Bool = true) throws -> Connection {
        let connection = try Connection(path: path, mode: mode)
        connection.busyTimeout = .zero
        if reading { _ = try connection.scalar("SELECT count(*) FROM sqlite_master") }
        return connection
    }

    @Test("a connection locks its file exclusively only while no other has it open, and others are then busy")
    func alone() throws {
        let one = try open()
        try one.execute("PRAGMA journal_mode=WAL; CREATE TABLE t (x); INSERT INTO t VALUES (1)")
        let other = try open(.readOnly)
        var wasAlone = false
        let refusal = try sqliteError { try one.withExclusiveAccess { wasAlone = true } }
        #expect(refusal.isBusy)
        #expect(!wasAlone)
        // The refusal has changed neither of them.
        #expect(try other.scalar("SELECT x FROM t") == 1)
        try one.execute("INSERT INTO t VALUES (2)")
        try other.close()
        try one.withExclusiveAccess {
            let waiting = try sqliteError { _ = try open() }
            #expect(waiting.isBusy)
            try one.execute("INSERT INTO t VALUES (3)")
        }
        #expect(try open(.readOnly).scalar("SELECT count(*) FROM t") == 3)
    }

    @Test(
        "a memory-mapped file is unmapped on request, and mapped again when it is read",
        .enabled(if: MemoryMaps.contain("") != nil, "this system does not say what is mapped")
    )
    func unmapping() throws {
        // More than a page, because SQLite may keep a page that it has read.
        let rows = "WITH n (x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n WHERE x < 200) SELECT x, zeroblob(2000) FROM n"
        try open().execute("CREATE TABLE t (x, y); INSERT INTO t \(rows)")
        let connection = try open(.readOnly)
        try connection.execute("PRAGMA mmap_size=1000000")
        for _ in 0..<2 {
            #expect(try connection.scalar("SELECT count(x) FROM t") == 200)
            #expect(MemoryMaps.contain(path) == true)
            connection.unmap()
            #expect(MemoryMaps.contain(path) == false)
        }
        let statement = try connection.prepare("SELECT x FROM t")
        #expect(try statement.step())
        connection.unmap()
        #expect(statement.int64(at: 0) == 1)
        #expect(MemoryMaps.contain(path) == true)
    }

    @Test("a file with a rollback journal is locked by withExclusiveAccess in a transaction, and free after it")
    func rollbackJournal() throws {
        let one = try open()
        try one.execute("CREATE TABLE t (x)")
        let other = try open()
        try one.transaction(.deferred) {
            _ = try one.scalar("SELECT count(*) FROM t")
            try one.withExclusiveAccess {
                let waiting = try sqliteError { _ = try other.scalar("SELECT count(*) FROM t") }
                #expect(waiting.isBusy)
            }
        }
        try other.execute("INSERT INTO t VALUES (1)")
        #expect(try one.scalar("SELECT count(*) FROM t") == 1)
    }

    @Test("a file that is not a database can be locked, and its first bytes can be read")
    func content() throws {
        try Data("no database".utf8).write(to: URL(fileURLWithPath: path))
        let connection = try open(.readWrite, reading: false)
        #expect(try connection.withExclusiveAccess { 1 } == 1)
        #expect(try connection.header(15) == Array("no database".utf8) + [0, 0, 0, 0])
    }

    @Test("a connection detects that its file was moved, and closes without removing the new file's log")
    func moved() throws {
        let connection = try open()
        try connection.execute("PRAGMA journal_mode=WAL; CREATE TABLE t (x)")
        #expect(!connection.hasMoved)
        let files = FileManager.default
        try files.moveItem(atPath: path, toPath: directory.path("old"))
        #expect(connection.hasMoved)
        // The file at the path of the log now belongs to another database.
        try Data("log".utf8).write(to: URL(fileURLWithPath: path + "-wal"))
        try Data().write(to: URL(fileURLWithPath: path))
        #expect(connection.hasMoved)
        try connection.close()
        #expect(files.fileExists(atPath: path + "-wal"))
    }
}

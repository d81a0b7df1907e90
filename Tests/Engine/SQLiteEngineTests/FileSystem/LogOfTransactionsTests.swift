import Foundation
import TestSupport
import Testing

@testable import SQLiteEngine

@Suite("Write-ahead logs of transactions")
struct LogOfTransactionsTests {
    /// Plain and encrypted databases with a page cache of a few pages, so that transactions write to the log before they commit.
    private final class Database {
        let directory: TemporaryDirectory
        let path: String
        let secret = EncryptionSecret(password: "secret", iterations: 10)
        let encryption: EncryptedFileSystem?

        init(isEncrypted: Bool) throws {
            directory = try TemporaryDirectory()
            path = directory.path("db.sqlite3")
            encryption = isEncrypted ? try EncryptedFileSystem.create(at: path, with: secret) : nil
            let connection = try connect()
            try connection.execute("PRAGMA journal_mode=WAL; CREATE TABLE t (id INTEGER PRIMARY KEY, x TEXT)")
        }

        func connect() throws -> Connection {
            let connection = try Connection(path: path, mode: encryption == nil ? .create : .readWrite, encryption: encryption)
            try connection.execute("PRAGMA temp_store=memory; PRAGMA cache_size=5; PRAGMA synchronous=normal; PRAGMA wal_autocheckpoint=0")
            return connection
        }

        /// The state that the next program would find after a crash of this one now.
        func afterCrash() throws -> (rows: Int64?, sum: Int64?) {
            let copy = try TemporaryDirectory()
            for name in try FileManager.default.contentsOfDirectory(atPath: directory.path(".")) where !name.hasSuffix("-shm") {
                try FileManager.default.copyItem(atPath: directory.path(name), toPath: copy.path(name))
            }
            let path = copy.path("db.sqlite3")
            let encryption = try self.encryption.map { _ in try EncryptedFileSystem(opening: path, with: secret) }
            let connection = try Connection(path: path, mode: .readWrite, encryption: encryption)
            try connection.execute("PRAGMA temp_store=memory")
            #expect(try connection.scalarText("PRAGMA integrity_check") == "ok")
            return (try connection.scalar("SELECT count(*) FROM t"), try connection.scalar("SELECT sum(length(x)) FROM t"))
        }
    }

    private static func fill(_ connection: Connection, _ count: Int, _ size: Int) throws {
        for _ in 0..<count { try connection.execute("INSERT INTO t (x) VALUES (printf('%.*c', \(size), 'x'))") }
    }

    @Test("a commit is complete in the log when it returns, also if pages were written several times before", arguments: [false, true])
    func commits(isEncrypted: Bool) throws {
        let database = try Database(isEncrypted: isEncrypted)
        let connection = try database.connect()
        for round in 1...6 {
            try connection.execute("BEGIN IMMEDIATE")
            try Self.fill(connection, 30 * round, 500)
            // Changes pages that are already in the log.
            try connection.execute("UPDATE t SET x = x || 'y'")
            try connection.execute("COMMIT")
            let (rows, sum) = try database.afterCrash()
            #expect(rows == (try connection.scalar("SELECT count(*) FROM t")))
            #expect(sum == (try connection.scalar("SELECT sum(length(x)) FROM t")))
        }
    }

    @Test("pages of a transaction that was rolled back never overwrite those of another connection", arguments: [false, true])
    func rollback(isEncrypted: Bool) throws {
        let database = try Database(isEncrypted: isEncrypted)
        let (one, other) = (try database.connect(), try database.connect())
        try Self.fill(one, 100, 500)
        // The number of pages that are pending at the rollback differs from round to round.
        for round in 1...40 {
            try one.execute("BEGIN IMMEDIATE")
            try Self.fill(one, 8 + round, 700)
            try one.execute("ROLLBACK")
            try Self.fill(other, 3, 500)
            #expect(try one.scalar("SELECT count(*) FROM t") == Int64(100 + 3 * round))
            #expect(try database.afterCrash().rows == Int64(100 + 3 * round))
        }
        #expect(try other.scalarText("PRAGMA integrity_check") == "ok")
    }

    @Test("a savepoint that is rolled back leaves a valid log", arguments: [false, true])
    func savepoints(isEncrypted: Bool) throws {
        let database = try Database(isEncrypted: isEncrypted)
        let connection = try database.connect()
        try connection.execute("BEGIN IMMEDIATE")
        for round in 0..<20 {
            try connection.execute("SAVEPOINT s")
            try Self.fill(connection, 20, 600)
            try connection.execute(round % 2 == 0 ? "RELEASE s" : "ROLLBACK TO s; RELEASE s")
        }
        try connection.execute("COMMIT")
        #expect(try database.afterCrash().rows == 200)
    }
}

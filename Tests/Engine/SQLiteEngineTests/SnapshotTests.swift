import Foundation
import SQLiteEngine
import Synchronization
import TestSupport
import Testing

@Suite("Snapshots")
struct SnapshotTests {
    let directory: TemporaryDirectory
    let path: String
    let writer: Connection

    init() throws {
        directory = try TemporaryDirectory()
        path = directory.path("snapshots.db")
        writer = try Connection(path: path, mode: .create)
        writer.busyTimeout = .zero
        _ = try writer.scalarText("PRAGMA journal_mode=WAL")
        try writer.execute("CREATE TABLE t (x); INSERT INTO t VALUES (1)")
    }

    private func reader() throws -> Connection {
        let connection = try Connection(path: path, mode: .readOnly)
        // The first snapshot of a connection is not kept, because the log's index was not known when it began.
        try connection.beginSnapshot()
        try connection.beginSnapshot()
        return connection
    }

    private func pool(keepsSnapshots: Bool = true, _ onKeptSnapshot: @escaping @Sendable () -> Void = {}) throws -> ConnectionPool {
        let pool = ConnectionPool(capacity: 2, keepsSnapshots: keepsSnapshots, onKeptSnapshot: onKeptSnapshot) { [path] in
            try Connection(path: path, mode: .readOnly)
        }
        _ = try count(pool)
        _ = try count(pool)
        return pool
    }

    private func count(_ pool: ConnectionPool) throws -> Int64? {
        try pool.withConnection { try $0.scalar("SELECT count(*) FROM t") }
    }

    @Test("a snapshot goes on until another connection commits")
    func keeping() throws {
        let reader = try reader()
        let first = try #require(reader.snapshotNumber)
        for _ in 0..<3 { try reader.beginSnapshot() }
        #expect(reader.snapshotNumber == first)
        try writer.execute("INSERT INTO t VALUES (2)")
        #expect(try reader.scalar("SELECT count(*) FROM t") == 1)
        try reader.beginSnapshot()
        #expect(reader.snapshotNumber != first)
        #expect(try reader.scalar("SELECT count(*) FROM t") == 2)
        try writer.execute("BEGIN IMMEDIATE; INSERT INTO t VALUES (3); ROLLBACK")
        let second = reader.snapshotNumber
        try reader.beginSnapshot()
        #expect(reader.snapshotNumber == second)
        reader.endSnapshot()
        #expect(reader.snapshotNumber == nil && !reader.hasSnapshot)
    }

    @Test("each of many commits is seen by the next snapshot, while they are written by another thread")
    func concurrently() throws {
        let committed = Atomic(1)
        let thread = Thread { [path] in
            guard let writer = try? Connection(path: path, mode: .readWrite) else { return }
            for number in 2...2000 {
                try? writer.execute("INSERT INTO t VALUES (\(number))")
                committed.store(number, ordering: .sequentiallyConsistent)
            }
        }
        thread.start()
        let reader = try reader()
        var last: Int64 = 0
        while last < 2000 {
            let known = committed.load(ordering: .sequentiallyConsistent)
            try reader.beginSnapshot()
            last = try reader.scalar("SELECT max(x) FROM t") ?? 0
            try #require(last >= known)
        }
    }

    @Test("a new snapshot begins after the log was copied into the file")
    func copiedLog() throws {
        let reader = try reader()
        let number = reader.snapshotNumber
        try writer.execute("PRAGMA wal_checkpoint(PASSIVE)")
        try reader.beginSnapshot()
        #expect(reader.snapshotNumber != number)
    }

    @Test("the log does not grow without limit although readers keep snapshots between the commits of a process that does not know them")
    func logSize() throws {
        let pool = try pool()
        var kept = 0
        for number in 0..<5000 {
            try writer.execute("UPDATE t SET x = \(number)")
            #expect(try pool.withConnection { try $0.scalar("SELECT x FROM t") } == Int64(number))
            kept += try pool.withConnection { $0 }.hasSnapshot ? 1 : 0
        }
        let size = try #require(try FileManager.default.attributesOfItem(atPath: path + "-wal")[.size] as? Int)
        #expect(size < 1200 * 4200 && kept > 4000)
    }

    @Test("statements are not interrupted by an interruption of an earlier user of the snapshot")
    func interruption() throws {
        let pool = try pool()
        try pool.withConnection { connection in
            connection.handle.interrupt()
            #expect(throws: SQLiteError.self) { try connection.scalar("SELECT count(*) FROM t") }
        }
        #expect(try count(pool) == 1)
        try pool.withConnection { $0 }.handle.interrupt()
        #expect(try count(pool) == 1)
    }

    @Test("all reads inside of a use of a pool see one snapshot, and the next use sees the last commit", arguments: [false, true])
    func uses(keepsSnapshots: Bool) throws {
        let pool = try pool(keepsSnapshots: keepsSnapshots)
        try pool.withConnection { connection in
            try writer.execute("INSERT INTO t VALUES (2)")
            #expect(try connection.scalar("SELECT count(*) FROM t") == 1)
            #expect(try count(pool) == 1)
        }
        #expect(try count(pool) == 2)
        #expect(try pool.withConnection { $0 }.hasSnapshot == keepsSnapshots)
    }

    @Test("a kept snapshot prevents emptying the log until idle snapshots are ended")
    func ending() throws {
        let calls = Atomic(0)
        let pool = try pool { calls.wrappingAdd(1, ordering: .relaxed) }
        #expect(calls.load(ordering: .relaxed) == 1)
        #expect(try !writer.checkpoint())
        #expect(pool.endIdleSnapshots(unlessUsed: true))
        #expect(try !writer.checkpoint())
        #expect(!pool.endIdleSnapshots(unlessUsed: true))
        #expect(try writer.checkpoint())
        try writer.execute("INSERT INTO t VALUES (2)")
        #expect(try count(pool) == 2)
        #expect(calls.load(ordering: .relaxed) == 2)
        try pool.withConnection { connection in
            // The snapshot of a connection that is used is not ended.
            #expect(pool.endIdleSnapshots())
            #expect(connection.hasSnapshot)
        }
        #expect(!pool.endIdleSnapshots())
        #expect(try writer.checkpoint())
        try pool.closeAll()
    }

    @Test("without a write-ahead log no snapshot is kept, because it would block writers")
    func rollbackJournal() throws {
        _ = try writer.scalarText("PRAGMA journal_mode=DELETE")
        let pool = try pool()
        #expect(try !pool.withConnection { $0 }.hasSnapshot)
        try writer.execute("INSERT INTO t VALUES (2)")
        #expect(try count(pool) == 2)
        #expect(!FileManager.default.fileExists(atPath: path + "-shm"))
    }
}

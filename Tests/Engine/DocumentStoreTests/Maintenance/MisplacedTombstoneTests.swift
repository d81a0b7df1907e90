import TestSupport
import Testing

@testable import DocumentStore

@Suite("Tombstones in the table of live documents")
struct MisplacedTombstoneTests {
    /// A database with a live document and tombstones, of which those in `misplaced` are in the other table.
    private func database(misplaced: [String]) throws -> TestDatabase {
        let database = try TestDatabase()
        try database.save("live", #"{"n":1}"#)
        for id in ["a", "b", "c"] {
            try database.save(id, "{}")
            try database.delete(id)
        }
        let columns = "key, sequence, flags, version, body, expiration, extra"
        for id in misplaced {
            try database.sql("INSERT INTO kv_default (\(columns)) SELECT \(columns) FROM kv_del_default WHERE key = '\(id)'")
            try database.sql("DELETE FROM kv_del_default WHERE key = '\(id)'")
        }
        return database
    }

    private func progress(of database: TestDatabase) throws -> UInt64? {
        try database.file.read { try InfoStore.integer(InfoStore.misplacedTombstones, on: $0.connection) }
    }

    @Test("compaction moves them in a database with version vectors, and notes that none are left")
    func moving() throws {
        let database = try database(misplaced: ["a", "c"])
        try database.file.compact()
        #expect(try database.scalar("SELECT count(*) FROM kv_default") == 3)
        #expect(try progress(of: database) == nil)
        try database.file.upgradeToVersionVectors()
        try database.file.compact()
        #expect(try database.scalar("SELECT count(*) FROM kv_default") == 1)
        #expect(try progress(of: database) == 0)
        #expect(try database.collection().count() == 1 && database.collection().deletedCount() == 3)
        let again = try database.save("c", #"{"n":2}"#, base: .none)
        #expect(again.revision != nil)
        try database.checkAndClose()
    }

    @Test("a database that an interrupted move has left is continued, and the rows above are not examined again")
    func continuing() throws {
        let database = try database(misplaced: ["a", "c"])
        try database.file.upgradeToVersionVectors()
        let top = try #require(try database.scalar("SELECT max(rowid) FROM kv_default"))
        try database.file.transaction { writer in
            try InfoStore.set(InfoStore.misplacedTombstones, to: InfoStore.encode(UInt64(top - 1)), on: writer.connection)
        }
        try database.file.compact()
        #expect(try database.texts("SELECT key FROM kv_default ORDER BY key") == ["c", "live"])
        #expect(try progress(of: database) == 0)
    }

    @Test("a new database with version vectors has none")
    func new() throws {
        var options = DatabaseFile.Options()
        options.versioning = .versionVectors
        let database = try TestDatabase(options: options)
        #expect(try progress(of: database) == 0)
        try database.file.compact()
        try database.checkAndClose()
    }
}

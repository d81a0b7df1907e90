import Foundation
import SQLiteEngine
import Testing

@testable import DocumentStore

@Suite("Snapshots kept by readers")
struct IdleSnapshotsTests {
    private func reads(_ database: TestDatabase) throws {
        for _ in 0..<3 { _ = try database.collection().document("a") }
    }

    @Test("reads keep a snapshot, and see what this and another connection commit", arguments: [false, true])
    func commits(encrypted: Bool) throws {
        let database = try TestDatabase(options: DamagedDatabases.options(encrypted: encrypted))
        try database.save("a", #"{"n":0}"#)
        let other = try Connection(path: database.path.sqliteFile, mode: .readWrite, encryption: database.file.encryption)
        defer { try? other.close() }
        for number in 1...20 {
            try reads(database)
            #expect(try database.file.readers.withConnection { $0 }.hasSnapshot)
            try database.save("a", #"{"n":\#(number)}"#)
            #expect(try database.collection().document("a")?.sequence == UInt64(2 * number))
            try other.execute("UPDATE kv_default SET sequence = \(2 * number + 1)")
            try other.execute("UPDATE kvmeta SET lastSeq = \(2 * number + 1) WHERE name = 'default'")
            #expect(try database.collection().document("a")?.sequence == UInt64(2 * number + 1))
        }
    }

    @Test("an unused snapshot ends by itself, so that another process can empty the log")
    func emptying() throws {
        let database = try TestDatabase()
        try database.save("a", "{}")
        try reads(database)
        let other = try database.foreignConnection()
        defer { try? other.close() }
        other.busyTimeout = .seconds(30)
        _ = try other.scalar("SELECT 1 FROM kv_info LIMIT 1")
        #expect(try other.checkpoint())
        #expect(try FileManager.default.attributesOfItem(atPath: database.path.writeAheadLog)[.size] as? Int == 0)
    }

    @Test("the log does not grow without limit although documents are read between the commits")
    func logSize() throws {
        let database = try TestDatabase()
        let text = String(repeating: "x", count: 10_000)
        try database.save("a", "{}")
        for number in 0..<1500 {
            try reads(database)
            try database.save("a", #"{"n":\#(number),"s":"\#(text)"}"#)
        }
        let size = try #require(try FileManager.default.attributesOfItem(atPath: database.path.writeAheadLog)[.size] as? Int)
        // SQLite begins the log anew when it has 1,000 pages.
        #expect(size < 3 * 1000 * 4096)
    }

    @Test("compacting and closing do not wait for kept snapshots")
    func compacting() throws {
        let database = try TestDatabase()
        try database.save("a", "{}")
        try reads(database)
        try database.file.compact()
        #expect(try FileManager.default.attributesOfItem(atPath: database.path.writeAheadLog)[.size] as? Int == 0)
        try reads(database)
        try database.reopen()
        #expect(try database.collection().document("a") != nil)
    }

    @Test("a database that is opened read-only keeps no snapshots")
    func readOnly() throws {
        let database = try TestDatabase()
        try database.save("a", "{}")
        var options = DatabaseFile.Options()
        options.isReadOnly = true
        try database.reopen(options: options)
        try reads(database)
        #expect(try !database.file.readers.withConnection { $0 }.hasSnapshot)
    }
}

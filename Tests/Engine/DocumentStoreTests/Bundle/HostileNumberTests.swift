import Fleece
import Foundation
import SQLiteEngine
import TestSupport
import Testing

@testable import DocumentStore

@Suite("Extreme numbers in a file")
struct HostileNumberTests {
    private static let extremes: [Int64] = [.min, -1, .max]

    /// A database with two documents and a tombstone, in which `sql` was executed.
    private func database(_ sql: String) throws -> TestDatabase {
        let database = try TestDatabase()
        for id in ["a", "b", "c"] { try database.save(id, #"{"n":1}"#) }
        try database.delete("c")
        try database.close()
        try TestDatabase.sql(sql, on: database.path)
        try database.reopen()
        return database
    }

    /// Reads and writes the numbers of a file. All thrown errors must be errors of this library.
    private func useEverything(_ database: TestDatabase) throws {
        let collection = try database.collection()
        let steps: [() throws -> Void] = [
            { _ = try database.save("a", #"{"n":2}"#) },
            { _ = try database.save("new", "{}") },
            { _ = try database.delete("b") },
            { _ = try database.save("c", "{}") },
            { _ = try database.purge("a") },
            { _ = try collection.lastSequence() },
            { _ = try collection.nextExpiration() },
            { _ = try database.file.purgeExpired(now: 1_800_000_000_000) },
            { _ = try collection.changes(after: 0, limit: 200, remote: 1) },
            { _ = try collection.changes(after: .max, limit: .max, remote: nil) },
            { for id in ["a", "b", "c"] { _ = try collection.change(of: id, remote: 1) } },
            { try collection.forEachDocument(order: .sequence, includingDeleted: true) { _ in true } },
            { _ = try database.file.read { try InfoStore.lastSequences(on: $0.connection) } },
            { _ = try database.file.read { try StoreCounts.all(on: $0.connection) } },
            { _ = try database.file.remoteID(for: "ws://new/") },
            { _ = try BundleChecker(database.file).findings() },
        ]
        for step in steps {
            do {
                try step()
            } catch is StoreError {
            } catch is SQLiteError {
            }
        }
        try database.close()
    }

    @Test("a purge count with the highest or lowest number is incremented without a trap", arguments: [Int64.max, .min, -1])
    func purgeCount(_ count: Int64) throws {
        let database = try database(
            "UPDATE kvmeta SET purgeCnt = \(count); INSERT OR REPLACE INTO kvmeta VALUES ('del_default', 0, \(count))"
        )
        #expect(try database.purge("a"))
        try database.delete("b")
        try database.save("c", "{}")
        #expect(try database.scalar("SELECT purgeCnt FROM kvmeta WHERE name = 'default'") == count &+ 2)
        #expect(try database.scalar("SELECT purgeCnt FROM kvmeta WHERE name = 'del_default'") == count &+ 1)
        try database.checkAndClose()
    }

    @Test("saving throws an error when the last sequence is the highest number, and documents can still be read")
    func lastSequence() throws {
        let database = try database("UPDATE kvmeta SET lastSeq = \(Int64.max - 1) WHERE name = 'default'")
        #expect(try database.save("a", "{}").sequence == UInt64(Int64.max))
        let full = StoreError.corrupt(
            path: database.path.canonical.sqliteFile,
            reason: "the last sequence of the store default is the highest possible one"
        )
        #expect(throws: full) { try database.save("a", #"{"n":3}"#) }
        #expect(throws: full) { try database.save("new", "{}") }
        #expect(throws: full) { try database.delete("b") }
        #expect(try database.json("a") == "{}")
        #expect(try database.json("new") == nil)
        #expect(try database.purge("b"))
        try database.reopen()
        #expect(throws: full) { try database.save("a", #"{"n":3}"#) }
    }

    @Test("a last sequence below the existing sequences is corrected", arguments: [Int64.min, -1, 0])
    func lowLastSequence(_ sequence: Int64) throws {
        let database = try database("UPDATE kvmeta SET lastSeq = \(sequence) WHERE name = 'default'")
        #expect(try database.save("new", "{}").sequence == 5)
        try database.checkAndClose()
    }

    @Test("extreme numbers in any column do not crash the program", arguments: extremes)
    func columns(_ number: Int64) throws {
        for column in ["sequence", "flags", "expiration"] {
            for table in ["kv_default", "kv_del_default"] {
                let database = try database("UPDATE \(table) SET \(column) = \(number) WHERE rowid = (SELECT min(rowid) FROM \(table))")
                try useEverything(database)
            }
        }
        for column in ["lastSeq", "purgeCnt"] {
            try useEverything(try database("UPDATE kvmeta SET \(column) = \(number)"))
        }
    }

    @Test("values of other types in number columns do not crash the program", arguments: ["'-5'", "x'ff'", "1e300"])
    func others(_ value: String) throws {
        for column in ["sequence", "flags", "expiration"] {
            try useEverything(try database("UPDATE kv_default SET \(column) = \(value) WHERE key = 'a'"))
        }
        for column in ["lastSeq", "purgeCnt"] {
            try useEverything(try database("UPDATE kvmeta SET \(column) = \(value)"))
        }
    }

    @Test("extreme depths of revision trees are accepted, and the document stays readable")
    func treeDepth() throws {
        for depth in ["0000000000000001", "7fffffffffffffff", "8000000000000000", "ffffffffffffffff"] {
            let database = try database("INSERT OR REPLACE INTO kv_info (key, body) VALUES ('maxRevTreeDepth', x'\(depth)')")
            for number in 0..<5 { try database.save("a", #"{"n":\#(number)}"#) }
            #expect(try database.json("a") == #"{"n":4}"#)
            try database.checkAndClose()
        }
    }

    @Test("remote IDs beyond the limit of revision trees are ignored")
    func remotes() throws {
        let database = try database("SELECT 1")
        for id in [Int64.min, -1, 0, 0x1_0000, .max] {
            var encoder = Encoder()
            encoder.beginDictionary()
            encoder.writeKey("ws://known/")
            encoder.write(id)
            encoder.endDictionary()
            let bytes = try encoder.finishedBytes()
            try database.file.transaction { try InfoStore.set(InfoStore.remotes, to: bytes, on: $0.connection) }
            #expect(try database.file.remoteID(for: "ws://known/") == 1)
        }
    }
}

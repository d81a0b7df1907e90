import Foundation
import SQLiteEngine
import TestSupport
import Testing

@testable import DocumentStore

@Suite("The number of documents")
struct DocumentCountTests {
    private let people: CollectionID

    init() throws {
        people = try CollectionID(name: "people", scope: "work")
    }

    /// The number of rows of live documents, counted on a connection of its own.
    private func counted(_ database: TestDatabase, _ table: String) throws -> UInt64 {
        let connection = try Connection(path: database.path.sqliteFile, mode: .readOnly, encryption: database.file.encryption)
        defer { try? connection.close() }
        return UInt64(try connection.scalar("SELECT count(*) FROM \(table) WHERE flags & 1 = 0") ?? 0)
    }

    /// Whether the count is known without counting.
    private func isKnown(_ database: TestDatabase, in id: CollectionID = .default) throws -> Bool {
        let collection = try database.collection(id)
        return try database.file.read { context in
            let state = try #require(context.connection.snapshotState)
            return database.file.documentCounts.count(of: collection, in: state) != nil
        }
    }

    @Test("the documents are counted once, and commits of this process change the count", arguments: [false, true])
    func following(encrypted: Bool) throws {
        let database = try TestDatabase(options: DamagedDatabases.options(encrypted: encrypted))
        _ = try database.file.createCollection(people)
        for number in 0..<10 { try database.save("d\(number)", "{}") }
        #expect(try database.collection().count() == 10)
        #expect(try database.collection(people).count() == 0)
        try database.save("new", "{}")
        try database.save("new", #"{"n":1}"#)
        try database.save("p", "{}", in: people)
        try database.delete("d0")
        try database.purge("d1")
        #expect(try isKnown(database))
        #expect(try isKnown(database, in: people))
        #expect(try database.collection().count() == 9)
        #expect(try database.collection(people).count() == 1)
        try database.save("d0", "{}")
        #expect(try isKnown(database))
        #expect(try database.collection().count() == 10)
    }

    @Test("a commit of another process is counted")
    func foreignCommit() throws {
        let database = try TestDatabase()
        for number in 0..<10 { try database.save("d\(number)", "{}") }
        #expect(try database.collection().count() == 10)
        try database.sql("DELETE FROM kv_default WHERE key = 'd3'")
        #expect(try database.collection().count() == 9)
        // The counts of the commit between are not known, so that the next own commit must not keep the old ones.
        try database.sql("DELETE FROM kv_default WHERE key = 'd4'")
        try database.save("new", "{}")
        #expect(try database.collection().count() == 9)
    }

    @Test("a transaction sees its own changes in the count, others only after the commit, and a rollback undoes them")
    func transactions() throws {
        let database = try TestDatabase()
        let collection = try database.collection()
        for number in 0..<5 { try database.save("d\(number)", "{}") }
        for isKnownBefore in [false, true] {
            if isKnownBefore { #expect(try collection.count() == 5) }
            var counts: [UInt64] = []
            try? database.file.transaction { writer in
                _ = try collection.delete("d0", base: .latest, in: writer)
                counts.append(try collection.count())
                _ = try collection.save(DocumentSave("e", base: .none), "{}", in: writer)
                _ = try collection.purge("d1", in: writer)
                counts.append(try collection.count())
                try? database.file.statement { writer in
                    _ = try collection.save(DocumentSave("f", base: .none), "{}", in: writer)
                    counts.append(try collection.count())
                    throw CancellationError()
                }
                counts.append(try collection.count())
                try onAnotherThread {
                    let count = try collection.count()
                    #expect(count == 5)
                }
                throw CancellationError()
            }
            #expect(counts == [4, 4, 5, 4])
            #expect(try collection.count() == 5)
        }
    }

    @Test("a tombstone in the table of live documents, and an expired document, are counted as what they are")
    func tombstonesAndExpirations() throws {
        let database = try TestDatabase()
        let collection = try database.collection()
        for name in ["a", "b", "c", "d"] { try database.save(name, "{}") }
        try database.sql("UPDATE kv_default SET flags = flags | 1 WHERE key IN ('a', 'b', 'c')")
        #expect(try collection.count() == 1)
        try database.purge("a")
        #expect(try collection.count() == 1)
        // In the distant future, so that the timer of the file does not purge them first.
        let time: Int64 = 1 << 50
        try database.file.transaction { writer in
            for name in ["b", "d"] { _ = try collection.setExpiration(time, of: name, in: writer) }
        }
        #expect(try collection.count() == 1)
        #expect(try database.file.transaction { try collection.purgeExpired(now: time, in: $0) }.sorted() == ["b", "d"])
        #expect(try counted(database, "kv_default") == 0)
        #expect(try collection.count() == 0)
    }

    @Test("random changes by this and another process lead to the number that is counted anew")
    func random() throws {
        var generator = SeededGenerator(seed: TestSeed.forThisTest())
        let database = try TestDatabase()
        _ = try database.file.createCollection(people)
        for _ in 0..<400 {
            let id = Bool.random(using: &generator) ? people : .default
            let table = id == people ? #""kv_.work.people""# : "kv_default"
            let name = "d\(Int.random(in: 0..<20, using: &generator))"
            switch Int.random(in: 0..<12, using: &generator) {
            case 0..<4: try database.save(name, "{}", in: id)
            case 4..<6: try database.delete(name, in: id)
            case 6: try database.purge(name, in: id)
            case 7: try database.sql("DELETE FROM \(table) WHERE key = '\(name)'")
            case 8: try database.file.compact()
            case 9: try database.reopen()
            default:
                let collection = try database.collection(id)
                let fails = Bool.random(using: &generator)
                try? database.file.transaction { writer in
                    for number in 0..<3 {
                        _ = try collection.save(DocumentSave("\(name)-\(number)", base: .latest), "{}", in: writer)
                    }
                    if fails { throw CancellationError() }
                }
            }
            if Int.random(in: 0..<3, using: &generator) > 0 {
                let expected = try counted(database, table)
                #expect(try database.collection(id).count() == expected)
            }
        }
    }
}

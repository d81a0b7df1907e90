import DocumentStore
import Foundation
import QueryLanguage
import SQLiteEngine
import Synchronization
import TestSupport
import TestTraits
import Testing

@testable import QueryEngine

@Suite("Scans by several threads", .ownThreads)
struct ParallelScanTests {
    private static let everySize: ParallelScan.Threshold = {
        var threshold = ParallelScan.Threshold()
        (threshold.pageCount, threshold.rowCount) = (0, 0)
        return threshold
    }()

    private func database(_ count: Int = 1000) throws -> QueryDatabase {
        let database = try QueryDatabase()
        try database.file.transaction { _ in
            for number in 0..<count {
                try database.save("d\(number)", #"{"n":\#(number),"name":"\#(String(repeating: "é", count: number % 17))"}"#)
            }
        }
        return database
    }

    private func parallel(_ text: String, on database: QueryDatabase) throws -> PreparedQuery {
        try PreparedQuery(SQLPlusPlus.parse(text), on: database.file, databaseName: "db", scanThreshold: Self.everySize)
    }

    /// Whether the last run was divided into ranges.
    private func isDivided(_ query: PreparedQuery) -> Bool { query.knownScan.withLock { $0?.scan != nil } }

    @Test(
        "the rows of several threads are those of one, in the same order",
        arguments: [
            "SELECT meta().id, n, name FROM _ WHERE n % 3 = 1", "SELECT * FROM _", "SELECT _.name AS x, n + 0.5 FROM _ WHERE n > 990",
            "SELECT n FROM _ WHERE n > 5000", "SELECT missing FROM _ WHERE n < 20 OR name = ''", "SELECT meta().id FROM _ AS d",
            "SELECT x.n FROM _ AS x WHERE x.name LIKE 'é%'", "SELECT n FROM _ ORDER BY name DESC LIMIT 20",
            "SELECT meta().id FROM _ ORDER BY name, n DESC LIMIT 7 OFFSET 30",
            "SELECT n, name FROM _ ORDER BY gone, back DESC LIMIT 500",
            "SELECT n FROM _ ORDER BY n LIMIT 0", "SELECT n FROM _ WHERE n > 900 ORDER BY x.y, name LIMIT 5000 OFFSET 20",
            "SELECT mixed FROM _ ORDER BY mixed LIMIT 300", "SELECT meta().id, mixed FROM _ ORDER BY mixed DESC LIMIT 300 OFFSET 1",
        ]
    )
    func sameRows(_ text: String) throws {
        let database = try database()
        for number in stride(from: 0, to: 1000, by: 7) { try database.delete("d\(number)") }
        let mixed = [
            "1", "1.5", "-0.5", "9007199254740993", "9007199254740992.0", "9223372036854775807", "9.3e18", "-9.3e18", "true", "false",
            "null",
            #""a""#, #""B""#, #""é""#, #""""#, "[1]", "[]", #"{"a":1}"#, "0", "-0.0",
        ]
        for (number, value) in (mixed + mixed).enumerated() { try database.save("m\(number)", #"{"mixed":\#(value)}"#) }
        for number in stride(from: 0, to: 1000, by: 21) { try database.save("d\(number)", #"{"n":\#(number),"back":true}"#) }
        let expected = try database.prepare(text).run(on: database.file)
        let query = try parallel(text, on: database)
        for _ in 0..<5 { #expect(try query.run(on: database.file).hasSameRows(as: expected)) }
        #expect(isDivided(query))
    }

    @Test(
        "queries whose rows depend on several documents, or that use an index, are read by one thread",
        arguments: [
            "SELECT n FROM _ ORDER BY n", "SELECT n FROM _ ORDER BY name COLLATE UNICODE LIMIT 3", "SELECT count(*) FROM _",
            "SELECT DISTINCT name FROM _", "SELECT n FROM _ LIMIT 3",
            "SELECT max(n) FROM _ GROUP BY name", "SELECT n FROM _ WHERE n IN (SELECT b.n FROM _ AS b)",
            "SELECT a.n FROM _ AS a JOIN _ AS b ON a.n = b.n", "SELECT n FROM _ UNION SELECT n FROM _",
            "SELECT name FROM _ WHERE indexed = 3",
            "SELECT n FROM _ WHERE meta().id = 'd5'", "SELECT n FROM _ WHERE meta().deleted",
        ]
    )
    func notDivided(_ text: String) throws {
        let database = try database(50)
        try database.indexes.create(IndexDefinition(name: "i", kind: .value, text: "indexed"), on: try database.collection())
        let query = try parallel(text, on: database)
        _ = try query.run(on: database.file)
        #expect(!isDivided(query))
    }

    @Test("a small collection is read by one thread")
    func small() throws {
        let database = try database(100)
        let query = try PreparedQuery(SQLPlusPlus.parse("SELECT n FROM _"), on: database.file, databaseName: "db")
        #expect(try query.run(on: database.file).count == 100)
        #expect(!isDivided(query))
    }

    @Test("a query in a transaction sees its changes")
    func inTransaction() throws {
        let database = try database(100)
        let query = try parallel("SELECT n FROM _", on: database)
        #expect(try query.run(on: database.file).count == 100)
        let collection = try database.collection()
        let count = try database.file.transaction { writer in
            _ = try collection.delete("d1", base: .latest, in: writer)
            return try query.run(on: database.file).count
        }
        #expect(count == 99)
    }

    @Test("every result shows one commit, while another thread commits")
    func snapshots() throws {
        // The threads share the database, whose functions are thread-safe.
        nonisolated(unsafe) let database = try database(200)
        let query = try parallel("SELECT generation FROM _", on: database)
        let isDone = Atomic(false)
        let generations = 60
        let done = DispatchSemaphore(value: 0)
        let file = database.file
        Thread.detachNewThread {
            for generation in 0..<generations {
                try? file.transaction { _ in
                    for number in 0..<200 { try database.save("d\(number)", #"{"generation":\#(generation)}"#) }
                }
            }
            isDone.store(true, ordering: .releasing)
            done.signal()
        }
        while !isDone.load(ordering: .acquiring) {
            let rows = try query.run(on: database.file)
            #expect(rows.count == 200)
            let values = Set(try (0..<rows.count).map { try rows.json($0) })
            #expect(values.count == 1)
        }
        done.wait()
    }

    @Test("an error in one range is the error of the query, and a cancelled query ends")
    func errors() throws {
        let database = try database(300)
        try database.save("bad", #"{"name":"x","pattern":"("}"#)
        let failing = "SELECT n FROM _ WHERE regexp_like(name, pattern)"
        let error = try #require(throws: QueryError.self) { try database.prepare(failing).run(on: database.file) }
        #expect(throws: error) { try parallel(failing, on: database).run(on: database.file) }
        let cancellation = QueryCancellation()
        cancellation.cancel()
        let query = try parallel("SELECT n FROM _", on: database)
        #expect(throws: CancellationError.self) { try query.run(on: database.file, cancellation: cancellation) }
        #expect(try query.run(on: database.file).count == 301)
    }

    @Test("a query runs although no other connection is free")
    func noFreeConnection() throws {
        let database = try database(100)
        let query = try parallel("SELECT n FROM _", on: database)
        let file = database.file
        let (entered, mayEnd, ended) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        for _ in 0..<3 {
            Thread.detachNewThread {
                try? file.read { _ in
                    entered.signal()
                    mayEnd.wait()
                }
                ended.signal()
            }
        }
        for _ in 0..<3 { entered.wait() }
        #expect(try query.run(on: file).count == 100)
        for _ in 0..<3 { mayEnd.signal() }
        for _ in 0..<3 { ended.wait() }
    }

    @Test("row IDs at the ends of their range are read")
    func extremeRowIDs() throws {
        let database = try database(20)
        try database.file.transaction { writer in
            try writer.connection.execute("UPDATE kv_default SET rowid = 9223372036854775807 WHERE key = 'd3'")
            try writer.connection.execute("UPDATE kv_default SET rowid = -9223372036854775808 WHERE key = 'd4'")
        }
        let query = try parallel("SELECT n FROM _", on: database)
        #expect(try query.run(on: database.file).hasSameRows(as: database.prepare("SELECT n FROM _").run(on: database.file)))
        #expect(isDivided(query))
    }
}

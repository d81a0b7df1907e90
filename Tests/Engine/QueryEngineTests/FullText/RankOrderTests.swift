import DocumentStore
import Fleece
import QueryLanguage
import SQLiteEngine
import TestSupport
import Testing

@testable import QueryEngine

@Suite("Full-text searches that return the first rows by rank")
struct RankOrderTests {
    private static let words = ["alpha", "beta", "gamma", "delta"]

    /// Documents of which many have the same rank. Some are changed or deleted after the index is created.
    private func database(_ random: inout SeededGenerator) throws -> QueryDatabase {
        let database = try QueryDatabase()
        func save(_ number: Int) throws {
            let count = Int(random.next() % 6)
            let text = (0..<count).map { _ in Self.words[Int(random.next() % 4)] }.joined(separator: " ")
            try database.save("d\(number)", #"{"n":\#(number % 7),"s":"\#(text)"}"#)
        }
        try database.file.transaction { _ in for number in 0..<80 { try save(number) } }
        try database.createFullTextIndex("s")
        try database.file.transaction { _ in
            for number in stride(from: 0, to: 80, by: 3) { try save(number) }
            for number in stride(from: 1, to: 80, by: 9) { try database.delete("d\(number)") }
        }
        return database
    }

    private func sortsFirst(_ text: String, in database: QueryDatabase) throws -> Bool {
        try database.prepare(text).compiled.sql.contains(" FROM (SELECT docid FROM ")
    }

    @Test(
        "the rows are the first ones of the same search without a limit",
        arguments: ["", " AND n > 2", " AND n > 1 AND n < 5", " AND meta().id != 'd2'"]
    )
    func firstRows(condition: String) throws {
        let seed = TestSeed.forThisTest()
        var random = SeededGenerator(seed: seed)
        let database = try database(&random)
        for pattern in ["alpha", "alpha OR beta", "gamma -delta", "al* beta", "nothing"] {
            for direction in ["", " DESC"] {
                let search = "FROM _ WHERE match(idx, '\(pattern)')\(condition) ORDER BY rank(idx)\(direction)"
                let all = try database.rows("SELECT meta().id, n \(search)")
                for (limit, offset) in [(0, 0), (1, 0), (7, 0), (100, 0), (7, 3), (100, 20), (5, 200)] {
                    let text = "SELECT meta().id, n \(search) LIMIT \(limit)" + (offset > 0 ? " OFFSET \(offset)" : "")
                    #expect(try sortsFirst(text, in: database))
                    #expect(try database.rows(text) == Array(all.dropFirst(offset).prefix(limit)), "\(text), seed \(seed)")
                }
            }
        }
    }

    @Test("the pattern and the limit can be parameters, and the collection can have an alias")
    func parameters() throws {
        var random = SeededGenerator(seed: TestSeed.forThisTest())
        let database = try database(&random)
        let all = try database.rows("SELECT d.n FROM _ AS d WHERE match(d.idx, 'beta') AND d.n < 6 ORDER BY rank(d.idx) DESC")
        let text = "SELECT d.n FROM _ AS d WHERE match(d.idx, $pattern) AND d.n < $most ORDER BY rank(d.idx) DESC LIMIT $count"
        #expect(try sortsFirst(text, in: database))
        let rows = try database.rows(text, QueryParameters(json: #"{"pattern":"beta","most":6,"count":4}"#))
        #expect(rows == Array(all.prefix(4)))
        #expect(throws: QueryError.invalidQuery("LIMIT must be an integer, but is a string")) {
            try database.rows(text, QueryParameters(json: #"{"pattern":"beta","most":6,"count":"x"}"#))
        }
    }

    @Test("rows that are read in batches are the same")
    func batches() throws {
        var random = SeededGenerator(seed: TestSeed.forThisTest())
        let database = try database(&random)
        let query = try database.prepare("SELECT n FROM _ WHERE match(idx, 'alpha') ORDER BY rank(idx) DESC LIMIT 9")
        var count = 0
        try query.stream(on: database.file, parameters: QueryParameters(), cancellation: QueryCancellation()) { batch in
            count += batch.count
            return true
        }
        #expect(count == 9)
        #expect(try query.run(on: database.file).count == 9)
    }

    @Test(
        "a query that needs the search for more than the order looks up the documents first",
        arguments: [
            "SELECT n FROM _ WHERE match(idx, 'beta') ORDER BY rank(idx) DESC",
            "SELECT n, rank(idx) FROM _ WHERE match(idx, 'beta') ORDER BY rank(idx) DESC LIMIT 5",
            "SELECT n FROM _ WHERE match(idx, 'beta') AND rank(idx) > 0.01 ORDER BY rank(idx) DESC LIMIT 5",
            "SELECT n FROM _ WHERE match(idx, 'beta') ORDER BY rank(idx) DESC, n LIMIT 5",
            "SELECT n FROM _ WHERE match(idx, 'beta') ORDER BY n LIMIT 5",
            "SELECT DISTINCT n FROM _ WHERE match(idx, 'beta') ORDER BY rank(idx) DESC LIMIT 5",
            "SELECT n, count(*) FROM _ WHERE match(idx, 'beta') GROUP BY n ORDER BY n LIMIT 5",
            "SELECT a.n FROM _ AS a JOIN _ AS b ON a.n = b.n WHERE match(a.idx, 'beta') ORDER BY rank(a.idx) DESC LIMIT 5",
        ]
    )
    func others(text: String) throws {
        var random = SeededGenerator(seed: TestSeed.forThisTest())
        let database = try database(&random)
        #expect(try !sortsFirst(text, in: database))
        #expect(try !database.rows(text).isEmpty)
    }

    @Test("a statement is used only if SQLite's plan leaves no other order of the rows")
    func plans() throws {
        var random = SeededGenerator(seed: TestSeed.forThisTest())
        let database = try database(&random)
        let text = "SELECT n FROM _ WHERE match(idx, 'beta') ORDER BY rank(idx) DESC LIMIT 5"
        let ranked = try database.prepare(text).compiled.sql
        let plain = try QueryCompiler.compile(
            SQLPlusPlus.parse(text),
            resolver: StoreResolver(file: database.file, databaseName: "db"),
            includesMatchInformation: false
        ).sql
        // Without its own limit, SQLite merges the nested query with the query around it.
        let merged = ranked.replacing(" LIMIT MAX(0, 5)) AS fts1", with: ") AS fts1")
        #expect(merged != ranked)
        try database.file.readWithKeys { context in
            let (isOrdered, isOrderedPlain) = try (
                RankedSearch.keepsOrder(ranked, on: context.connection), RankedSearch.keepsOrder(plain, on: context.connection)
            )
            #expect(isOrdered && !isOrderedPlain)
            let isOrderedMerged = try RankedSearch.keepsOrder(merged, on: context.connection)
            #expect(!isOrderedMerged)
        }
    }

    @Test("deleted documents in an index of an old release do not take the places of others")
    func oldTriggers() throws {
        let database = try QueryDatabase()
        try database.createFullTextIndex("s")
        // The triggers of releases before 2.5 index deleted documents too.
        try database.file.transaction { writer in
            for trigger in ["ins", "postupdate"] {
                let name = "kv_default::idx::\(trigger)"
                let sql = try writer.connection.texts("SELECT sql FROM sqlite_master WHERE name = ?", name)[0]
                try writer.connection.execute("DROP TRIGGER \(name.quotedIdentifier)")
                try writer.connection.execute(sql.replacing("WHEN (new.flags & 1 = 0)", with: ""))
            }
        }
        for number in 0..<6 { try database.save("d\(number)", #"{"s":"beta beta"}"#) }
        try database.file.transaction { writer in try writer.connection.execute("UPDATE kv_default SET flags = flags | 1 WHERE key < 'd4'")
        }
        let rows = try database.rows("SELECT meta().id FROM _ WHERE match(idx, 'beta') ORDER BY rank(idx) DESC LIMIT 2")
        #expect(rows == [#""d4""#, #""d5""#])
    }
}

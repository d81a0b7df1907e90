import DocumentStore
import QueryEngine
import SQLiteEngine
import TestSupport
import Testing

@Suite("Index advice")
struct IndexAdviceTests {
    private func database() throws -> QueryDatabase {
        let database = try QueryDatabase()
        try database.file.transaction { _ in
            for n in 0..<60 {
                let body = """
                    {"n":\(n % 7),"s":"Word \(n)","type":"\(n % 2 == 0 ? "even" : "odd")","tags":["t\(n % 3)",\(n)],
                     "contacts":[{"city":"C\(n % 5)","phones":["\(n)","0"]}],"ref":"h\(n % 4)"}
                    """
                try database.save("d\(n)", body)
                try database.save("h\(n)", body, in: "Shop.hotels")
            }
        }
        return database
    }

    @Test(
        "an advised value index is used by the query, which returns the same rows",
        arguments: [
            ("SELECT s FROM # WHERE n = 3", ["n"]), ("SELECT s FROM # WHERE 3 = n AND s > 'Word 2'", ["n", "s"]),
            ("SELECT s FROM # WHERE type = 'odd' AND n IN (1, 2)", ["type", "n"]),
            ("SELECT s FROM # WHERE type = 'odd' ORDER BY n DESC", ["type", "n"]),
            ("SELECT s FROM # ORDER BY type, n", ["type", "n"]), ("SELECT s FROM # WHERE s LIKE 'Word 1%'", ["s"]),
            ("SELECT s FROM # WHERE lower(s) = 'word 7'", ["lower(s)"]),
            ("SELECT s FROM # WHERE n BETWEEN 2 AND 3", ["n"]),
            ("SELECT s FROM # WHERE n + 1 = $p", ["n + 1"]), ("SELECT s FROM # WHERE x IS NULL", ["x"]),
            ("SELECT upper(s) AS s FROM # WHERE s = 'Word 1'", ["s"]),
            ("SELECT type, count(*) FROM # GROUP BY type", ["type"]),
            ("SELECT s FROM # WHERE (s = 'WORD 5') COLLATE (UNICODE NOCASE)", ["s COLLATE (UNICODE NOCASE)"]),
            ("SELECT a.s FROM # AS a JOIN # AS b ON a.n = b.n WHERE b.s = 'Word 3'", ["n", "s", "n"]),
            ("SELECT s FROM # WHERE tags[0] = 't1'", ["tags[0]"]),
            ("SELECT s FROM # WHERE `odd.key` = 1", ["`odd.key`"]),
        ]
    )
    func valueIndexes(text: String, columns: [String]) throws {
        for collection in ["_", "Shop.hotels"] {
            let query = text.replacing("#", with: collection)
            let database = try database()
            let advice = try check(query, database)
            #expect(advice.flatMap(\.expressions) == columns, "\(query)")
            #expect(advice.allSatisfy { $0.arrayPath == nil })
            #expect(advice.allSatisfy { $0.collection == (collection == "_" ? "_default._default" : collection) })
        }
    }

    @Test(
        "an array index is advised where UNNEST reads elements from documents",
        arguments: [
            ("SELECT d.n FROM # AS d UNNEST d.tags AS t WHERE t = 't1'", "tags", [String]()),
            ("SELECT d.n FROM # AS d UNNEST d.contacts AS c WHERE c.city = 'C1'", "contacts", ["city"]),
            ("SELECT d.n FROM # AS d UNNEST d.contacts AS c UNNEST c.phones AS p WHERE p = '7'", "contacts[].phones", [String]()),
        ]
    )
    func arrayIndexes(text: String, path: String, expressions: [String]) throws {
        for collection in ["_", "Shop.hotels"] {
            let database = try database()
            let advice = try check(text.replacing("#", with: collection), database)
            #expect(advice.map(\.arrayPath) == [path])
            #expect(advice.map(\.expressions) == [expressions])
        }
    }

    @Test(
        "no index is advised where none helps or a suitable one exists",
        arguments: [
            "SELECT s FROM _", "SELECT count(*) FROM _", "SELECT s FROM _ WHERE s LIKE '%1'",
            "SELECT s FROM _ WHERE n != 3",
            "SELECT s FROM _ WHERE meta().id = 'd1'", "SELECT s FROM _ WHERE served = 3", "SELECT s FROM _ WHERE n = s",
            "SELECT s FROM _ WHERE ANY t IN tags SATISFIES t = 't1' END", "SELECT DISTINCT s FROM _",
            "SELECT s FROM _ ORDER BY n, type DESC", "SELECT s FROM _ WHERE s LIKE $p",
            "SELECT s FROM _ WHERE served = 1 AND n = 2",
        ]
    )
    func noAdvice(text: String) throws {
        let database = try database()
        try database.indexes.create(IndexDefinition(name: "served", text: "served"), on: try database.collection())
        #expect(try database.prepare(text).plan(on: database.file).advice == [])
    }

    @Test(
        "an array index that exists is not advised again, also if the rows are sorted",
        arguments: ["", " ORDER BY d.n", " ORDER BY t", " GROUP BY d.n", " ORDER BY d.s, t DESC LIMIT 3"]
    )
    func existingArrayIndex(end: String) throws {
        let database = try database()
        let text = "SELECT d.n FROM _ AS d UNNEST d.tags AS t WHERE t = 't1'\(end)"
        #expect(try database.prepare(text).plan(on: database.file).advice.contains { $0.arrayPath == "tags" })
        try database.indexes.create(IndexDefinition(name: "tags", kind: .array(path: "tags"), text: ""), on: try database.collection())
        #expect(try !database.prepare(text).plan(on: database.file).advice.contains { $0.arrayPath != nil })
    }

    @Test("index advice does not change the file and works on a read-only file")
    func readOnly() throws {
        let database = try database()
        let before = try database.file.read { try $0.connection.scalar("SELECT count(*) FROM sqlite_master") }
        let reader = try database.reopenedForReading()
        let text = "SELECT s FROM _ WHERE n = 3"
        #expect(try reader.prepare(text).plan(on: reader.file).advice.map(\.name) == ["n"])
        #expect(try database.file.read { try $0.connection.scalar("SELECT count(*) FROM sqlite_master") } == before)
    }

    @Test("an advised index gets an unused name, also in an optimized database")
    func names() throws {
        let database = try database()
        try database.indexes.create(IndexDefinition(name: "N", text: "other"), on: try database.collection())
        try database.file.optimize(completely: true)
        #expect(try check("SELECT s FROM _ WHERE n = 3", database).map(\.name) == ["n_2"])
    }

    @Test("an index is advised for nested queries")
    func nested() throws {
        let database = try database()
        let text = "SELECT n FROM _ WHERE meta().id = 'd1' AND EXISTS (SELECT s FROM Shop.hotels WHERE type = 'x')"
        #expect(try check(text, database).map(\.collection) == ["Shop.hotels"])
    }

    /// Follows the advice for a query, and checks that it was correct.
    private func check(_ text: String, _ database: QueryDatabase) throws -> [PlanDescription.Advice] {
        let parameters = text.contains("$p") ? try QueryParameters(json: #"{"p":3}"#) : QueryParameters()
        let before = try database.rows(text, parameters).sorted()
        let query = try database.prepare(text)
        let advice = try query.plan(on: database.file).advice
        for piece in advice {
            let collection = try database.collection(piece.collection)
            try database.indexes.create(piece.definition, on: collection)
        }
        let plan = try query.plan(on: database.file)
        let used = plan.steps.compactMap(\.index)
        #expect(advice.allSatisfy { used.contains($0.name) }, "\(text): \(plan.steps.map(\.text))")
        #expect(!advice.isEmpty, "\(text): \(plan.steps.map(\.text))")
        #expect(try database.rows(text, parameters).sorted() == before, "\(text)")
        return advice
    }
}

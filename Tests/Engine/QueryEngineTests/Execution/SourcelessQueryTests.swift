import QueryEngine
import QueryLanguage
import TestSupport
import Testing

@Suite("Queries without FROM")
struct SourcelessQueryTests {
    private func database() throws -> QueryDatabase {
        let database = try QueryDatabase()
        for number in 0..<3 { try database.save("d\(number)", #"{"n":\#(number)}"#) }
        return database
    }

    @Test(
        "a SELECT without FROM is one row, also inside of other queries",
        arguments: [
            ("SELECT 1 + 1", ["2"]), ("SELECT 1 AS a, 'x' AS b", [#"1 "x""#]), ("WITH x AS (SELECT 1 AS a) SELECT x.a FROM x", ["1"]),
            ("SELECT * FROM (SELECT 5 AS a) AS t", [#"{"a":5}"#]), ("SELECT count(*) AS c", ["1"]), ("SELECT 1 WHERE 1 = 2", []),
            ("SELECT 1 AS a UNION ALL SELECT 2 AS a ORDER BY a DESC", ["2", "1"]), ("SELECT n FROM _ WHERE n IN (SELECT 2)", ["2"]),
            ("SELECT q.n FROM _ AS q WHERE EXISTS (SELECT 1 WHERE q.n = 1)", ["1"]), ("SELECT 1 AS a LIMIT 0", []),
            ("SELECT $p AS a", ["-"]),
            ("SELECT 3 AS a ORDER BY a", ["3"]), ("SELECT DISTINCT 1", ["1"]), ("SELECT 2 AS a WHERE a > 1", ["2"]),
        ]
    )
    func rows(text: String, expected: [String]) throws {
        let database = try database()
        #expect(try database.rows(text) == expected)
        let parsed = try SQLPlusPlus.parse(text)
        #expect(try QueryJSON.parse(QueryJSON.text(of: parsed)) == parsed)
    }

    @Test(
        "a property or metadata without FROM is an error",
        arguments: ["SELECT n", "SELECT *", "SELECT 1 + n", "SELECT 1 ORDER BY n", "SELECT 1 WHERE n = 1"]
    )
    func properties(text: String) throws {
        let database = try database()
        #expect(throws: QueryError.invalidQuery("SQL++ error: missing the FROM clause")) { try database.rows(text) }
        #expect(throws: QueryError.invalidQuery("meta() requires a collection")) { try database.rows("SELECT meta().id") }
    }

    @Test("a query in JSON without FROM reads the default collection")
    func json() throws {
        let database = try database()
        let query = try PreparedQuery(QueryJSON.parse(#"{"WHAT":[["count()"]]}"#), on: database.file, databaseName: "db")
        #expect(try query.run(on: database.file).json(0) == "3")
    }
}

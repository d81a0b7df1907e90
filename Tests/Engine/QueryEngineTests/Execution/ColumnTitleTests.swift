import QueryLanguage
import SQLiteEngine
import TestSupport
import Testing

@testable import QueryEngine

@Suite("Titles of columns and properties of the same name")
struct ColumnTitleTests {
    private func database() throws -> QueryDatabase {
        let database = try QueryDatabase()
        try database.save("1", #"{"name":"Ann","n":3,"o":{"k":1}}"#)
        try database.save("2", #"{"name":"bob","n":1,"m":9}"#)
        return database
    }

    @Test(
        "a title hides no property in other columns or in WHERE, and is visible in ORDER BY, GROUP BY and HAVING",
        arguments: [
            ("SELECT upper(name) AS name, lower(name) AS low FROM _ ORDER BY low", [#""ANN" "ann""#, #""BOB" "bob""#]),
            ("SELECT 5 AS n, n + 1 AS m, [n] AS l FROM _ ORDER BY m", ["5 2 [1]", "5 4 [3]"]),
            ("SELECT upper(name) AS name FROM _ WHERE name = 'bob'", [#""BOB""#]), ("SELECT -n AS n FROM _ ORDER BY n", ["-3", "-1"]),
            ("SELECT name AS n FROM _ WHERE n = 3", [#""Ann""#]), ("SELECT n AS k FROM _ WHERE k = 3", ["3"]),
            ("SELECT n + 1 AS m FROM _ WHERE m = 9 OR m = 4 ORDER BY m", ["2", "4"]),
            ("SELECT {'k': n} AS o FROM _ WHERE o.k = 1 ORDER BY n", [#"{"k":1}"#, #"{"k":3}"#]),
            ("SELECT n > 2 AS name, count(*) AS c FROM _ GROUP BY name ORDER BY name", ["0 1", "1 1"]),
            ("SELECT upper(name) AS name, count(*) AS c FROM _ GROUP BY name HAVING name = 'BOB'", [#""BOB" 1"#]),
            ("SELECT [1] AS o FROM _ WHERE ANY v IN o SATISFIES v = 1 END", ["[1]", "[1]"]),
            ("SELECT t.x + 1 AS x FROM (SELECT n AS x FROM _) AS t WHERE x = 3", ["4"]),
        ]
    )
    func visibility(text: String, expected: [String]) throws {
        #expect(try database().rows(text) == expected)
    }

    @Test("a property that has the title of a column computed from it is searched in its index")
    func indexes() throws {
        let database = try database()
        try database.indexes.create(IndexDefinition(name: "byName", text: "name"), on: try database.collection())
        #expect(try database.plan("SELECT upper(name) AS name FROM _ WHERE name = 'bob'").contains("USING INDEX byName"))
    }

    @Test("an error of SQLite in a compiled query is shown as a defect with a number and the statement, and without SQLite's text")
    func defects() {
        let error = SQLiteError(extendedCode: 1, message: "no such column: q", sql: "SELECT q")
        let shown = QueryError(preparing: error)
        #expect(shown?.message.contains("no such column") == false)
        #expect(shown?.message.contains("internal error Q") == true)
        #expect(shown?.message.hasSuffix("SELECT q") == true)
        #expect(QueryError(error)?.message == shown?.message)
        // The number identifies the message.
        let other = QueryError(preparing: SQLiteError(extendedCode: 1, message: "no such column: r", sql: "SELECT q"))
        #expect(other?.message != shown?.message)
    }

    @Test("limits of SQLite and unknown locales are explained in words of the query language")
    func limits() throws {
        let database = try database()
        let columns = (0..<2100).map { "\($0) AS c\($0)" }.joined(separator: ", ")
        let tooLarge = #expect(throws: QueryError.self) { try database.rows("SELECT \(columns) FROM _") }
        #expect(tooLarge?.message.hasPrefix("the query is too large for SQLite") == true)
        let error = #expect(throws: QueryError.self) {
            try database.indexes.create(IndexDefinition(name: "i", text: "name LIKE 'a%'"), on: try database.collection())
        }
        #expect(error?.message.hasPrefix("LIKE, ANY, EVERY") == true)
    }
}

import DocumentStore
import QueryEngine
import QueryLanguage
import Testing

@Suite("Nested queries in FROM")
struct NestedSourceTests {
    private func database() throws -> QueryDatabase {
        let database = try QueryDatabase()
        for (id, json) in [
            ("a", #"{"type":"x","n":1,"tags":["p","q"],"geo":{"lat":5},"ok":true}"#), ("b", #"{"type":"x","n":2,"ok":1,"none":null}"#),
            ("c", #"{"type":"y","n":5,"tags":["q"],"big":18446744073709551615}"#), ("d", #"{"type":"z","n":7}"#),
        ] { try database.save(id, json) }
        try database.save("e", #"{"type":"x","label":"first"}"#, in: "shop.types")
        try database.save("f", #"{"type":"y","label":"second"}"#, in: "shop.types")
        return database
    }

    @Test(
        "a nested query in FROM is a source whose columns are properties",
        arguments: [
            ("SELECT t.n FROM (SELECT n FROM _ WHERE type = 'x') AS t ORDER BY t.n DESC", ["2", "1"]),
            ("SELECT n + 1 FROM (SELECT n FROM _) t WHERE n > 2 ORDER BY n", ["6", "8"]),
            (
                "SELECT t.total FROM (SELECT type, sum(n) AS total FROM _ GROUP BY type) AS t WHERE t.total > 3 ORDER BY t.total",
                ["5", "7"]
            ),
            ("SELECT max(total), count(*) FROM (SELECT sum(n) AS total FROM _ GROUP BY type) AS t", ["7 3"]),
            ("SELECT t.geo.lat, t.tags[0] FROM (SELECT geo, tags FROM _ WHERE n = 1) AS t", [#"5 "p""#]),
            ("SELECT id FROM (SELECT meta().id, n FROM _ ORDER BY n DESC LIMIT 2) AS t ORDER BY id", [#""c""#, #""d""#]),
            ("SELECT t.n FROM (SELECT DISTINCT type AS n FROM _) AS t ORDER BY t.n LIMIT 1 OFFSET 1", [#""y""#]),
            ("SELECT * FROM (SELECT type, n, geo FROM _ WHERE n = 2) AS t", [#"{"n":2,"type":"x"}"#]),
            ("SELECT t.`$1` FROM (SELECT n * 2 FROM _ WHERE n = 7) AS t", ["14"]),
            ("SELECT u.m FROM (SELECT t.n * 2 AS m FROM (SELECT n FROM _ WHERE n < 5) AS t WHERE t.n > 1) AS u", ["4"]),
            ("SELECT a, A FROM (SELECT n AS a, type AS A FROM _ WHERE n = 7) AS t", [#"7 "z""#]),
            ("SELECT n FROM (SELECT n FROM _ WHERE n < $p) AS t WHERE n > $q", ["2"]),
            ("SELECT x.y FROM (SELECT n AS y FROM _ WHERE n IN (SELECT n FROM _ WHERE type = 'y')) AS x", ["5"]),
            ("SELECT ANY v IN t.tags SATISFIES v = 'p' END FROM (SELECT tags FROM _ WHERE n = 1) AS t", ["true"]),
            ("SELECT t.geo IS NOT MISSING FROM (SELECT geo, n FROM _) AS t WHERE t.n = 1", ["true"]),
        ]
    )
    func sources(query: String, rows: [String]) throws {
        let parameters = query.contains("$p") ? try QueryParameters(json: #"{"p":5,"q":1}"#) : QueryParameters()
        #expect(try database().rows(query, parameters) == rows)
    }

    @Test("values keep their types in a nested query")
    func types() throws {
        let database = try database()
        let query = """
            SELECT t.ok, type(t.ok), t.none, t.none IS NULL, t.big, t.geo, t.nope IS MISSING, t.same
            FROM (SELECT ok, none, big, geo, nope, n, (n = 1) AS same FROM _) AS t ORDER BY t.n
            """
        #expect(
            try database.rows(query) == [
                #"true "boolean" - - - {"lat":5} true 1"#, #"1 "number" null true - - true 0"#,
                "- - - - 18446744073709551615 - true 0", "- - - - - - true 0",
            ]
        )
        #expect(try database.rows("SELECT t.n FROM (SELECT n, ok FROM _) AS t WHERE t.ok = TRUE ORDER BY t.n") == ["1", "2"])
    }

    @Test("a nested query is joined with collections, other nested queries and arrays")
    func joins() throws {
        let database = try database()
        let grouped = "(SELECT type, count(*) AS c FROM _ GROUP BY type) AS g"
        let joined = "\(grouped) LEFT JOIN (SELECT * FROM shop.types WHERE type = 'x') AS s ON s.types.type = g.type"
        #expect(
            try database.rows("SELECT g.type, s.types.label, s FROM \(joined) ORDER BY g.type")
                == [#""x" "first" {"types":{"label":"first","type":"x"}}"#, #""y" - -"#, #""z" - -"#]
        )
        #expect(
            try database.rows("SELECT u, t.n FROM (SELECT n, tags FROM _) AS t UNNEST t.tags AS u ORDER BY t.n, u")
                == [#""p" 1"#, #""q" 1"#, #""q" 5"#]
        )
        #expect(try database.rows("SELECT count(*) FROM (SELECT n FROM _) AS a CROSS JOIN (SELECT n FROM _) AS b") == ["16"])
    }

    @Test("titles of the result follow the columns of the nested query")
    func titles() throws {
        func titles(_ text: String) throws -> [String] { try database().prepare(text).compiled.columnTitles }
        #expect(try titles("SELECT t.a, t.b.c, *, t.a + 1, t FROM (SELECT n AS a, geo AS b FROM _) AS t") == ["a", "c", "t", "$1", "t #2"])
    }

    @Test(
        "an invalid nested query in FROM throws an error that names the reason",
        arguments: [
            ("SELECT t.x FROM (SELECT n, tags FROM _) AS t", "the nested query 't' has no column 'x'"),
            ("SELECT x FROM (SELECT n FROM _) AS t", "the nested query 't' has no column 'x'"),
            ("SELECT meta().id FROM (SELECT n FROM _) AS t", "meta() requires a collection"),
            ("SELECT a FROM (SELECT n AS a FROM _) AS t JOIN (SELECT n FROM _) AS t ON TRUE", "duplicate collection alias 't'"),
            ("SELECT 1 FROM (SELECT n FROM _) AS t JOIN (SELECT n FROM _) AS u", "FROM item needs an ON clause to be a join"),
            ("SELECT 1 FROM _ AS a CROSS JOIN (SELECT n FROM _ AS b WHERE a.n = b.n) AS u", ""),
            ("SELECT n FROM (SELECT n FROM _)", "SQL++ syntax error near character 32"),
            ("SELECT n FROM (SELECT n FROM _ AS t", "SQL++ syntax error near character 36"),
        ]
    )
    func errors(query: String, message: String) throws {
        // In the query without a message, `a.n` is a property: queries in FROM do not see the other sources.
        guard !message.isEmpty else { return #expect(try database().rows(query) == []) }
        let error = #expect(throws: QueryError.self) { try database().rows(query) }
        #expect(error?.message == message)
    }

    @Test("the error for a column that does not exist suggests the nearest one")
    func suggestion() throws {
        let error = #expect(throws: QueryError.self) { try database().rows("SELECT t.totl FROM (SELECT n AS total, type FROM _) AS t") }
        #expect(error?.description == "the nested query 't' has no column 'totl'; did you mean total? its columns are total, type")
    }

    @Test("a nested query is written as JSON and read again")
    func json() throws {
        let text = "SELECT t.a FROM (SELECT b AS a FROM _ WHERE c) AS t LEFT JOIN (SELECT d FROM s.e) AS u ON u.d = t.a"
        let json = QueryJSON.text(of: try SQLPlusPlus.parse(text))
        let inner = #"{"SELECT":{"WHAT":[["AS",[".b"],"a"]],"FROM":[{"COLLECTION":"_"}],"WHERE":[".c"]},"AS":"t"}"#
        #expect(json.contains(inner))
        #expect(try QueryJSON.parse(json) == SQLPlusPlus.parse(text))
        let error = #expect(throws: QueryError.self) { try QueryDatabase().prepare(json: #"{"FROM":[{"SELECT":{"WHAT":[".a"]}}]}"#) }
        #expect(error?.message == "a nested query in FROM needs a name: (SELECT …) AS name")
    }

    @Test("indexes serve the conditions inside a nested query")
    func indexes() throws {
        let database = try database()
        try database.indexes.create(IndexDefinition(name: "byType", kind: .value, text: "type"), on: try database.collection())
        let query = "SELECT t.n FROM (SELECT n FROM _ WHERE type = 'x') AS t WHERE t.n > 1"
        #expect(try database.plan(query).contains("USING INDEX byType"))
        #expect(try database.rows(query) == ["2"])
    }

    @Test("the plan names the nested query, and the collections in it are observed")
    func plan() throws {
        let database = try database()
        let query = try database.prepare(
            "SELECT g.c FROM (SELECT count(*) AS c FROM shop.types GROUP BY type) AS g JOIN _ AS d ON d.n = g.c"
        )
        #expect(query.compiled.sources.map(\.storeName) == [".shop.types", "default"])
        let texts = try query.plan(on: database.file).steps.map(\.text)
        #expect(texts.contains("runs the nested query g:"))
        #expect(texts.contains { $0.contains("of shop.types") })
    }

    @Test("12 levels of nested queries are accepted, and more throw an error instead of exhausting the stack")
    func depth() throws {
        func nested(_ depth: Int) -> String { (0..<depth).reduce("_") { text, level in "(SELECT n FROM \(text)) AS t\(level)" } }
        #expect(try database().rows("SELECT sum(n) FROM \(nested(12))") == ["15"])
        let error = #expect(throws: QueryError.self) { try SQLPlusPlus.parse("SELECT n FROM \(nested(13))") }
        #expect(error?.message == "the query is nested too deeply")
        #expect(throws: QueryError.self) { try SQLPlusPlus.parse(String(repeating: "SELECT n FROM (", count: 20_000)) }
        let tree = (0..<60).reduce(SelectStatement()) { select, _ in SelectStatement(sources: [Source(.query(select), alias: "t")]) }
        #expect(throws: QueryError.invalidQuery("the query is nested too deeply")) { try tree.checkDepth() }
    }
}

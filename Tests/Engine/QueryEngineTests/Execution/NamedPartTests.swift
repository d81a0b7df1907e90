import DocumentStore
import QueryEngine
import QueryLanguage
import Testing

@Suite("LET and WITH")
struct NamedPartTests {
    private func database() throws -> QueryDatabase {
        let database = try QueryDatabase()
        for (id, json) in [
            ("a", #"{"price":10,"count":2,"city":"Oslo","geo":{"lat":1}}"#), ("b", #"{"price":5,"count":5,"city":"Rome"}"#),
            ("c", #"{"price":1,"count":1,"city":"Oslo"}"#),
        ] { try database.save(id, json) }
        try database.save("d", #"{"name":"Oslo","country":"NO"}"#, in: "shop.cities")
        return database
    }

    @Test(
        "a variable of LET stands for its expression in all clauses",
        arguments: [
            ("SELECT total FROM _ LET total = price * count WHERE total > 5 ORDER BY total DESC", ["25", "20"]),
            (
                "SELECT c, sum(t) FROM _ AS d LET c = d.city, t = d.price * d.count GROUP BY c HAVING sum(t) > 1 ORDER BY c",
                [
                    #""Oslo" 21"#, #""Rome" 25"#,
                ]
            ),
            ("SELECT y FROM _ LET x = price + 1, y = x * x WHERE y < 40 ORDER BY y", ["4", "36"]),
            ("SELECT g.lat, g FROM _ LET g = geo WHERE g IS NOT MISSING", [#"1 {"lat":1}"#]),
            ("SELECT m.id FROM _ LET m = meta() WHERE m.id = 'b'", [#""b""#]),
            ("SELECT o.x FROM _ LET o = {'x': price} ORDER BY o.x LIMIT 1", ["1"]),
            ("SELECT price FROM _ LET one = 1, s = 'x' ORDER BY one, s, price", ["1", "5", "10"]),
            ("SELECT count(*), s FROM _ LET s = 'x' GROUP BY s", [#"3 "x""#]),
            ("SELECT price FROM _ LET limits = [1, 5] WHERE price IN limits ORDER BY price", ["1", "5"]),
            ("SELECT x.t FROM (SELECT t FROM _ LET t = price * 2) AS x LET u = x.t WHERE u > 5 ORDER BY u", ["10", "20"]),
            ("SELECT ANY v IN list SATISFIES v = x END FROM _ LET list = [price], x = 5 WHERE price = 5", ["true"]),
        ]
    )
    func variables(query: String, rows: [String]) throws {
        #expect(try database().rows(query) == rows)
    }

    @Test("a column of a variable is titled like a property")
    func titles() throws {
        let query = try database().prepare("SELECT t, g.lat, t + 1, p AS q FROM _ LET t = price * 2, g = geo, p = price")
        #expect(query.compiled.columnTitles == ["t", "lat", "$1", "q"])
    }

    @Test("an index serves a condition on a variable that stands for a property")
    func index() throws {
        let database = try database()
        try database.indexes.create(IndexDefinition(name: "byCity", kind: .value, text: "city"), on: try database.collection())
        #expect(try database.plan("SELECT price FROM _ LET c = city WHERE c = 'Rome'").contains("USING INDEX byCity"))
    }

    @Test(
        "an invalid LET or WITH throws an error that names the reason",
        arguments: [
            ("SELECT x FROM _ LET x = 1, x = 2", "the name x of LET is already in use"),
            ("SELECT x FROM _ AS x LET x = 1", "the name x of LET is already in use"),
            ("SELECT x FROM _ LET x = 1, y", "expected \"=\", but the text ends"),
            (
                "SELECT x FROM _ LET x = a WHERE EXISTS (SELECT 1 FROM _ AS b WHERE b.y = x)",
                "the variable x of LET cannot be used in a nested query"
            ),
            ("WITH a AS (SELECT n FROM _), a AS (SELECT n FROM _) SELECT n FROM a", "WITH names two queries a"),
            ("WITH a AS SELECT n FROM _ SELECT n FROM a", "expected \"(\""),
            ("WITH a (SELECT n FROM _) SELECT n FROM a", "expected AS"),
        ]
    )
    func errors(query: String, reason: String) throws {
        let error = #expect(throws: QueryError.self) { try SQLPlusPlus.parse(query) }
        #expect(error?.message.hasPrefix("SQL++ syntax error near character ") == true)
        #expect(error?.hint.contains(reason) == true)
    }

    @Test("too many variables, and variables and named queries that grow exponentially, throw an error")
    func growth() {
        let doubled = (1...40).map { "v\($0) = v\($0 - 1) || v\($0 - 1)" }.joined(separator: ", ")
        let variables = #expect(throws: QueryError.self) { try SQLPlusPlus.parse("SELECT v40 FROM _ LET v0 = a, \(doubled)") }
        #expect(variables?.hint.contains("too large") == true)
        let list = Array(repeating: "a", count: 5000).joined(separator: ",")
        let columns = #expect(throws: QueryError.self) {
            try SQLPlusPlus.parse("SELECT v\(String(repeating: ",v", count: 300)) FROM _ LET v = [\(list)]")
        }
        #expect(columns?.hint.contains("make the query too large") == true)
        let many = #expect(throws: QueryError.self) {
            try SQLPlusPlus.parse("SELECT v0 FROM _ LET " + (0...1000).map { "v\($0) = a" }.joined(separator: ", "))
        }
        #expect(many?.hint.contains("more than 1000 variables") == true)
        let nested = (1...400).map { "v\($0) = [v\($0 - 1)]" }.joined(separator: ", ")
        let deep = #expect(throws: QueryError.self) { try SQLPlusPlus.parse("SELECT v400 FROM _ LET v0 = a, \(nested)") }
        #expect(deep?.message == "the query is nested too deeply")
        let queries = (1...40).map { "q\($0) AS (SELECT a.n FROM q\($0 - 1) AS a CROSS JOIN q\($0 - 1) AS b)" }.joined(separator: ", ")
        let joined = #expect(throws: QueryError.self) {
            try SQLPlusPlus.parse("WITH q0 AS (SELECT n FROM _), \(queries) SELECT n FROM q40")
        }
        #expect(joined?.hint.contains("more than 64 nested queries") == true)
    }

    @Test(
        "a query named by WITH is used like a collection",
        arguments: [
            ("WITH t AS (SELECT city, sum(price) AS p FROM _ GROUP BY city) SELECT t.p FROM t ORDER BY t.p", ["5", "11"]),
            ("WITH t AS (SELECT price AS p FROM _), u AS (SELECT p FROM t WHERE p > 1) SELECT max(x.p) FROM u AS x", ["10"]),
            (
                "with t as (SELECT city, price FROM _) SELECT a.price FROM t AS a JOIN t AS b ON a.city = b.city AND a.price < b.price",
                ["1"]
            ),
            (
                "WITH t AS (SELECT name FROM shop.cities) SELECT price FROM _ WHERE city IN (SELECT name FROM t) ORDER BY price",
                ["1", "10"]
            ),
            ("WITH t AS (SELECT price FROM _) SELECT price FROM t UNION SELECT price + 1 FROM t ORDER BY price LIMIT 2", ["1", "2"]),
            ("WITH t AS (SELECT price FROM _ WHERE price = $p) SELECT * FROM t", [#"{"price":5}"#]),
        ]
    )
    func namedQueries(query: String, rows: [String]) throws {
        let parameters = query.contains("$p") ? try QueryParameters(json: #"{"p":5}"#) : QueryParameters()
        #expect(try database().rows(query, parameters) == rows)
    }

    @Test("LET and WITH are names wherever they could be names before")
    func names() throws {
        for word in ["let", "WITH"] {
            let select = try SQLPlusPlus.parse(
                "SELECT \(word), \(word).a AS \(word) FROM \(word) \(word) WHERE \(word) = 1 ORDER BY \(word)"
            )
            #expect(select.items[0].expression == .property([.key(word)]))
            #expect(select.sources == [.collection(CollectionPath(name: word), alias: word)])
        }
        #expect(try SQLPlusPlus.parse("SELECT x FROM a LET LET x = 1").sources == [.collection(CollectionPath(name: "a"), alias: "LET")])
    }

    @Test("a named query that is not used adds nothing to the query")
    func unused() throws {
        #expect(try SQLPlusPlus.parse("WITH t AS (SELECT n FROM nowhere) SELECT n FROM _") == SQLPlusPlus.parse("SELECT n FROM _"))
    }
}

import DocumentStore
import QueryEngine
import QueryLanguage
import Testing

@Suite("Combined queries")
struct CombinedQueryTests {
    private func database() throws -> QueryDatabase {
        let database = try QueryDatabase()
        for (id, json) in [("a", #"{"n":1,"s":"x","b":true}"#), ("b", #"{"n":2,"s":"x"}"#), ("c", #"{"n":3,"s":"y","b":1}"#)] {
            try database.save(id, json)
        }
        for (id, json) in [("d", #"{"n":2,"t":"z"}"#), ("e", #"{"n":4,"t":"x","b":true}"#)] {
            try database.save(id, json, in: "shop.items")
        }
        return database
    }

    @Test(
        "UNION, INTERSECT and EXCEPT combine the rows of two or more queries",
        arguments: [
            ("SELECT n FROM _ UNION ALL SELECT n FROM shop.items ORDER BY n", ["1", "2", "2", "3", "4"]),
            ("SELECT n FROM _ UNION SELECT n FROM shop.items ORDER BY n", ["1", "2", "3", "4"]),
            ("SELECT n FROM _ union distinct SELECT n FROM shop.items ORDER BY n DESC", ["4", "3", "2", "1"]),
            ("SELECT n FROM _ INTERSECT SELECT n FROM shop.items", ["2"]),
            ("SELECT n FROM _ EXCEPT SELECT n FROM shop.items ORDER BY n", ["1", "3"]),
            (
                "SELECT s FROM _ WHERE n < 3 UNION ALL SELECT t FROM shop.items WHERE n > 3 UNION SELECT 'w' || '' FROM _ ORDER BY s",
                [#""w""#, #""x""#]
            ),
            ("SELECT n FROM _ EXCEPT SELECT n FROM shop.items UNION ALL SELECT n FROM _ WHERE n = 1 ORDER BY n", ["1", "1", "3"]),
            ("SELECT n FROM _ UNION SELECT n FROM shop.items ORDER BY n DESC LIMIT 2 OFFSET 1", ["3", "2"]),
            ("SELECT count(*) FROM _ UNION ALL SELECT count(*) FROM shop.items ORDER BY 1", ["2", "3"]),
            (
                "SELECT s, sum(n) AS total FROM _ GROUP BY s UNION ALL SELECT t, n FROM shop.items ORDER BY total, s",
                [
                    #""z" 2"#, #""x" 3"#, #""y" 3"#, #""x" 4"#,
                ]
            ),
            (
                "SELECT s AS name, n FROM _ UNION ALL SELECT t, n FROM shop.items ORDER BY upper(name) || '' DESC, n + 0 LIMIT 2",
                [
                    #""z" 2"#, #""y" 3"#,
                ]
            ),
            (
                "SELECT u.n FROM (SELECT n FROM _ UNION SELECT n FROM shop.items ORDER BY n LIMIT 3) AS u WHERE u.n > 1 ORDER BY u.n",
                ["2", "3"]
            ),
            (
                "SELECT n FROM _ WHERE n IN (SELECT n FROM shop.items UNION ALL SELECT n + 2 FROM _ ORDER BY n LIMIT 2) ORDER BY n",
                ["2", "3"]
            ),
            (
                "SELECT n FROM _ AS q WHERE EXISTS (SELECT 1 FROM _ AS r WHERE r.n = q.n + 2 UNION SELECT 1 FROM shop.items AS i WHERE i.n = q.n)",
                [
                    "1", "2",
                ]
            ),
        ]
    )
    func rows(query: String, rows: [String]) throws {
        #expect(try database().rows(query) == rows)
    }

    @Test("UNION distinguishes the values that SELECT DISTINCT distinguishes")
    func values() throws {
        let query = "SELECT b FROM _ UNION SELECT b FROM shop.items UNION SELECT 1.0 FROM _"
        #expect(try Set(database().rows(query)).symmetricDifference(["-", "true", "1"]).isSubset(of: ["1", "1.0"]))
        #expect(try database().rows(query).count == 3)
        #expect(try database().rows("SELECT s COLLATE NOCASE FROM _ UNION SELECT 'X' || '' FROM _").count == 3)
    }

    @Test("the titles are those of the first query, also for ORDER BY")
    func titles() throws {
        func titles(_ text: String) throws -> [String] { try database().prepare(text).compiled.columnTitles }
        #expect(try titles("SELECT n, s AS name, 1 FROM _ UNION SELECT t, n AS x, 2 FROM shop.items") == ["n", "name", "$1"])
        #expect(
            try titles("SELECT n, s AS name, *, 1 FROM _ AS q UNION SELECT t, n, t, 2 FROM shop.items ORDER BY name") == [
                "n", "name", "q", "$1",
            ]
        )
        let error = #expect(throws: QueryError.self) { try titles("SELECT n FROM _ UNION SELECT n FROM shop.items ORDER BY s") }
        #expect(error?.message == "the combined query has no column 's'")
    }

    @Test(
        "an invalid combination throws an error that names the reason and the place",
        arguments: [
            ("SELECT n FROM _ UNION SELECT n, t FROM shop.items", "the first query has 1 columns, but this one has 2"),
            ("SELECT n FROM _ INTERSECT ALL SELECT n FROM _", "INTERSECT ALL is not supported; write INTERSECT"),
            (
                "SELECT n FROM _ ORDER BY n UNION SELECT n FROM _",
                "ORDER BY, LIMIT and OFFSET belong to the whole query, after the last query that is combined"
            ),
            ("SELECT n FROM _ LIMIT 1 EXCEPT SELECT n FROM _", "ORDER BY, LIMIT and OFFSET belong to the whole query"),
        ]
    )
    func errors(query: String, reason: String) throws {
        let error = #expect(throws: QueryError.self) { try SQLPlusPlus.parse(query) }
        #expect(error?.message.hasPrefix("SQL++ syntax error near character ") == true)
        #expect(error?.hint.contains(reason) == true)
    }

    @Test("a second query that reads a property without FROM throws an error")
    func missingFrom() {
        #expect(throws: QueryError.invalidQuery("SQL++ error: missing the FROM clause")) {
            try SQLPlusPlus.parse("SELECT n FROM _ UNION SELECT n")
        }
    }

    @Test("UNION, INTERSECT and EXCEPT are names where no SELECT follows")
    func names() throws {
        for word in ["union", "INTERSECT", "except"] {
            let select = try SQLPlusPlus.parse("SELECT \(word), \(word).x AS \(word) FROM \(word) \(word) WHERE \(word) ORDER BY \(word)")
            #expect(select.items[0].expression == .property([.key(word)]))
            #expect(select.sources == [.collection(CollectionPath(name: word), alias: word)])
            #expect(select.combinations.isEmpty)
        }
    }

    @Test("combined queries are written as JSON and read again, and invalid ones throw an error")
    func json() throws {
        let text = "SELECT a FROM _ UNION ALL SELECT b FROM s.c EXCEPT SELECT d FROM _ ORDER BY a LIMIT 1"
        let json = QueryJSON.text(of: try SQLPlusPlus.parse(text))
        #expect(json.contains(#""COMBINED":[["UNION ALL",{"WHAT":[[".b"]],"FROM":[{"SCOPE":"s","COLLECTION":"c"}]}],["EXCEPT",{"#))
        #expect(try QueryJSON.parse(json) == SQLPlusPlus.parse(text))
        for (combined, message) in [
            (#"["JOIN",{}]"#, "Unknown operator 'JOIN'"),
            (#"["UNION"]"#, "an item of COMBINED must be an array of an operator and a query"),
            (
                #"["UNION",{"WHAT":[".a"],"LIMIT":1}]"#,
                "a query after UNION cannot have ORDER BY, LIMIT or OFFSET, which belong to the whole query"
            ),
            (#"["UNION",{"WHAT":[".a",".b"]}]"#, "the first query has 1 columns, but query 2, after UNION, has 2"),
        ] {
            let error = #expect(throws: QueryError.self) {
                try QueryDatabase().prepare(json: "{\"WHAT\":[\".a\"],\"COMBINED\":[\(combined)]}")
            }
            #expect(error?.message == message)
        }
    }

    @Test("the collections of all combined queries are observed, and the plan describes the steps")
    func plan() throws {
        let database = try database()
        for order in ["", " ORDER BY n"] {
            let query = try database.prepare("SELECT n FROM _ UNION SELECT n FROM shop.items WHERE n = $p\(order)")
            #expect(query.compiled.sources.map(\.storeName) == ["default", ".shop.items"])
            #expect(query.compiled.parameterNames == ["p"])
            let texts = try query.plan(on: database.file).steps.map(\.text)
            #expect(texts.contains { $0.contains("of shop.items") })
            #expect(try !query.explain(on: database.file).isEmpty)
        }
    }

    @Test("100 queries can be combined, and more throw an error")
    func many() throws {
        let database = try database()
        func text(_ count: Int) -> String { Array(repeating: "SELECT n FROM _ WHERE n = 1", count: count).joined(separator: " UNION ALL ") }
        #expect(try database.rows(text(100)).count == 100)
        #expect(throws: QueryError.invalidQuery("at most 100 queries can be combined")) { try database.rows(text(101)) }
    }
}

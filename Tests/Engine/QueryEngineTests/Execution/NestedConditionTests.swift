import DocumentStore
import QueryEngine
import QueryLanguage
import Testing

@Suite("Nested queries in conditions")
struct NestedConditionTests {
    /// Four customers, of which c1 has two orders and c2 one. An order has no customer, and one has a customer of another type.
    private func database() throws -> QueryDatabase {
        let database = try QueryDatabase()
        for (id, city) in [("c1", "Oslo"), ("c2", "Rome"), ("c3", "Oslo"), ("c4", "Bern")] {
            try database.save(id, #"{"name":"\#(id)","city":"\#(city)","vip":\#(id == "c2")}"#)
        }
        for (id, json) in [
            ("o1", #"{"customer":"c1","total":5,"vip":true}"#), ("o2", #"{"customer":"c1","total":7,"vip":1}"#),
            ("o3", #"{"customer":"c2","total":1,"vip":null}"#), ("o4", #"{"total":9}"#), ("o5", #"{"customer":3,"total":2}"#),
        ] { try database.save(id, json, in: "shop.orders") }
        return database
    }

    @Test(
        "IN and NOT IN compare with the only column of a nested query",
        arguments: [
            ("name IN (SELECT customer FROM shop.orders)", ["c1", "c2"]),
            ("name NOT IN (SELECT customer FROM shop.orders)", ["c3", "c4"]),
            ("NOT name IN (SELECT customer FROM shop.orders)", ["c3", "c4"]),
            ("name IN (SELECT o.customer FROM shop.orders AS o WHERE o.total > 4)", ["c1"]),
            ("name IN (SELECT customer AS who FROM shop.orders ORDER BY total LIMIT 1)", ["c2"]),
            ("name IN (SELECT customer FROM shop.orders GROUP BY customer HAVING count(*) > 1)", ["c1"]),
            ("name IN (SELECT DISTINCT customer FROM shop.orders)", ["c1", "c2"]),
            ("name IN (SELECT customer FROM shop.orders WHERE total > $most)", ["c1"]),
            ("name IN (SELECT customer FROM shop.orders WHERE FALSE)", []),
            ("name NOT IN (SELECT customer FROM shop.orders WHERE FALSE)", ["c1", "c2", "c3", "c4"]),
            ("upper(name) IN (SELECT upper(customer) FROM shop.orders)", ["c1", "c2"]),
            ("(name || '') IN (SELECT customer FROM shop.orders WHERE customer IN (SELECT name FROM _ WHERE city = 'Oslo'))", ["c1"]),
            ("(upper(name) IN (SELECT customer FROM shop.orders)) COLLATE NOCASE", ["c1", "c2"]),
            ("meta().id IN (SELECT customer FROM shop.orders) AND city IN ('Oslo')", ["c1"]),
            ("vip IN (SELECT vip FROM shop.orders WHERE vip IS NOT NULL)", ["c2"]),
            ("[name] IN (SELECT [customer] FROM shop.orders)", ["c1", "c2"]),
        ]
    )
    func membership(condition: String, names: [String]) throws {
        let parameters = condition.contains("$") ? try QueryParameters(json: #"{"most":6}"#) : QueryParameters()
        let rows = try database().rows("SELECT name FROM _ WHERE \(condition) ORDER BY name", parameters)
        #expect(rows == names.map { "\"\($0)\"" })
    }

    @Test("a document without the column does not make NOT IN unknown, and null is a value")
    func missingValues() throws {
        let database = try database()
        #expect(try database.value("'x' NOT IN (SELECT nope FROM shop.orders)") == "1")
        #expect(try database.value("NULL IN (SELECT vip FROM shop.orders)") == "1")
        #expect(try database.value("nope IN (SELECT customer FROM shop.orders)") == "-")
    }

    @Test(
        "a nested query can refer to the sources of the query around it",
        arguments: [
            ("EXISTS (SELECT 1 FROM shop.orders AS o WHERE o.customer = c.name)", ["c1", "c2"]),
            ("NOT EXISTS (SELECT 1 FROM shop.orders AS o WHERE o.customer = c.name)", ["c3", "c4"]),
            ("EXISTS (SELECT 1 FROM shop.orders WHERE customer = c.name AND total > 5)", ["c1"]),
            ("EXISTS (SELECT 1 FROM shop.orders AS o WHERE o.customer = meta(c).id AND c.city = 'Rome')", ["c2"]),
            ("7 IN (SELECT o.total FROM shop.orders AS o WHERE o.customer = c.name)", ["c1"]),
            ("EXISTS (SELECT 1 FROM _ AS d WHERE d.city = c.city AND d.name != c.name)", ["c1", "c3"]),
            (
                "EXISTS (SELECT 1 FROM _ AS d WHERE d.city = c.city AND EXISTS (SELECT 1 FROM shop.orders AS o "
                    + "WHERE o.customer = d.name AND d.name != c.name))", ["c3"]
            ),
            ("EXISTS (SELECT customer FROM shop.orders AS o WHERE o.customer = c.name GROUP BY customer HAVING sum(total) > 10)", ["c1"]),
            ("EXISTS (SELECT 1 FROM shop.orders AS o WHERE o.customer = c.name AND ANY v IN [c.city] SATISFIES v = 'Oslo' END)", ["c1"]),
        ]
    )
    func correlation(condition: String, names: [String]) throws {
        let rows = try database().rows("SELECT c.name FROM _ AS c WHERE \(condition) ORDER BY c.name")
        #expect(rows == names.map { "\"\($0)\"" })
    }

    @Test("a nested query in a column of groups refers to the values of the group")
    func groups() throws {
        let query = """
            SELECT c.city, EXISTS (SELECT 1 FROM shop.orders AS o WHERE o.customer = min(c.name)) FROM _ AS c GROUP BY c.city
            """
        #expect(throws: QueryError.self) { try database().rows(query) }
        let valid = "SELECT c.city, 'Rome' IN (SELECT d.city FROM _ AS d WHERE d.city = c.city) FROM _ AS c GROUP BY c.city ORDER BY c.city"
        #expect(try database().rows(valid) == [#""Bern" 0"#, #""Oslo" 0"#, #""Rome" 1"#])
    }

    @Test(
        "a nested query that cannot be compiled throws an error that names the reason",
        arguments: [
            (
                "EXISTS (SELECT 1 FROM shop.orders AS C WHERE c.name = C.customer)",
                "'c' of the query around is hidden by 'C' of the nested query"
            ),
            (
                "3 IN (SELECT max(c.total) FROM shop.orders AS o)",
                "an aggregate function in a nested query cannot refer to 'c' of the query around"
            ),
            ("(SELECT 1 FROM _)", "SQL++ syntax error near character 34"),
            ("name IN (SELECT name, city FROM _)", "SQL++ syntax error near character 66"),
            ("name IN (SELECT name FROM nowhere)", "no such collection \"nowhere\""),
            ("EXISTS (SELECT 1 FROM _ WHERE meta(d).id = 'x')", "database alias 'd' does not match a declared 'AS' alias"),
        ]
    )
    func errors(condition: String, message: String) throws {
        let error = #expect(throws: QueryError.self) { try database().rows("SELECT c.name FROM _ AS c WHERE \(condition)") }
        #expect(error?.message == message)
    }

    @Test("a query with several columns after IN throws an error in JSON too")
    func columnsInJSON() throws {
        let json = #"{"WHERE":["IN",[".a"],["SELECT",{"WHAT":[[".b"],[".c"]]}]]}"#
        let error = #expect(throws: QueryError.self) { try QueryDatabase().prepare(json: json) }
        #expect(error?.message == "a query after IN must have one column, but this one has 2")
        let tree = QueryJSON.text(of: try SQLPlusPlus.parse("SELECT x FROM _ WHERE a NOT IN (SELECT b FROM _)"))
        #expect(tree.contains(#"["NOT IN",[".a"],["SELECT",{"WHAT":[[".b"]],"FROM":[{"COLLECTION":"_"}]}]]"#))
        #expect(QueryJSON.text(of: try QueryJSON.parse(tree)) == tree)
    }

    @Test("an index on the left operand of IN is used")
    func index() throws {
        let database = try database()
        try database.indexes.create(IndexDefinition(name: "byName", kind: .value, text: "name"), on: try database.collection())
        let plan = try database.plan("SELECT city FROM _ WHERE name IN (SELECT customer FROM shop.orders)")
        #expect(plan.contains("USING INDEX byName"))
        let plain = try database.plan("SELECT city FROM _ AS c WHERE EXISTS (SELECT 1 FROM _ AS d WHERE d.name = c.city)")
        #expect(plain.contains("USING INDEX byName"))
    }

    @Test("the collections of nested queries are sources of the query, so that a live query observes them")
    func sources() throws {
        let database = try database()
        let query = try database.prepare("SELECT name FROM _ WHERE name IN (SELECT customer FROM shop.orders)")
        #expect(query.compiled.sources.map(\.storeName) == ["default", ".shop.orders"])
        let steps = try query.plan(on: database.file).steps
        #expect(steps.contains { $0.collection == "shop.orders" })
    }
}

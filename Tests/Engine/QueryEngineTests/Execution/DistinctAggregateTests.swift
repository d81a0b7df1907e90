import DocumentStore
import QueryEngine
import QueryLanguage
import Testing

@Suite("Aggregates of distinct values")
struct DistinctAggregateTests {
    private func database(_ values: String...) throws -> QueryDatabase {
        let database = try QueryDatabase()
        for (number, value) in values.enumerated() {
            try database.save("d\(number)", value.isEmpty ? "{}" : #"{"v":\#(value),"g":\#(number % 2)}"#)
        }
        return database
    }

    @Test("COUNT(DISTINCT x) counts the values that SELECT DISTINCT x returns, without MISSING")
    func counts() throws {
        let database = try database("1", "1.0", "true", "true", "null", "null", "\"a\"", "\"a\"", "[1]", "[1]", "{\"k\":2}", "", "2")
        // 1, true, null, "a", [1], {"k":2} and 2.
        #expect(try database.rows("SELECT count(DISTINCT v), count(v), count(*) FROM _") == ["7 12 13"])
        #expect(try database.rows("SELECT DISTINCT v FROM _").count == 8)
    }

    @Test("SUM, AVG, MIN and MAX with DISTINCT take each value once")
    func numbers() throws {
        let database = try database("2", "2", "2.0", "4", "\"6\"", "\"6\"", "")
        #expect(try database.rows("SELECT sum(DISTINCT v), avg(DISTINCT v), min(DISTINCT v), max(DISTINCT v) FROM _") == [#"12 4.0 2 "6""#])
        #expect(try database.rows("SELECT sum(DISTINCT v), avg(DISTINCT v) FROM _ WHERE isnumber(v)") == ["6 3.0"])
        #expect(try database.rows("SELECT sum(DISTINCT w), avg(DISTINCT w), max(DISTINCT w), count(DISTINCT w) FROM _") == ["- - - 0"])
    }

    @Test("true and 1 are two values, of which each counts as 1 in a sum")
    func booleans() throws {
        let database = try database("true", "1", "true", "false", "0", "1")
        #expect(try database.rows("SELECT sum(DISTINCT v), avg(DISTINCT v), count(DISTINCT v) FROM _") == ["2 0.5 4"])
        #expect(try database.rows("SELECT count(DISTINCT v = 1), sum(DISTINCT (v = 1)) FROM _") == ["2 1"])
    }

    @Test("ARRAY_AGG(DISTINCT x) contains each value once")
    func arrays() throws {
        let database = try database("3", "3", "null", "null", "[true]", "[true]", "")
        #expect(try database.rows("SELECT array_length(array_agg(DISTINCT v)) FROM _") == ["3"])
        #expect(try database.rows("SELECT array_agg(DISTINCT v) FROM _ WHERE v IS VALUED AND isarray(v)") == ["[[true]]"])
    }

    @Test("an aggregate with DISTINCT is computed for each group, also in HAVING and ORDER BY")
    func groups() throws {
        let database = try database("1", "5", "1", "6", "2", "5", "2")
        let query = "SELECT g, count(DISTINCT v) FROM _ GROUP BY g ORDER BY count(DISTINCT v) DESC, g DESC"
        #expect(try database.rows(query) == ["1 2", "0 2"])
        #expect(try database.rows("SELECT g FROM _ GROUP BY g HAVING sum(DISTINCT v) = 3") == ["0"])
    }

    @Test("a collation in the argument does not make values equal")
    func collations() throws {
        let database = try database("\"a\"", "\"A\"", "\"a\"")
        #expect(try database.rows("SELECT count(DISTINCT v COLLATE NOCASE) FROM _") == ["2"])
        #expect(try database.rows("SELECT count(DISTINCT lower(v)) FROM _") == ["1"])
    }

    @Test("the result is the same with an index on the argument")
    func indexes() throws {
        let database = try database("true", "1", "true", "18446744073709551615", "-1")
        let query = "SELECT count(DISTINCT v), sum(DISTINCT v) FROM _"
        let before = try database.rows(query)
        #expect(before == ["4 1.8446744073709552e+19"])
        try database.indexes.create(IndexDefinition(name: "v", kind: .value, text: "v"), on: try database.collection())
        #expect(try database.rows(query) == before)
    }

    @Test("the elements of an array can be counted without duplicates")
    func elements() throws {
        let database = try database("[1,1,true]", "[1,{\"k\":true}]")
        #expect(try database.rows("SELECT count(DISTINCT u), count(u) FROM _ AS d UNNEST d.v AS u") == ["3 5"])
        #expect(try database.rows("SELECT d.g, count(DISTINCT u) FROM _ AS d UNNEST d.v AS u GROUP BY d.g ORDER BY d.g") == ["0 2", "1 2"])
    }

    @Test("a distinct aggregate as JSON has DISTINCT around its argument, and is written as it was read")
    func json() throws {
        let select = try SQLPlusPlus.parse("SELECT COUNT(DISTINCT a.b) FROM _")
        #expect(QueryJSON.text(of: select.items[0].expression) == #"["COUNT()",["DISTINCT",[".a.b"]]]"#)
        #expect(try QueryJSON.parse(QueryJSON.text(of: select)) == select)
        #expect(SQLPlusPlus.text(of: select.items[0].expression) == "COUNT(DISTINCT a.b)")
    }

    @Test(
        "DISTINCT anywhere but directly in an aggregate function throws an error",
        arguments: [#"["DISTINCT",[".a"]]"#, #"["UPPER()",["DISTINCT",[".a"]]]"#, #"["COUNT()",["=",1,["DISTINCT",[".a"]]]]"#]
    )
    func misplaced(expression: String) throws {
        let error = #expect(throws: QueryError.self) { try QueryDatabase().prepare(json: "{\"WHAT\":[\(expression)]}") }
        #expect(error?.message == "DISTINCT is allowed only after SELECT and as the argument of an aggregate function")
    }
}

import DocumentStore
import QueryEngine
import QueryLanguage
import SQLiteEngine
import Testing

@Suite("Query semantics independent of SQLite")
struct QuerySemanticsTests {
    private func database(_ documents: String..., indexes: [String] = []) throws -> QueryDatabase {
        let database = try QueryDatabase()
        for (number, json) in documents.enumerated() { try database.save("d\(number)", json) }
        for (number, columns) in indexes.enumerated() {
            let sql = "CREATE INDEX i\(number) ON kv_default (\(columns))"
            try database.file.transaction { try $0.connection.execute(sql) }
        }
        return database
    }

    @Test(
        "a query returns the same values with and without an index",
        arguments: [
            ("SELECT b FROM _ WHERE b = TRUE", "true"),
            ("SELECT b, u FROM _ WHERE n = 1 ORDER BY u", "true 18446744073709551615"),
            ("SELECT [b], {'b': b}, type(b), b || 'x' FROM _ WHERE n = 1", #"[true] {"b":true} "boolean" "truex""#),
            ("SELECT n FROM _ WHERE n = 1 AND isboolean(b)", "1"),
            ("SELECT n FROM _ WHERE n = 1 AND tostring(b) = 'true'", "1"),
            ("SELECT n FROM _ WHERE n = 1 AND [b] = [TRUE]", "1"),
            ("SELECT n FROM _ WHERE n = 1 AND b || 'x' = 'truex'", "1"),
            ("SELECT CASE WHEN n = 1 THEN b END FROM _ WHERE n = 1", "true"),
        ]
    )
    func indexesAreNeutral(query: String, row: String) throws {
        let json = #"{"n":1,"b":true,"u":18446744073709551615}"#
        let columns = "fl_value(body, 'n'), fl_value(body, 'b'), fl_value(body, 'u')"
        let indexed = try database(json, indexes: [columns, "fl_value(body, 'b')"])
        #expect(try indexed.rows(query) == [row])
        #expect(try database(json).rows(query) == [row])
    }

    @Test("floating-point literals have exactly their value, with and without an index")
    func exactNumbers() throws {
        // SQLite before 3.43 reads another number from these texts, and so does Swift from the first one as a literal on some platforms.
        let first = try #require(Double("149.312697"))
        let numbers = [first, -first, 9.5, 1e23, .leastNonzeroMagnitude, .greatestFiniteMagnitude]
        for columns in [[], ["fl_value(body, 'n')"]] {
            let database = try database(#"{"n":149.312697}"#, indexes: columns)
            #expect(try database.rows("SELECT n FROM _ WHERE n = 149.312697") == ["149.312697"])
            #expect(try database.rows("SELECT n FROM _ WHERE n IN (1.5, 149.312697)") == ["149.312697"])
            for number in numbers { #expect(try database.value("\(number) = tonumber('\(number)')") == "1") }
        }
    }

    @Test(
        "an index that cannot serve a query does not change the value of a floating-point literal",
        arguments: [
            "(fl_value(body, 'n')) WHERE (fl_value(body, 'n') = 149.312697 AND fl_value(body, 'a')) AND (flags & 1 = 0)",
            "((fl_value(body, 'n') = 149.312697) + 1)",
        ]
    )
    func unsuitableIndexes(index: String) throws {
        let database = try database(#"{"n":149.312697,"a":true}"#)
        try database.file.transaction { try $0.connection.execute("CREATE INDEX i ON kv_default \(index)") }
        #expect(try database.rows("SELECT n FROM _ WHERE n = 149.312697") == ["149.312697"])
    }

    @Test("an index on an expression with a floating-point literal does not change the value of the expression")
    func indexedNumbers() throws {
        let indexed = "fl_value(body, 'n') * 149.312697"
        let query = "SELECT n * 149.312697 AS x FROM _ WHERE n * 149.312697 >= 298.625394"
        let expected = try database(#"{"n":2}"#).rows(query)
        #expect(expected.count == 1)
        #expect(try database(#"{"n":2}"#, indexes: [indexed]).rows(query) == expected)
    }

    @Test(
        "NOT in parentheses before IN, LIKE and IS VALUED negates its operand, without parentheses the test",
        arguments: [
            ("(NOT b) IN [TRUE, FALSE]", "1"), ("NOT b IN [TRUE, FALSE]", "0"), ("(NOT b) IN (TRUE, FALSE)", "1"),
            ("(NOT b) NOT IN [TRUE, FALSE]", "0"), ("(NOT s) LIKE '0'", "0"), ("NOT s LIKE '0'", "1"), ("(NOT b) IS VALUED", "1"),
            ("NOT b IS VALUED", "0"), ("NOT (NOT b) IN [TRUE, FALSE]", "0"), ("(NOT b) IN [TRUE, FALSE] COLLATE NOCASE", "1"),
            ("+(NOT b) IN (TRUE, FALSE)", "1"), ("NOT (b = b) IN (TRUE, FALSE)", "0"), ("NOT (s = s) LIKE '_'", "0"),
            ("(NOT b = b) IN (TRUE, FALSE)", "1"),
        ]
    )
    func negatedOperands(expression: String, value: String) throws {
        #expect(try database(#"{"b":true,"s":"x"}"#).value(expression) == value)
    }

    @Test("NOT in a variable of LET negates the variable, and not a test of the variable")
    func negatedVariables() throws {
        let database = try database(#"{"b":true}"#)
        #expect(try database.rows("SELECT b FROM _ LET n = NOT b WHERE n IN [TRUE, FALSE] AND n LIKE '0' AND n IS VALUED") == ["true"])
        #expect(try database.rows("SELECT b FROM _ LET n = b WHERE NOT n IN [FALSE]") == ["true"])
        #expect(try database.rows("SELECT b FROM _ LET n = NOT b WHERE NOT n IN [TRUE, FALSE]") == [])
    }

    @Test("a property in a column does not prevent the use of its index")
    func indexesAreUsed() throws {
        let database = try database(#"{"n":1}"#, indexes: ["fl_value(body, 'n')"])
        let plan = try database.prepare("SELECT n + 1 FROM _ WHERE n = 1").explain(on: database.file)
        #expect(plan.contains("USING INDEX i0"))
        let largest = try database.prepare("SELECT max(n) FROM _").explain(on: database.file)
        #expect(largest.contains("USING INDEX i0"))
    }

    @Test(
        "a collation applies only to its own comparison",
        arguments: [
            ("(CASE WHEN (a = 'x') COLLATE NOCASE THEN 'zebra' END) = 'Zebra'", "0"),
            ("'Zebra' = (CASE WHEN (a = 'x') COLLATE NOCASE THEN 'zebra' END)", "0"),
            ("(CASE WHEN (a = 'x') COLLATE NOCASE THEN 'zebra' END) IN ('Zebra')", "0"),
            ("(CASE WHEN (a = 'x') COLLATE NOCASE THEN 'zebra' END) BETWEEN 'ZEBRA' AND 'Zebra'", "0"),
            ("CASE (CASE WHEN (a = 'x') COLLATE NOCASE THEN 'zebra' END) WHEN 'Zebra' THEN 1 ELSE 0 END", "0"),
            ("greatest('Zebra', CASE WHEN (a = 'x') COLLATE NOCASE THEN 'zebra' END)", #""zebra""#),
            ("(a = 'x') COLLATE NOCASE", "1"),
            ("((a) COLLATE NOCASE) = 'x'", "1"),
        ]
    )
    func collationsStayInside(expression: String, value: String) throws {
        #expect(try database(#"{"a":"X"}"#).value(expression) == value)
    }

    @Test("DISTINCT, GROUP BY and ORDER BY compare bytes even if a term contains a collation")
    func collationsOfTerms() throws {
        let database = try database(#"{"a":"x"}"#, #"{"a":"X"}"#, #"{"a":"y"}"#)
        let column = "CASE WHEN (a = 'x') COLLATE NOCASE THEN a ELSE 'q' END"
        #expect(try database.rows("SELECT DISTINCT \(column) FROM _").count == 3)
        #expect(try database.rows("SELECT count(*) FROM _ GROUP BY \(column)").count == 3)
        #expect(try database.rows("SELECT a FROM _ ORDER BY \(column)") == [#""X""#, #""y""#, #""x""#])
    }

    @Test("a variable is not confused with a source or a variable whose name is the same without an underscore or in another case")
    func namesOfVariables() throws {
        let database = try database(#"{"a":[1,2],"b":[3,4],"k":2}"#)
        #expect(try database.rows("SELECT _v.k FROM _ AS _v WHERE ANY v IN _v.a SATISFIES v >= _v.k END") == ["2"])
        #expect(try database.value("ANY v IN b SATISFIES (ANY V IN a SATISFIES v > 2 AND V < 3 END) END") == "1")
        let nested = "SELECT 1 FROM _ AS v WHERE v.k = 2 AND v.a[0] = 1"
        #expect(try database.value("ANY v IN a SATISFIES EXISTS (\(nested)) END") == "1")
        let json = #"{"WHAT":[[".k"]],"WHERE":["ANY","doc",[".a"],["=",[".k"],["?doc"]]]}"#
        let query = try PreparedQuery(QueryJSON.parse(json), on: database.file, databaseName: "db")
        #expect(try query.run(on: database.file).json(0) == "2")
    }

    @Test("the source of ANY AND EVERY is evaluated outside the scope of its variable")
    func variablesInSources() throws {
        let database = try database(#"{"a":[[1,2],[3]]}"#)
        let inner = "(ANY AND EVERY v IN a SATISFIES v[0] > 0 END)"
        #expect(try database.value("ANY AND EVERY v IN [\(inner)] SATISFIES v = 1 END") == "1")
    }

    @Test(
        "ANY AND EVERY counts each kind of source alike, and is missing for what is no collection",
        arguments: [
            ("a", "1"), ("[1]", "1"), ("array_of(1)", "1"), ("[[1]][0]", "1"), ("o", "1"), ("{'k':1}", "1"), ("d", "1"),
            ("nulls", "0"), ("[null]", "0"), ("[]", "0"), ("{}", "0"), ("{'k':null}", "1"),
            ("n", "-1"), ("5", "-1"), ("gone", "-1"), ("lower('x')", "-1"), ("[5][0].x", "-1"), ("$none", "-1"),
        ]
    )
    func countsOfSources(source: String, expected: String) throws {
        let database = try database(#"{"a":[1],"o":{"k":1},"nulls":[null],"n":5}"#)
        let test = "(ANY AND EVERY v IN \(source) SATISFIES true END)"
        let rows = try database.rows("SELECT CASE WHEN \(test) IS MISSING THEN -1 ELSE \(test) END FROM _ AS d")
        #expect(rows == [expected])
    }

    @Test("in WHERE a count of a property is the same if a column's alias has the property's name")
    func countsUnderAliases() throws {
        let database = try database(#"{"s":[1],"b":{"b":[1]}}"#, #"{"s":[1],"b":{"b":5}}"#, #"{"s":[1]}"#)
        for test in ["NOT (ANY AND EVERY v IN b.b SATISFIES v > 1 END)", "array_count(b.b) IS MISSING", "array_count(b.b) = 1"] {
            let plain = try database.rows("SELECT meta().sequence FROM _ WHERE \(test)")
            #expect(try database.rows("SELECT meta().sequence, s = 1 AS b FROM _ WHERE \(test)").count == plain.count, "\(test)")
        }
    }

    @Test("array elements keep their types after grouping")
    func groupedElements() throws {
        let database = try database(#"{"t":[true,{"k":false}]}"#)
        let rows = try database.rows("SELECT u, u.k, count(*) FROM _ AS d UNNEST d.t AS u GROUP BY u ORDER BY u")
        #expect(rows == ["true - 1", #"{"k":false} false 1"#])
    }
}

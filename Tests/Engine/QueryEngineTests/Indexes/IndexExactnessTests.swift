import DocumentStore
import QueryLanguage
import SQLiteEngine
import TestSupport
import Testing

@testable import QueryEngine

@Suite("Results of queries that indexes could change")
struct IndexExactnessTests {
    /// Documents with every value for which the key in an index differs from what a query computes.
    private func database() throws -> QueryDatabase {
        let database = try QueryDatabase()
        let documents = [
            #"{"name":"İstanbul","n":-1,"v":[1.5,2],"tags":["a",null,"b"],"ms":0,"s":"aab"}"#,
            #"{"name":"İzmir","n":18446744073709551615,"v":[1],"tags":[null],"ms":0,"s":"ab"}"#,
            #"{"name":"Ankara","n":9223372036854775808,"v":[-3,-2],"tags":["c",true,1],"s":"b"}"#,
            #"{"name":"ŉ","n":5,"v":[],"tags":{"x":18446744073709551614,"y":-2},"s":"한글"}"#,
            #"{"name":"","n":1.5,"v":[18446744073709551615,-1],"tags":[18446744073709551615,-1,0,false],"s":"ΐ"}"#,
            #"{"name":null,"n":true,"v":null,"tags":5}"#, #"{"n":"5","v":"x","tags":[[1],{"a":18446744073709551615}]}"#,
            #"{"n":null,"v":{"a":1},"tags":[1.0,-0.0,1e300]}"#, "{}",
        ]
        for (number, document) in documents.enumerated() { try database.save("d\(number)", document) }
        return database
    }

    private static let columns = [
        "n", "name", "lower(name)", "upper(name)", "upper(s)", "n, lower(name)", "abs(n)", "n + 1", "n < 6", "tostring(n)", "n || 'x'",
        "[n]",
        "array_max(v)", "array_contains(v, 1)", "array_contains(v, n)", "ANY x IN v SATISFIES x = 1 END", "contains(s, 'ab')",
        "contains(s, 'ㅏ') COLLATE (UNICODE NODIAC)", "date_add_millis(ms, 1, 'fortnight')", "v[0]", "v", "toarray(n)", "ifmissing(n, 0)",
        "millis_to_utc(n)", "greatest(n, 0)", "CASE WHEN n < 0 THEN 1 END", "length(name)", "n IN (1, -1)", "n * 149.312697",
        "s LIKE '_한%' COLLATE (UNICODE NODIAC)",
    ]

    private static let queries = [
        "SELECT meta().id FROM _ WHERE n > 0", "SELECT meta().id FROM _ WHERE n < 6", "SELECT meta().id FROM _ WHERE n = -1",
        "SELECT meta().id FROM _ WHERE n = 18446744073709551615", "SELECT meta().id FROM _ WHERE n BETWEEN 2 AND 18446744073709551615",
        "SELECT meta().id FROM _ WHERE n IN (5, 9223372036854775808)", "SELECT n FROM _ ORDER BY n",
        "SELECT n FROM _ ORDER BY n DESC LIMIT 2",
        "SELECT max(n) AS m, min(n) AS l FROM _", "SELECT max(n) FROM _", "SELECT count(*) AS c FROM _ GROUP BY n",
        "SELECT DISTINCT n FROM _",
        "SELECT name FROM _ WHERE lower(name) = lower('İSTANBUL')", "SELECT name FROM _ WHERE lower(name) >= 'a' ORDER BY lower(name)",
        "SELECT count(DISTINCT lower(name)) AS c FROM _", "SELECT name FROM _ WHERE lower(name) = ''", "SELECT lower(name) FROM _",
        "SELECT meta().id FROM _ WHERE upper(name) = 'ʼN'", "SELECT upper(s) AS u, count(*) AS c FROM _ GROUP BY upper(s)",
        "SELECT meta().id FROM _ WHERE abs(n) > 1 ORDER BY abs(n)", "SELECT n + 1 AS m FROM _ ORDER BY n + 1",
        "SELECT meta().id FROM _ WHERE n + 1 > 0",
        "SELECT meta().id FROM _ WHERE (n < 6) = 1", "SELECT tostring(n) FROM _ ORDER BY tostring(n)",
        "SELECT meta().id FROM _ WHERE (n || 'x') LIKE '1%'",
        "SELECT meta().id FROM _ WHERE array_max(v) < 0", "SELECT array_max(v) FROM _ ORDER BY array_max(v)",
        "SELECT meta().id FROM _ WHERE array_contains(v, 1)", "SELECT meta().id FROM _ WHERE array_contains(v, 1) = TRUE",
        "SELECT meta().id FROM _ WHERE array_contains(v, n) = TRUE", "SELECT meta().id FROM _ WHERE 1 IN v",
        "SELECT meta().id FROM _ WHERE ANY x IN v SATISFIES x = 1 END",
        "SELECT meta().id FROM _ WHERE (ANY x IN v SATISFIES x = 1 END) = TRUE",
        "SELECT meta().id FROM _ WHERE contains(s, 'ab') = TRUE", "SELECT meta().id FROM _ WHERE contains(s, 'ab') = FALSE",
        "SELECT meta().id FROM _ WHERE (contains(s, 'ㅏ') = TRUE) COLLATE (UNICODE NODIAC)",
        "SELECT meta().id FROM _ WHERE date_add_millis(ms, 1, 'fortnight') = -1",
        "SELECT meta().id FROM _ WHERE date_add_millis(ms, 1, 'fortnight') IS MISSING", "SELECT meta().id FROM _ WHERE v[0] < 0",
        "SELECT meta().id FROM _ WHERE ifmissing(n, 0) > 5", "SELECT meta().id FROM _ WHERE greatest(n, 0) > 5",
        "SELECT greatest(n, 0), least(n, FALSE) FROM _", "SELECT meta().id FROM _ WHERE n * 149.312697 > 149.312697",
        "SELECT meta().id FROM _ WHERE millis_to_utc(n) IS NOT NULL",
        "SELECT CASE WHEN n < 0 THEN 1 END FROM _ ORDER BY CASE WHEN n < 0 THEN 1 END",
        "SELECT meta(d).id, t FROM _ AS d UNNEST d.tags AS t", "SELECT meta(d).id FROM _ AS d UNNEST d.tags AS t WHERE t IS NULL",
        "SELECT meta(d).id FROM _ AS d UNNEST d.tags AS t WHERE t IS MISSING",
        "SELECT meta(d).id, t FROM _ AS d UNNEST d.tags AS t WHERE t != 'a'",
        "SELECT meta(d).id FROM _ AS d UNNEST d.tags AS t WHERE t > 'a'", "SELECT meta(d).id FROM _ AS d UNNEST d.tags AS t WHERE t > 5",
        "SELECT meta(d).id FROM _ AS d UNNEST d.tags AS t WHERE t < 0", "SELECT t FROM _ AS d UNNEST d.tags AS t ORDER BY t",
        "SELECT meta(d).id FROM _ AS d UNNEST d.tags AS t WHERE t = 'a'", "SELECT meta(d).id FROM _ AS d UNNEST d.tags AS t WHERE t = 1",
        "SELECT meta(d).id FROM _ AS d UNNEST d.tags AS t WHERE t.a > 0",
        "SELECT count(*) AS c, t FROM _ AS d UNNEST d.tags AS t GROUP BY t",
        "SELECT meta(d).id FROM _ AS d UNNEST d.tags AS t WHERE t NOT IN ('a', 1)",
        "SELECT meta(d).id FROM _ AS d UNNEST d.tags AS t WHERE NOT t = 1",
    ]

    private func rows(_ query: String, _ database: QueryDatabase) throws -> [String] {
        let rows = try database.rows(query)
        // Equal rows of an order, and rows without one, may come in any order.
        return query.contains("LIMIT") ? rows : rows.sorted()
    }

    @Test("an index on any expression changes no result", arguments: columns)
    func valueIndexes(column: String) throws {
        let database = try database()
        let expected = try Self.queries.map { try rows($0, database) }
        try database.indexes.create(IndexDefinition(name: "i", text: column), on: try database.collection())
        for (query, rows) in zip(Self.queries, expected) { #expect(try self.rows(query, database) == rows, "\(query)") }
    }

    @Test(
        "an index with any condition changes no result",
        arguments: columns.filter { !$0.contains(",") || $0.contains("(") } + ["n > 0", "n < 0", "n = 5"]
    )
    func partialIndexes(condition: String) throws {
        guard condition != "n, lower(name)" else { return }
        let database = try database()
        let queries = Self.queries + Self.columns.filter { $0 != "n, lower(name)" }.map { "SELECT meta().id FROM _ WHERE \($0)" }
        let expected = try queries.map { try rows($0, database) }
        try database.indexes.create(IndexDefinition(name: "i", text: "name", condition: condition), on: try database.collection())
        for (query, rows) in zip(queries, expected) { #expect(try self.rows(query, database) == rows, "\(query)") }
    }

    @Test("array indexes change no result", arguments: [[""], ["a"], ["", "a, b"]])
    func arrayIndexes(columns: [String]) throws {
        let database = try database()
        let expected = try Self.queries.map { try rows($0, database) }
        for (number, text) in columns.enumerated() {
            try database.indexes.create(
                IndexDefinition(name: "i\(number)", kind: .array(path: "tags"), text: text),
                on: try database.collection()
            )
        }
        for (query, rows) in zip(Self.queries, expected) { #expect(try self.rows(query, database) == rows, "\(query)") }
    }

    @Test(
        "an index is used until a document has another key than its value, and again when no document has one",
        arguments: [
            ("lower(name)", "lower(name) > 'b'", #"{"name":"Bern"}"#, #"{"name":"İzmir"}"#),
            ("n", "n > 3", #"{"n":5}"#, #"{"n":18446744073709551615}"#),
            ("name, n", "name = 'a' AND n > 3", #"{"name":"a","n":5}"#, #"{"name":"a","n":18446744073709551615}"#),
            ("abs(n)", "abs(n) > 3", #"{"n":-5}"#, #"{"n":18446744073709551610}"#),
            ("array_max(v)", "array_max(v) > -3", #"{"v":[1,2]}"#, #"{"v":[-1,-2]}"#),
        ]
    )
    func use(column: String, condition: String, plain: String, differing: String) throws {
        let database = try QueryDatabase()
        try database.save("plain", plain)
        try database.indexes.create(IndexDefinition(name: "i", text: column), on: try database.collection())
        let text = "SELECT meta().id FROM _ WHERE \(condition)"
        let query = try database.prepare(text)
        #expect(try query.run(on: database.file).count == 1)
        #expect(try database.plan(text).contains("USING INDEX i"))
        // The same prepared query sees a differing document, also one that is not committed yet.
        try database.file.transaction { _ in
            try database.save("differing", differing)
            #expect(try query.run(on: database.file).count == 2)
        }
        #expect(try query.run(on: database.file).count == 2)
        #expect(try !database.plan(text).contains("USING INDEX i"))
        #expect(try query.plan(on: database.file).advice.isEmpty)
        try database.save("plain 2", plain)
        #expect(try query.run(on: database.file).count == 3)
        try database.delete("differing")
        #expect(try database.rows(text).count == 2)
        #expect(try database.plan(text).contains("USING INDEX i"))
    }

    @Test("a document that another process writes is found although its key differs")
    func otherProcess() throws {
        let database = try QueryDatabase()
        try database.save("plain", #"{"n":5}"#)
        try database.indexes.create(IndexDefinition(name: "i", text: "n"), on: try database.collection())
        // A second opening knows of the changes of the first one only what a process knows of those of another.
        let other = try database.reopenedForReading()
        let query = try other.prepare("SELECT meta().id FROM _ WHERE n > 3")
        #expect(try query.run(on: other.file).count == 1)
        try database.save("differing", #"{"n":18446744073709551615}"#)
        #expect(try query.run(on: other.file).count == 2)
    }

    @Test("an array index with null elements is used for conditions that are not true for null")
    func nullElements() throws {
        let database = try QueryDatabase()
        try database.save("d", #"{"tags":["a",null]}"#)
        try database.indexes.create(IndexDefinition(name: "i", kind: .array(path: "tags"), text: ""), on: try database.collection())
        for condition in ["t = 'a'", "'a' = t", "t <= 'b'", "t IN ('a', 1)", "t = $p", "t BETWEEN 'a' AND 'b'"] {
            #expect(try database.plan("SELECT t FROM _ AS d UNNEST d.tags AS t WHERE \(condition)").contains("INDEX i"), "\(condition)")
        }
        for condition in ["t > 'a'", "t IS NULL", "t = 'a' OR t IS NULL"] {
            #expect(try !database.plan("SELECT t FROM _ AS d UNNEST d.tags AS t WHERE \(condition)").contains("INDEX i"), "\(condition)")
        }
    }

    @Test("nested queries of statements use no index whose keys differ")
    func statements() throws {
        let database = try QueryDatabase()
        try database.save("big", #"{"n":18446744073709551615}"#)
        try database.indexes.create(IndexDefinition(name: "i", text: "n"), on: try database.collection())
        let text =
            "UPDATE _ SET found = 5 IN (SELECT 5 FROM _ AS o WHERE o.n > 3) RETURNING found, 5 IN (SELECT 5 FROM _ AS o WHERE o.n > 3)"
        let outcome = try #require(try SQLPlusPlus.parseDataStatement(text)).run(on: database.file, databaseName: "db")
        #expect(try outcome.rows.json(0) == "1 1")
    }

    @Test("keys of indexes are classified by what they can differ in")
    func kinds() {
        #expect(IndexKey("fl_value(body, 'a''b') COLLATE NOCASE DESC") == .property(path: "'a''b'"))
        #expect(IndexKey("N1QL_lower(fl_value(body, 's'))") == .caseMapping(function: "fl_lower", argument: "fl_value(body, 's')"))
        #expect(IndexKey("fl_unnested_value(body)") == .element)
        for exact in [
            "key", "N1QL_length(fl_value(body, 's'))", "(fl_value(body, 't') = 'a + b') AND (flags & 1 = 0)",
            "fl_value(body, 'ok') = fl_bool(1)",
            "isvalued(fl_value(body, 'a')) AND NOT fl_value(body, 'n') != 5", "type(fl_value(body, 'a'))", "fl_count(body, 'a')",
        ] {
            #expect(IndexKey(exact) == .exact, "\(exact)")
        }
        for other in [
            "fl_value(body, 'n') > 5", "fl_value(body, 'n') = 5.5", "fl_value(body, 'n') + 1", "abs(fl_value(body, 'n'))", "fl_root(body)",
            "fl_value(body, 'n') = -5", "N1QL_length(concat(fl_value(body, 'n'), 'x'))", "fl_value(body, 'n') IN (1, 2)",
            "N1QL_lower(fl_value(body, 's') COLLATE NOCASE)", "fl_value(body, 'n') = fl_value(body, 'm')",
        ] {
            #expect(IndexKey(other) == .other, "\(other)")
        }
    }
}

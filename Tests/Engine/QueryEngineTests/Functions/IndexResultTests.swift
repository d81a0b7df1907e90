import DocumentStore
import QueryEngine
import SQLiteEngine
import TestSupport
import Testing

@Suite("Function results in indexes")
struct IndexResultTests {
    /// The key of a value index for `{"v":value}`, and an SQL literal, both in SQLite's notation.
    private func key(of expression: String, _ value: String, and literal: String) throws -> [String] {
        let database = try QueryDatabase()
        try database.save("doc", value.isEmpty ? "{}" : #"{"v":\#(value)}"#)
        let collection = try database.collection()
        try database.indexes.create(IndexDefinition(name: "i", text: expression), on: collection)
        return try database.file.read { context in
            _ = try context.connection.scalar("SELECT 1 FROM kv_info LIMIT 1")
            try context.refreshSharedKeys()
            let sql = try context.connection.scalarText("SELECT sql FROM sqlite_master WHERE name = 'i'") ?? ""
            let column = sql.dropFirst("CREATE INDEX i ON kv_default (".count).dropLast()
            let statement = try context.connection.prepare("SELECT quote(\(column)), quote(\(literal)) FROM kv_default")
            defer { statement.finalize() }
            return try statement.step() ? [statement.text(at: 0), statement.text(at: 1)] : []
        }
    }

    @Test(
        "index keys of functions are the same as those of Couchbase Lite",
        arguments: [
            ("array_max(v)", "", "X''"), ("array_max(v)", "5", "X''"), ("array_max(v)", "[]", "X''"),
            ("array_max(v)", "[null]", "2.2250738585072014e-308"),
            ("array_max(v)", "[-1,-2]", "2.2250738585072014e-308"),
            ("array_max(v)", "[1.5,2]", "2.0"), ("array_min(v)", "", "X''"), ("array_min(v)", "[-1,-2]", "-2.0"),
            ("array_ifnull(v)", "", "X''"), ("array_ifnull(v)", #"[null,"b"]"#, "'b'"),
            ("array_contains(v, 1)", "", "NULL"), ("array_contains(v, 1)", "[1.5,2]", "1"),
            ("array_contains(v, 1.5)", "[1.5,2]", "1"), ("array_contains(v, 1)", #"{"a":1}"#, "X''"),
            ("ANY x IN v SATISFIES x = 1 END", "", "X''"), ("ANY x IN v SATISFIES x = 1 END", "[1.5]", "1"),
            ("ANY x IN v SATISFIES x = 1 END", #"{"a":5}"#, "0"), ("ANY x IN v SATISFIES x = 1 END", #"{"a":1}"#, "1"),
            ("v IS VALUED", "", "0"), ("v IS VALUED", "null", "0"), ("v IS NOT VALUED", "false", "0"),
            ("toarray(v)", "8589934597", "X'600100058002'"), ("tostring(v)", "18446744073709551615", "'-1'"),
            ("abs(v)", "9223372036854775808", "9.223372036854775808e18"),
            ("[v]", "5000", "X'11881300600180038002'"),
            ("lower(v)", #""ΟΔΟΣ""#, "'οδος'"), ("lower(v)", #""İstanbul""#, "''"), ("upper(v)", #""ŉ""#, "''"),
            ("upper(v)", #""straße""#, "'STRASSE'"), ("contains(v, 'ab')", #""aab""#, "0"),
            ("date_add_millis(v, 1, 'fortnight')", "0", "-1"), ("date_add_millis(v, 1, 'day')", "0", "86400000"),
            ("date_add_str(v, 1, 'fortnight')", #""2020-01-01""#, "'1969-12-31T23:59:59.999Z'"),
            ("date_add_str(v, 1, 5)", #""2020-01-01""#, "NULL"), ("date_add_str(v, 1, 'fortnight')", "5", "NULL"),
            ("date_diff_millis(v, 1, 'fortnight')", "0", "NULL"),
        ]
    )
    func results(expression: String, value: String, expected: String) throws {
        let found = try key(of: expression, value, and: expected)
        #expect(found.count == 2)
        #expect(found.first == found.last)
    }

    @Test("a query with an index on a function returns the same results as without, although other ones are stored in the index")
    func queries() throws {
        let database = try QueryDatabase()
        try database.save("doc", #"{"neg":[-1,-2],"f":[1.5],"s":"aab","city":"İstanbul","ms":0}"#)
        func results() throws -> [String] {
            try [
                "array_max(neg)", "array_contains(f, 1)", "(ANY x IN f SATISFIES x = 1 END)", "contains(s, 'ab')",
                "lower(city)", "date_add_millis(ms, 1, 'fortnight')",
            ].map { try database.rows("SELECT meta().id FROM _ WHERE \($0) IN [-1, 1, 'i̇stanbul']").count.description }
        }
        #expect(try results() == ["1", "0", "0", "1", "1", "0"])
        let collection = try database.collection()
        try database.indexes.create(
            IndexDefinition(
                name: "all",
                text:
                    "array_max(neg), array_contains(f, 1), ANY x IN f SATISFIES x = 1 END, contains(s, 'ab'), lower(city), "
                    + "date_add_millis(ms, 1, 'fortnight')"
            ),
            on: collection
        )
        #expect(try results() == ["1", "0", "0", "1", "1", "0"])
    }

    @Test(
        "index expressions are compiled to the SQL of Couchbase Lite",
        arguments: [
            ("is_number(a), typename(a), to_string(a)", "isnumber(A), type(A), tostring(A)"), ("NOT a", "NOT A"),
            ("NOT (a = 1)", "NOT (A = 1)"), ("NOT NOT a", "NOT (NOT A)"), ("NOT a IN [1]", "NOT A IN (1)"),
            ("a IS NOT VALUED", "NOT (isvalued(A))"),
            ("-(a + b)", "-(A + B)"), ("a - b - c", "(A - B) - C"), ("a + b + c", "(A + B) + C"),
            ("a = 1 AND b = 2 AND c = 3", "(A = 1 AND B = 2) AND C = 3"), ("a || b || c", "concat(concat(A, B), C)"),
            ("a || 'x' = 'y'", "(concat(A, 'x')) = 'y'"), ("a = (b IS VALUED)", "A = (isvalued(B))"),
            ("(a IS VALUED) AND b", "isvalued(A) AND B"), ("a NOT BETWEEN 1 AND 5", "NOT (A BETWEEN 1 AND 5)"),
            ("ANY x IN [1, 2] SATISFIES x = a END", "fl_contains(array_of(1, 2), null, A)"),
            ("a COLLATE NODIAC", "A COLLATE BINARY"), ("a COLLATE UNICODE", "A COLLATE LCUnicode____"),
            ("lower(a) COLLATE NOCASE", "N1QL_lower(A COLLATE NOCASE)"),
            ("lower(a).b", "fl_nested_value(N1QL_lower(A), '.b')"),
            ("(a || b) COLLATE NOCASE", "concat(A COLLATE NOCASE, B)"),
            ("contains(a,'x') COLLATE (UNICODE NOCASE)", "contains(A, 'x', 'LCUnicode_C__')"),
            ("array_count(a) COLLATE NOCASE", "fl_count(body, 'a') COLLATE NOCASE"),
            ("(a = 'x' AND b = 'y') COLLATE NOCASE", "(A = 'x') COLLATE NOCASE AND B = 'y'"),
            ("(NOT a) COLLATE NOCASE", "NOT A COLLATE NOCASE"), ("(a + b) COLLATE NOCASE", "A COLLATE NOCASE + B"),
            ("(a IN ['x']) COLLATE NOCASE", "A COLLATE NOCASE IN ('x')"), ("*", "fl_root(body)"),
            (
                "meta()",
                "dict_of('id', key, 'sequence', sequence, 'deleted', (flags & 1 != 0), 'expiration', expiration, "
                    + "'revisionID', fl_version(version))"
            ),
        ]
    )
    func statements(text: String, expected: String) throws {
        let database = try QueryDatabase()
        let collection = try database.collection("other")
        try database.indexes.create(IndexDefinition(name: "i", text: text, condition: "a > 1"), on: collection)
        let columns = expected.replacing(/\bA\b/, with: "fl_value(body, 'a')")
            .replacing(/\bB\b/, with: "fl_value(body, 'b')").replacing(/\bC\b/, with: "fl_value(body, 'c')")
        let sql = try database.file.read {
            try $0.connection.scalarText("SELECT sql FROM sqlite_master WHERE name = 'i'")
        }
        #expect(sql == #"CREATE INDEX i ON "kv_.other" (\#(columns)) WHERE fl_value(body, 'a') > 1"#)
    }
}

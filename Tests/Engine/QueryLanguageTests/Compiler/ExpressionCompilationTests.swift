import QueryLanguage
import Testing

/// The SQL of an expression in an index, without a prefix before columns.
func indexSQL(_ text: String) throws -> String {
    let table = SourceTable(storeName: ".t", liveTable: "t", deletedTable: "d", isDefault: false)
    let sql = try IndexCompiler.createValueIndex(name: "i", on: table, expressions: [try SQLPlusPlus.parseExpression(text)])
    return String(sql.dropFirst("CREATE INDEX i ON t (".count).dropLast())
}

private let a = QueryExpression.property([.key("a")])
private let b = QueryExpression.property([.key("b")])

@Suite("Compilation of expressions to SQL")
struct ExpressionCompilationTests {
    @Test(
        "literals are compiled to canonical SQL literals",
        arguments: [
            ("1", "1"), ("-9223372036854775808", "-9223372036854775808"), ("2.0", "2.0"), ("1e999", "9e999"),
            ("-1e999", "-9e999"), ("1e20", "1e+20"), ("'it''s'", "'it''s'"), ("TRUE", "fl_bool(1)"),
            ("NULL", "fl_null()"),
            ("MISSING", "NULL"), ("[]", "array_of()"), ("{'b':1,'a':[2]}", "dict_of('a', array_of(2), 'b', 1)"),
            ("'a\u{0}b'", "CAST(X'610062' AS TEXT)"),
        ]
    )
    func literals(text: String, sql: String) throws {
        #expect(try indexSQL(text) == sql)
    }

    @Test(
        "parentheses are kept where SQL needs them",
        arguments: [
            ("a * (b + 1)", "fl_value(body, 'a') * (fl_value(body, 'b') + 1)"),
            ("a + b * 1", "fl_value(body, 'a') + fl_value(body, 'b') * 1"),
            ("1 - (2 - 3)", "1 - (2 - 3)"), ("1 - 2 - 3", "(1 - 2) - 3"), ("1 + 2 + 3", "1 + 2 + 3"),
            ("-(-a)", "-(-fl_value(body, 'a'))"), ("- -5", "-(-5)"), ("-(1 + 2)", "-(1 + 2)"), ("1 - -5", "1 - -5"),
            ("1 = 2 AND (3 OR 4)", "1 = 2 AND (3 OR 4)"), ("NOT 1 = 2", "NOT (1 = 2)"),
            ("(NOT 1) = 2", "NOT 1 = 2"),
            ("(NOT 1) IN (2)", "NOT 1 IN (2)"), ("NOT 1 AND 2", "NOT 1 AND 2"), ("(1 = 2) = 3", "(1 = 2) = 3"), ("1 < 2 = 3", "1 < 2 = 3"),
            ("(1 = 2) < 3", "(1 = 2) < 3"), ("a || b", "concat(fl_value(body, 'a'), fl_value(body, 'b'))"),
            ("(CASE WHEN 1 THEN 2 END) = 3", "(CASE WHEN 1 THEN 2 ELSE fl_null() END) = 3"),
            ("CASE 1 WHEN 2 THEN 3 ELSE 4 END", "CASE 1 WHEN 2 THEN 3 ELSE 4 END"),
            ("1 IN (2, 3) AND 4 NOT IN [5]", "1 IN (2, 3) AND 4 NOT IN (5)"),
            ("1 IN a", "array_contains(fl_value(body, 'a'), 1)"),
            ("1 NOT IN a", "(NOT array_contains(fl_value(body, 'a'), 1))"),
            ("1 IS MISSING", "1 IS NULL"), ("1 IS NOT MISSING", "1 IS NOT NULL"), ("1 IS NULL", "1 = fl_null()"),
            ("1 IS NOT NULL", "1 != fl_null()"), ("1 IS 2", "1 IS 2"),
            ("a IS VALUED", "isvalued(fl_value(body, 'a'))"),
            ("a LIKE 'x%'", #"fl_value(body, 'a') LIKE 'x%' ESCAPE '\'"#),
        ]
    )
    func parentheses(text: String, sql: String) throws {
        #expect(try indexSQL(text) == sql)
    }

    @Test(
        "properties are compiled to body paths, and metadata properties to columns",
        arguments: [
            ("a.b[0].c", "fl_value(body, 'a.b[0].c')"), ("`we.ird`", #"fl_value(body, 'we\.ird')"#),
            ("`$d`", #"fl_value(body, '\$d')"#), ("`it's`", "fl_value(body, 'it''s')"), ("*", "fl_root(body)"),
            ("_id", "key"), ("_sequence", "sequence"), ("_expiration", "expiration"), ("_rowID", "rowid"),
            ("_revisionID", "fl_version(version)"), ("_deleted", "(flags & 1 != 0)"),
            ("_id.x", "fl_value(body, '_id.x')"),
            ("meta().id", "key"), ("meta().rowid", "rowid"), ("meta().revisionID", "fl_version(version)"),
            ("f.a", "fl_value(body, 'f.a')"), ("lower(a).b", "fl_nested_value(N1QL_lower(fl_value(body, 'a')), '.b')"),
            (
                "meta()",
                "dict_of('id', key, 'sequence', sequence, 'deleted', (flags & 1 != 0), 'expiration', expiration, "
                    + "'revisionID', fl_version(version))"
            ),
        ]
    )
    func properties(text: String, sql: String) throws {
        #expect(try indexSQL(text) == sql)
    }

    @Test(
        "query functions are compiled to SQL functions",
        arguments: [
            ("LENGTH(a)", "N1QL_length(fl_value(body, 'a'))"), ("ifmissing(1, 2)", "coalesce(1, 2)"),
            ("greatest(1, 2)", "max(1, 2)"), ("least(1, 2, 3)", "min(1, 2, 3)"), ("nullif(1, 2)", "N1QL_nullif(1, 2)"),
            ("is_array(1)", "isarray(1)"), ("array_count(a)", "fl_count(body, 'a')"),
            ("array_count([1])", "array_count(array_of(1))"),
            ("array_count(*)", "array_count(fl_root(body))"), ("pi()", "pi()"),
            ("contains(a, 'x')", "contains(fl_value(body, 'a'), 'x')"),
        ]
    )
    func functions(text: String, sql: String) throws {
        #expect(try indexSQL(text) == sql)
    }

    @Test("SQLite's own LIKE is considered slow if it has to search for a part of more than 32 bytes")
    func slowParts() {
        let (short, long) = (String(repeating: "a", count: 32), String(repeating: "a", count: 33))
        for pattern in ["", long, "\(long)%", "\(long)%\(short)%\(short)", "\(long)\\%\(short)", "%_\(short.dropFirst())"] {
            #expect(SQLText.isFastPattern(pattern.utf8), "\(pattern)")
        }
        for pattern in ["%\(long)", "a%\(long)%", "%\(short)\\%", "%\(short)_%", "\\\\%\(long)", "%ä\(short.dropFirst())"] {
            #expect(!SQLText.isFastPattern(pattern.utf8), "\(pattern)")
        }
    }

    @Test("SQLite's own LIKE is not used for patterns that contain NUL or are too long for it")
    func unusablePatterns() {
        #expect(SQLText.isFastPattern(String(repeating: "a", count: 50_000).utf8))
        #expect(!SQLText.isFastPattern(String(repeating: "a", count: 50_001).utf8))
        #expect(!SQLText.isFastPattern("a\0b".utf8))
    }

    @Test("every function accepts exactly its allowed numbers of arguments")
    func arities() throws {
        #expect(QueryFunction.all.count == 98)
        for function in QueryFunction.all {
            func compile(_ count: Int) throws {
                var arguments = Array(repeating: a, count: count)
                if function.name == ModelCall.functionName, count > 0 { arguments[0] = .string("model") }
                let call = QueryExpression.function(name: function.name, arguments: arguments)
                _ = try QueryCompiler.compile(SelectStatement(items: [SelectItem(call)]), resolver: FakeDatabase())
            }
            try compile(function.minimumArguments)
            if function.minimumArguments > 0 {
                #expect(throws: QueryError.invalidQuery("Too few arguments for function '\(function.name)'")) {
                    try compile(function.minimumArguments - 1)
                }
            }
            if let maximum = function.maximumArguments {
                try compile(maximum)
                #expect(throws: QueryError.invalidQuery("Too many arguments for function '\(function.name)'")) {
                    try compile(maximum + 1)
                }
            } else {
                try compile(40)
            }
        }
    }

    @Test(
        "ANY and EVERY are compiled to subqueries, and a simple membership test to fl_contains",
        arguments: [
            ("ANY v IN a SATISFIES v = 1 END", "fl_contains(body, 'a', 1)"),
            ("ANY v IN [1] SATISFIES v = 1 END", "fl_contains(array_of(1), null, 1)"),
            ("ANY v IN * SATISFIES v = 1 END", "fl_contains(fl_root(body), null, 1)"),
            ("ANY v IN a SATISFIES v = v END", "EXISTS (SELECT 1 FROM fl_each(body, 'a') AS _v WHERE _v.value = _v.value)"),
            ("ANY v IN a SATISFIES 1 = v END", "EXISTS (SELECT 1 FROM fl_each(body, 'a') AS _v WHERE 1 = _v.value)"),
            ("EVERY v IN a SATISFIES v > 1 END", "NOT EXISTS (SELECT 1 FROM fl_each(body, 'a') AS _v WHERE NOT (_v.value > 1))"),
            (
                "ANY AND EVERY v IN a SATISFIES v > 1 END",
                "(fl_count(body, 'a') > 0 AND NOT EXISTS (SELECT 1 FROM fl_each(body, 'a') AS _v WHERE NOT (_v.value > 1)))"
            ),
            (
                "ANY v IN a SATISFIES (ANY w IN v.b SATISFIES w > v.c END) END",
                "EXISTS (SELECT 1 FROM fl_each(body, 'a') AS _v WHERE EXISTS (SELECT 1 FROM fl_each(_v.value, 'b') AS _w "
                    + "WHERE _w.value > fl_nested_value(_v.body, 'c')))"
            ),
        ]
    )
    func quantifiers(text: String, sql: String) throws {
        #expect(try indexSQL(text) == sql)
    }

    @Test("an undeclared, repeated or invalid variable throws an error")
    func variables() {
        func compile(_ expression: QueryExpression) throws {
            _ = try QueryCompiler.compile(SelectStatement(condition: expression), resolver: FakeDatabase())
        }
        let v = QueryExpression.variable("v", [])
        #expect(throws: QueryError.invalidQuery("No such variable 'v'")) { try compile(v) }
        #expect(throws: QueryError.invalidQuery("Variable 'v' is already in use")) {
            let inner = QueryExpression.quantified(.every, variable: "v", source: v, predicate: v)
            try compile(.quantified(.any, variable: "v", source: a, predicate: inner))
        }
        #expect(
            throws: QueryError.invalidQuery("ANY/EVERY first parameter must be an identifier; 'v w' is not")
        ) { try compile(.quantified(.any, variable: "v w", source: a, predicate: b)) }
    }

    @Test("case-insensitive LIKE is compiled to fl_like")
    func likeIgnoringCase() throws {
        let like = QueryExpression.like(value: a, pattern: .string("x%"), isCaseSensitive: false)
        let query = try QueryCompiler.compile(SelectStatement(condition: like), resolver: FakeDatabase())
        #expect(query.sql.contains("WHERE (fl_like(fl_value(_doc.body, 'a'), 'x%', 'LCUnicode_C__')) AND"))
    }

    @Test("LIKE under a collation that ignores accents counts characters unless an index stores its result")
    func likeIgnoringAccents() throws {
        var database = FakeDatabase()
        let query = "SELECT x FROM people WHERE s LIKE '_' COLLATE (UNICODE NODIAC)"
        let arguments = "(fl_value(people.body, 's'), '_', 'LCUnicode__D_')"
        #expect(try database.compile(query).sql.hasSuffix(" WHERE fl_like_characters\(arguments)"))
        database.indexedExpressions = ["fl_like(fl_value(body, 's'), '_', 'LCUnicode__D_')"]
        #expect(try database.compile(query).sql.hasSuffix(" WHERE fl_like\(arguments)"))
        #expect(try indexSQL("s LIKE '_' COLLATE (UNICODE NODIAC)") == "fl_like(fl_value(body, 's'), '_', 'LCUnicode__D_')")
    }

    @Test(
        "a collation is applied once, to the first operand of a comparison or to the whole expression",
        arguments: [
            ("(a = 1 AND b < 2) COLLATE NOCASE", "(fl_value(body, 'a') = 1) COLLATE NOCASE AND fl_value(body, 'b') < 2"),
            ("a COLLATE (UNICODE:se NODIAC)", "fl_value(body, 'a') COLLATE LCUnicode__D_se"),
            ("a COLLATE (UNICODE:`x\"y`)", #"fl_value(body, 'a') COLLATE "LCUnicode____x""y""#),
            ("(a + 1) COLLATE NOCASE", "fl_value(body, 'a') COLLATE NOCASE + 1"),
            ("(a + 1 = 2) COLLATE NOCASE", "(fl_value(body, 'a') + 1) COLLATE NOCASE = 2"),
            ("(a IN ('x')) COLLATE NOCASE", "fl_value(body, 'a') COLLATE NOCASE IN ('x')"),
            ("(a BETWEEN 1 AND 2) COLLATE NOCASE", "fl_value(body, 'a') COLLATE NOCASE BETWEEN 1 AND 2"),
            ("(a LIKE 'x') COLLATE UNICODE", "fl_like(fl_value(body, 'a'), 'x', 'LCUnicode____')"),
            ("(a LIKE 'x') COLLATE NOCASE", "fl_like(fl_value(body, 'a'), 'x', 'NOCASE')"),
            ("contains(a, 'x') COLLATE (UNICODE NOCASE)", "contains(fl_value(body, 'a'), 'x', 'LCUnicode_C__')"),
            ("((a COLLATE CASE) = 'x') COLLATE (UNICODE NOCASE)", "fl_value(body, 'a') COLLATE LCUnicode____ = 'x'"),
            ("a COLLATE CASE", "fl_value(body, 'a') COLLATE BINARY"),
            (
                "(ANY v IN a SATISFIES v = 'x' END) COLLATE NOCASE",
                "EXISTS (SELECT 1 FROM fl_each(body, 'a') AS _v WHERE _v.value COLLATE NOCASE = 'x')"
            ),
        ]
    )
    func collations(text: String, sql: String) throws {
        #expect(try indexSQL(text) == sql)
    }

    @Test("an expression that is nested too deeply throws an error")
    func depth() {
        let deep = (0..<5_000).reduce(a) { tree, _ in .operation(.and, [tree, b]) }
        #expect(throws: QueryError.invalidQuery("the query is nested too deeply")) {
            try QueryCompiler.compile(SelectStatement(condition: deep), resolver: FakeDatabase())
        }
    }

    @Test("operators with a wrong number of operands throw an error")
    func operands() {
        for symbol in QueryOperator.allCases {
            #expect(throws: QueryError.invalidQuery("Wrong number of arguments to \(symbol.rawValue)")) {
                try QueryCompiler.compile(SelectStatement(condition: .operation(symbol, [])), resolver: FakeDatabase())
            }
        }
    }
}

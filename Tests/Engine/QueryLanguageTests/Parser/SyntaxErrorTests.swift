import QueryLanguage
import Testing

@Suite("Syntax errors")
struct SyntaxErrorTests {
    @Test(
        "a syntax error has the furthest position that the parser reached",
        arguments: [
            ("", 0), ("   ", 3), ("SELECT", 6), ("SELECT x FROM", 13), ("SELECT x,, y FROM _", 9),
            ("SELECT x FROM _ WHERE x = 'a", 28), ("SELECT x FROM _ WHERE x = \"é", 29), ("SELECT `x FROM _", 16),
            ("SELECT `` FROM _", 9), ("SELECT squee(x) FROM _", 12), ("SELECT x FROM _ WHERE (a = 1", 28),
            ("SELECT x FROM _ WHERE a IN (1, 2", 32), ("SELECT x FROM _ WHERE a NOT 1", 28),
            ("SELECT x FROM _ WHERE a BETWEEN 1", 33), ("SELECT CASE END FROM _", 12),
            ("SELECT x FROM _ LIMIT", 21), ("SELECT x FROM _ x y", 18), ("SELECT {a: 1} FROM _", 8),
            ("SELECT é FROM _", 7), ("SELECT x FROM _ WHERE $ = 1", 23), ("SELECT a.* b.c FROM _", 12),
            ("SELECT a[1.5] FROM _", 9), ("SELECT a[99999999999999999999] FROM _", 9), ("DELETE FROM _", 0),
            ("SELECT count(DISTINCT) FROM _", 21), ("SELECT count(DISTINCT a, b) FROM _", 23), ("SELECT upper(DISTINCT c) FROM _", 13),
            ("SELECT a FROM _ # c", 16), ("SELECT a /* c FROM _", 20),
            ("SELECT x COLLATE FROM _", 17),
            ("SELECT x COLLATE (UNICODE:) FROM _", 26), ("SELECT x FROM _ WHERE ANY v IN a SATISFIES v", 44),
            ("SELECT x FROM _ WHERE a LIKE 'x' LIKE 'y'", 33), ("SELECT match(idx) FROM _", 16),
            ("SELECT {'a': 1, 'b': [{'a': 2}], 'a': 3} FROM _", 33),
        ]
    )
    func position(text: String, offset: Int) {
        let error = #expect(throws: QueryError.self) { try SQLPlusPlus.parse(text) }
        #expect(error == QueryError(.invalidQuery, "SQL++ syntax error near character \(offset + 1)", offset: offset))
    }

    @Test(
        "a test after a comparison or another test, also after NOT, is an error at its operator",
        arguments: [
            ("a = b IN (1)", 6), ("NOT a = b IN (1)", 10), ("NOT a = b NOT IN (1)", 10), ("NOT a = b NOT NULL", 10),
            ("NOT a = b BETWEEN 0 AND 1", 10), ("NOT a LIKE b = c", 13), ("NOT a IN (1) IN (2)", 13), ("+NOT a = b LIKE c", 11),
            ("1 + NOT a = b IN (1)", 14), ("NOT NOT a = b IN (1)", 14), ("a IN (1) + 1", 9), ("a NOT NULL < 1", 11),
            ("(NOT a = b IN (1))", 11),
        ]
    )
    func chainedTests(expression: String, offset: Int) throws {
        let error = #expect(throws: QueryError.self) { try SQLPlusPlus.parseExpression(expression) }
        #expect(error?.offset == offset)
        #expect(throws: QueryError.self) { try SQLPlusPlus.parse("SELECT x FROM _ WHERE \(expression)") }
    }

    @Test(
        "in parentheses, a comparison is an operand of another one and of a test",
        arguments: [
            "NOT (a = b) NOT IN (1)", "(NOT a = b) NOT IN (1)", "(a IN (1)) + 1", "a = b = c IS NOT NULL", "NOT a = b AND c IN (1)",
        ]
    )
    func parenthesizedTests(expression: String) throws {
        _ = try SQLPlusPlus.parseExpression(expression)
    }

    @Test("a bit operator throws an unknown-operator error", arguments: ["&", "|", "<<", ">>"])
    func bitOperators(symbol: String) {
        #expect(throws: QueryError.invalidQuery("Unknown operator '\(symbol)'")) {
            try SQLPlusPlus.parse("SELECT a \(symbol) b FROM _")
        }
    }

    @Test("a query of a property without FROM throws an error")
    func missingFrom() {
        let error = #expect(throws: QueryError.self) { try SQLPlusPlus.parse("SELECT x WHERE y") }
        #expect(error == .invalidQuery("SQL++ error: missing the FROM clause"))
    }

    @Test("an error in an index expression quotes the expression")
    func indexExpression() {
        let error = #expect(throws: QueryError.self) { try SQLPlusPlus.parseIndexExpressions("s +") }
        #expect(error?.message == "Invalid SQL++ in index expression \"s +\" near character 4")
        #expect(throws: QueryError(.invalidQuery, "empty index expression", offset: 0)) {
            try SQLPlusPlus.parseIndexExpressions(" ")
        }
        #expect(throws: QueryError.self) { try SQLPlusPlus.parseIndexExpressions("a DESC") }
    }

    /// Text in which a construct is nested inside itself.
    private static let nestings: [(opening: String, core: String, closing: String)] = [
        ("(", "1", ")"), ("[", "1", "]"), ("{'a':", "1", "}"), ("- ", "x", ""), ("+", "x", ""), ("NOT ", "x", ""),
        ("- ", "1", ""), ("abs(", "1", ")"), ("CASE WHEN ", "1", " THEN 1 END"), ("a IN (", "1", ")"),
        ("a = (", "1", ")"), ("1 + (", "1", ")"), ("EXISTS (SELECT ", "1", " FROM _)"),
        ("ANY v IN ", "a", " SATISFIES 1 END"),
    ]

    @Test("90 nesting levels are parsed, and 20,000 levels throw an error", arguments: nestings.indices)
    func nesting(index: Int) throws {
        let (opening, core, closing) = Self.nestings[index]
        func text(_ depth: Int) -> String {
            String(repeating: opening, count: depth) + core + String(repeating: closing, count: depth)
        }
        _ = try SQLPlusPlus.parseExpression(text(90))
        let error = #expect(throws: QueryError.self) { try SQLPlusPlus.parseExpression(text(20_000)) }
        #expect(error?.message == "the query is nested too deeply")
        // A truncated text is an error as well, of either kind.
        #expect(throws: QueryError.self) { try SQLPlusPlus.parseExpression(String(repeating: opening, count: 20_000)) }
    }

    @Test("a long chain of one associative operator is parsed flat, and other long chains throw an error")
    func chains() throws {
        for symbol in ["AND", "OR", "+", "*", "||"] {
            let text = Array(repeating: "x", count: 50_000).joined(separator: " \(symbol) ")
            try SQLPlusPlus.parseExpression(text).checkDepth()
        }
        for symbol in ["-", "/", "=", "<", "IS"] {
            _ = try SQLPlusPlus.parseExpression(Array(repeating: "x", count: 100).joined(separator: " \(symbol) "))
            #expect(throws: QueryError.self) {
                try SQLPlusPlus.parseExpression(Array(repeating: "x", count: 50_000).joined(separator: " \(symbol) "))
            }
        }
    }

    @Test("chains of operators next to one another do not count as nesting, and chains inside one another do")
    func chainsOfChains() throws {
        let terms = Array(repeating: "a - b + c > d", count: 500)
        try SQLPlusPlus.parseExpression(terms.joined(separator: " AND ")).checkDepth()
        let list = terms.joined(separator: ", ")
        try SQLPlusPlus.parse("SELECT \(list) FROM _ WHERE abs(\(list)) OR a IN [\(list)]").checkDepth()
        // None of the 30 pairs of parentheses has too many operators, but all of them together do.
        let nested = (0..<30).reduce("a") { text, _ in "(\(text) - b - c - d - e - f)" }
        let error = #expect(throws: QueryError.self) { try SQLPlusPlus.parseExpression(nested) }
        #expect(error?.message == "the query is nested too deeply")
    }
}

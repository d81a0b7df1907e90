import QueryLanguage
import Testing

@Suite("SQL++ tokens")
struct LexicalTests {
    @Test(
        "number literals keep their type, and integers out of range are floating-point numbers",
        arguments: [
            ("12", .integer(12)), ("007", .integer(7)), ("-12", .integer(-12)),
            ("9223372036854775807", .integer(.max)), ("9223372036854775808", .double(0x1p63)),
            ("-9223372036854775808", .integer(.min)), ("-99999999999999999999", .double(-1e20)),
            ("12.", .double(12)), ("12.5", .double(12.5)), (".5", .double(0.5)), ("-.5", .double(-0.5)),
            ("12.5e-3", .double(0.0125)), ("12E5", .double(1_200_000)), ("1e3", .double(1000)), ("2.e2", .double(200)),
            ("1e999", .double(.infinity)), ("-1e999", .double(-.infinity)), ("0.1", .double(0.1)),
        ] as [(String, QueryExpression)]
    )
    func numbers(text: String, literal: QueryExpression) throws {
        #expect(try SQLPlusPlus.parseExpression(text) == literal)
    }

    @Test("integers out of range saturate in index expressions and in LIMIT", arguments: ["9223372036854775808", "18446744073709551615"])
    func saturatedNumbers(text: String) throws {
        #expect(try SQLPlusPlus.parseIndexExpressions("a + \(text)") == [.operation(.add, [.property([.key("a")]), .integer(.max)])])
        #expect(try SQLPlusPlus.parseIndexCondition("-\(text)") == .integer(.min))
        #expect(try SQLPlusPlus.parse("SELECT a FROM _ LIMIT \(text)").limit == .integer(.max))
    }

    @Test("a number followed by a letter throws an error", arguments: ["12a", "1_", "1e", "1e+", "0x10", "1.5f", "1.2.3"])
    func badNumbers(text: String) {
        #expect(throws: QueryError.self) { try SQLPlusPlus.parseExpression(text) }
    }

    @Test(
        "a string is enclosed in single or double quotes, which are doubled inside",
        arguments: [
            ("'a'", "a"), ("\"a\"", "a"), ("''", ""), ("'it''s'", "it's"), ("\"say \"\"hi\"\"\"", "say \"hi\""),
            ("'a\"b'", "a\"b"), (#"'a\nb'"#, #"a\nb"#), ("'two\nlines'", "two\nlines"), ("'naïve 😀'", "naïve 😀"),
        ]
    )
    func strings(text: String, value: String) throws {
        #expect(try SQLPlusPlus.parseExpression(text) == .string(value))
    }

    static let reserved = """
        AND ANY AS ASC BETWEEN BY CASE COLLATE CROSS DESC DISTINCT ELSE END EVERY FALSE FROM GROUP HAVING IN INNER IS JOIN \
        LEFT LIKE LIMIT MISSING NATURAL NOT NULL OFFSET ON OR ORDER OUTER RIGHT SATISFIES SELECT THEN TRUE UNNEST USING \
        VALUED WHEN WHERE
        """.split(separator: " ").map(String.init)

    @Test("a reserved word in any case is a name only between backticks", arguments: reserved)
    func reservedWords(word: String) throws {
        for spelling in [word, word.lowercased()] {
            #expect(try SQLPlusPlus.parseExpression("`\(spelling)`") == .property([.key(spelling)]))
            #expect(try SQLPlusPlus.parseExpression("a.`\(spelling)`") == .property([.key("a"), .key(spelling)]))
            #expect(throws: QueryError.self) { try SQLPlusPlus.parse("SELECT x.\(spelling) FROM _") }
            #expect(throws: QueryError.self) { try SQLPlusPlus.parse("SELECT x FROM \(spelling)") }
        }
    }

    @Test(
        "a word that is not reserved is a name",
        arguments: [
            "all", "exists", "some", "meta", "match", "rank", "prediction", "unicode", "nocase", "lower", "count",
        ]
    )
    func softWords(word: String) throws {
        #expect(try SQLPlusPlus.parseExpression(word) == .property([.key(word)]))
        #expect(try SQLPlusPlus.parseExpression("\(word).\(word)") == .property([.key(word), .key(word)]))
        let select = try SQLPlusPlus.parse("SELECT \(word) FROM \(word) AS \(word)")
        #expect(select.items == [SelectItem(.property([.key(word)]))])
        #expect(select.sources == [.collection(CollectionPath(name: word), alias: word)])
    }

    @Test("a quoted name is never a keyword or function")
    func quotedNames() throws {
        #expect(try SQLPlusPlus.parseExpression("`some`") == .property([.key("some")]))
        for text in ["`lower`(x)", "`meta`()", "`exists`(SELECT x FROM _)"] {
            #expect(throws: QueryError.self) { try SQLPlusPlus.parseExpression(text) }
        }
    }

    @Test("keywords and functions are case-insensitive, and names are case-sensitive")
    func letterCase() throws {
        let lower = try SQLPlusPlus.parse("select Name from _ where LOWER(x) like 'y' order by z desc limit 1")
        let upper = try SQLPlusPlus.parse("SELECT Name FROM _ WHERE LOWER(x) LIKE 'y' ORDER BY z DESC LIMIT 1")
        #expect(lower == upper)
        #expect(lower.items == [SelectItem(.property([.key("Name")]))])
    }

    @Test("an operator of predicates alone throws an error", arguments: ["a && b", "!a", "a =< b", "a => b", "a @ b"])
    func operatorsOfPredicates(text: String) {
        #expect(throws: QueryError.self) { try SQLPlusPlus.parseExpression(text) }
    }

    @Test("two stars are two tokens")
    func stars() throws {
        #expect(try SQLPlusPlus.parseExpression("a**") == .operation(.multiply, [.property([.key("a")]), .property([])]))
    }

    @Test("white space consists of spaces, tabs and line breaks")
    func whiteSpace() throws {
        #expect(try SQLPlusPlus.parseExpression(" \t\r\n a\n+\tb ") == SQLPlusPlus.parseExpression("a+b"))
        for space in ["\u{A0}", "\u{B}", "\u{C}"] {
            #expect(throws: QueryError.self) { try SQLPlusPlus.parseExpression("a\(space)+ b") }
        }
    }

    @Test(
        "a comment separates tokens like white space",
        arguments: [
            "a/**/+b", "/* a */ a + /* * / -- */ b", "a --\n+ b -- the end", "-- first\r\n-- second\n\ta\r+--\rb", "a/***/ + b--",
            "a /* two\nlines */ + /* é */ b /**/",
        ]
    )
    func comments(text: String) throws {
        #expect(try SQLPlusPlus.parseExpression(text) == .operation(.add, [.property([.key("a")]), .property([.key("b")])]))
    }

    @Test("the signs of a comment in a string or a quoted name are part of it, and comments do not nest")
    func signsOfComments() throws {
        #expect(try SQLPlusPlus.parseExpression("'--' /* ' */") == .string("--"))
        #expect(try SQLPlusPlus.parseExpression("`/* x */`") == .property([.key("/* x */")]))
        #expect(try SQLPlusPlus.parseExpression("1 - -2") == .operation(.subtract, [.integer(1), .integer(-2)]))
        #expect(try SQLPlusPlus.parseExpression("1 --2") == .integer(1))
        #expect(throws: QueryError.self) { try SQLPlusPlus.parseExpression("a /* /* */ */") }
    }

    @Test("a query or an index that consists of a comment is empty")
    func onlyComments() {
        #expect(throws: QueryError(.invalidQuery, "SQL++ syntax error near character 5", offset: 4)) { try SQLPlusPlus.parse("-- x") }
        #expect(throws: QueryError(.invalidQuery, "empty index expression", offset: 0)) {
            try SQLPlusPlus.parseIndexExpressions("/* x */")
        }
    }

    @Test(
        "an invalid path as a string in results, GROUP BY or ORDER BY throws an error",
        arguments: ["SELECT 'a..b' FROM _", "SELECT x FROM _ GROUP BY 'a[x]'", "SELECT x FROM _ ORDER BY '..'"]
    )
    func badPaths(text: String) {
        #expect(throws: QueryError.self) { try SQLPlusPlus.parse(text) }
    }
}

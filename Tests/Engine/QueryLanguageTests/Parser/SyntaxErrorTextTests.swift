import QueryLanguage
import Testing

@Suite("Texts of syntax errors")
struct SyntaxErrorTextTests {
    /// Returns the description of the error, in lines.
    private func lines(_ text: String) throws -> [String] {
        let error = try #require(#expect(throws: QueryError.self) { try SQLPlusPlus.parse(text) })
        return error.description.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    }

    @Test(
        "a syntax error says what was expected and what was found",
        arguments: [
            ("SELECT x FROM _ WHERE", "expected an expression, but the text ends"),
            ("", "expected SELECT, but the text ends"),
            ("SELECT x FROM _ ORDER x", "expected BY, but found \"x\""),
            ("SELECT x FROM (y)", "expected the name of a collection, but found \"(\""),
            ("SELECT x FROM _ WHERE (a = 1", "expected \")\", but the text ends"),
            ("SELECT x FROM _ WHERE 'a' 'b'", "expected an operator, another clause or the end, but found the string 'b'"),
            ("SELECT x FROM _ WHERE a `b`", "expected an operator, another clause or the end, but found `b`"),
            (
                "SELECT x FROM _ WHERE NOT a = b NOT IN (1)",
                "expected AND, OR or the end of the condition, but found \"NOT\"; put the comparison before it in parentheses"
            ),
            ("SELECT {a: 1} FROM _", "expected a key in quotes, but found \"a\""),
            ("SELECT a[1.5] FROM _", "expected the number of an element, but found \"1.5\""),
            ("SELECT x COLLATE y FROM _", "expected CASE, NOCASE, DIAC, NODIAC, UNICODE or NOUNICODE, but found \"y\""),
            ("SELECT x FROM _ WHERE x = 'a", "the string is not closed"),
            ("SELECT `x FROM _", "the name is not closed by a backtick"),
            ("SELECT `` FROM _", "a name in backticks is empty"),
            ("SELECT 1x FROM _", "the number is malformed"),
            ("SELECT .5x FROM _", "the number is malformed"),
            ("SELECT é FROM _", "the character \"é\" is not part of the language"),
            ("SELECT x /* y FROM _", "the comment is not closed by */"), ("SELECT x FROM _ WHERE y /*/", "the comment is not closed by */"),
            ("SELECT $ FROM _", "the name of a parameter must follow the dollar sign"),
        ]
    )
    func reason(text: String, reason: String) throws {
        let first = try #require(try lines(text).first)
        #expect(first.hasPrefix("SQL++ syntax error near character "))
        #expect(first.hasSuffix(": " + reason))
    }

    @Test(
        "a reserved word in place of a name is said to be reserved",
        arguments: [
            ("SELECT from FROM _", "`from`"), ("SELECT a.Order FROM _", "`Order`"), ("SELECT x AS end FROM _", "`end`"),
            ("SELECT x FROM group", "`group`"), ("SELECT x FROM _ WHERE left = 1", "`left`"),
        ]
    )
    func reserved(text: String, word: String) throws {
        #expect(try lines(text)[0].hasSuffix("\(word) is reserved; write it in backticks if it is meant as a name"))
    }

    @Test(
        "an unknown function is named with the nearest one",
        arguments: [
            ("SELECT lenght(x) FROM _", "unknown function \"lenght\"; did you mean length()?"),
            ("SELECT UPER(x) FROM _", "unknown function \"UPER\"; did you mean upper()?"),
            ("SELECT array_lenth(x) FROM _", "unknown function \"array_lenth\"; did you mean array_length()?"),
            ("SELECT mta().id FROM _", "unknown function \"mta\"; did you mean meta()?"),
            ("SELECT squeeze_all(x) FROM _", "unknown function \"squeeze_all\""),
        ]
    )
    func functions(text: String, reason: String) throws {
        let lines = try lines(text)
        #expect(lines[0].hasSuffix(": " + reason))
        #expect(lines[1...] == [text, "       ^"])
    }

    @Test("the error for an unknown function of a query as JSON has the usual message and a suggestion")
    func functionsOfJSON() throws {
        let database = FakeDatabase()
        let error = #expect(throws: QueryError.self) { try database.compile(json: #"{"WHAT":[["lenght()",[".x"]]]}"#) }
        #expect(error?.message == "Unknown function 'lenght'")
        #expect(error?.description == "Unknown function 'lenght'; did you mean length()?")
    }

    @Test(
        "a misspelt keyword that was read as an alias is recognized",
        arguments: [
            ("SELECT x FORM _ WHERE y", "FROM instead of \"FORM\""), ("SELECT x FROM _ WERE y = 1", "WHERE instead of \"WERE\""),
            ("SELECT x FROM _ oder BY x", "ORDER instead of \"oder\""),
        ]
    )
    func clauses(text: String, suggestion: String) throws {
        #expect(try lines(text)[0].hasSuffix("; did you mean \(suggestion)?"))
    }

    @Test(
        "the line of the error is shown with a mark under the place",
        arguments: [
            ("SELECT x FROM _ WHERE", "SELECT x FROM _ WHERE", "                     ^"),
            ("SELECT x FROM _ WHERE  \n \n", "SELECT x FROM _ WHERE  ", "                     ^"),
            ("SELECT x\nFROM _\nWHERE )\nLIMIT 1", "WHERE )", "      ^"),
            ("SELECT x\r\nFROM )\r\n", "FROM ) ", "     ^"),
            ("SELECT\tx\tFROM\t)", "SELECT\tx\tFROM\t)", "      \t \t    \t^"),
            ("SELECT '日本', )", "SELECT '日本', )", "               ^"),
            ("SELECT '👨‍👩‍👧e\u{301}', )", "SELECT '👨‍👩‍👧e\u{301}', )", "              ^"),
            ("SELECT 'a\u{7}b', )", "SELECT 'a b', )", "              ^"),
            ("SELECT x FROM _ WHERE x = 'a", "SELECT x FROM _ WHERE x = 'a", "                          ^"),
            ("", "", "^"),
        ]
    )
    func excerpt(text: String, line: String, mark: String) throws {
        #expect(try lines(text)[1...] == [line, mark])
    }

    @Test("a text of several lines has the line and the column in its error")
    func lineNumbers() throws {
        #expect(try lines("SELECT x\nFROM _\nWHERE )")[0].hasPrefix("SQL++ syntax error near character 23 (line 3, column 7): expected"))
    }

    @Test("a long line is cut on both sides of the place")
    func longLine() throws {
        let text = "SELECT " + String(repeating: "x, ", count: 5000) + ") " + String(repeating: "y", count: 5000)
        let lines = try lines(text)
        #expect(lines[1] == "…" + String(repeating: "x, ", count: 20) + ") " + String(repeating: "y", count: 38) + "…")
        #expect(lines[2] == String(repeating: " ", count: 61) + "^")
        #expect(lines[0].utf8.count < 200)
    }

    @Test("an error inside an index expression shows the expression")
    func indexExpression() throws {
        let error = try #require(#expect(throws: QueryError.self) { try SQLPlusPlus.parseIndexExpressions("s +") })
        #expect(
            error.description
                == "Invalid SQL++ in index expression \"s +\" near character 4: expected an expression, but the text ends\ns +\n   ^"
        )
    }

    @Test("errors at every byte of a text with characters of many bytes are described")
    func everyByte() {
        let text = "SELECT 'é日👍' AS `日本`, x[0] FROM _ WHERE a = $b"
        for length in 0..<text.utf8.count {
            let cut = String(decoding: text.utf8.prefix(length), as: UTF8.self) + "#"
            let error = #expect(throws: QueryError.self) { try SQLPlusPlus.parse(cut) }
            #expect(error?.description.split(separator: "\n").count == 3)
        }
    }
}

import Testing

@testable import cblite

@Suite("What is typed into the shell")
struct ShellTextTests {
    @Test(
        "a statement ends at a semicolon outside of strings, names and comments",
        arguments: [
            ("SELECT 1; x", "SELECT 1", " x"), ("SELECT ';' ;", "SELECT ';' ", ""), ("SELECT 'it''s;' ;", "SELECT 'it''s;' ", ""),
            ("SELECT \"a;b\";", "SELECT \"a;b\"", ""), ("SELECT `a;b`;y", "SELECT `a;b`", "y"),
            ("SELECT 1 -- x; y\n+ 2;", "SELECT 1 -- x; y\n+ 2", ""), ("SELECT /* ; */ 1;", "SELECT /* ; */ 1", ""), (";", "", ""),
            ("SELECT 5 - - 3 / 1;", "SELECT 5 - - 3 / 1", ""),
        ]
    )
    func splitting(text: String, statement: String, rest: String) throws {
        let parts = try #require(ShellText.splitStatement(text))
        #expect(parts.statement == statement)
        #expect(parts.rest == rest)
    }

    @Test(
        "a statement without its semicolon is not complete",
        arguments: ["SELECT 1", "SELECT ';", "SELECT `;", "SELECT /* ;", "SELECT -- ;", "SELECT ''';", "", "/", "-", "/*", "/*/;"]
    )
    func incomplete(text: String) {
        #expect(ShellText.splitStatement(text) == nil)
    }

    @Test(
        "a statement begins with one of six words, after comments and parentheses",
        arguments: [
            ("select 1", "SELECT"), ("  -- x\n UPDATE _", "UPDATE"), ("/* x */(SELECT 1)", "SELECT"), ("selection", nil), ("ls -l", nil),
            ("", nil), ("\\d", nil), ("explain select 1", "EXPLAIN"),
        ] as [(String, String?)]
    )
    func keywords(text: String, expected: String?) {
        #expect(ShellText.statementKeyword(text) == expected)
    }

    @Test(
        "a command line is split into words as a shell does",
        arguments: [
            ("ls -l", ["ls", "-l"]), ("put 'a b' \"c d\"", ["put", "a b", "c d"]),
            (#"cat a\ b "x\"y" 'z\'"#, ["cat", "a b", "x\"y", "z\\"]),
            ("a''b \"\"", ["ab", ""]), ("", []), ("  ", []), ("é 中", ["é", "中"]),
        ]
    )
    func words(line: String, expected: [String]) throws {
        #expect(try ShellText.words(line) == expected)
    }

    @Test("a quote that is not closed is an error")
    func openQuote() {
        #expect(throws: Failure.self) { try ShellText.words("cat 'a b") }
    }

    @Test("candidates are completed as far as they agree, whatever the case of their letters")
    func common() {
        func common(_ candidates: [String]) -> String { Completion(wordSize: 0, characters: 0, candidates: candidates).common }
        #expect(common(["name", "NATURAL"]) == "na")
        #expect(common(["geo.alt", "geo.lat"]) == "geo.")
        #expect(common(["only"]) == "only")
        #expect(common([]) == "")
        #expect(common(["中文", "中国"]) == "中")
    }
}

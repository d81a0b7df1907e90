import Foundation
import TestSupport
import Testing

@Suite("The shell with a pipe")
struct PipedShellTests {
    private let tool: Tool

    init() throws {
        tool = try Tool()
        try tool.makeDatabase()
    }

    private func shell(_ lines: String..., options: [String] = []) throws -> ProcessResult {
        try tool.run(["shell", "db"] + options, input: lines.joined(separator: "\n") + "\n")
    }

    /// Runs lines, expects no error, and returns what was printed without the lines that tell the time.
    private func output(_ lines: String...) throws -> [String] {
        let result = try tool.run(["db"], input: lines.joined(separator: "\n") + "\n")
        #expect(result.exitCode == 0, "\(result.errorOutput)")
        return result.outputLines.filter { !$0.hasSuffix(" ms") }
    }

    @Test("a statement may extend over lines, and a line may have several statements")
    func statements() throws {
        #expect(try output("SELECT n", "FROM _", "ORDER BY n;") == ["n", "1", "2", "3"])
        #expect(try output("SELECT n FROM _ WHERE n = 1; SELECT n FROM _ WHERE n = 2;") == ["n", "1", "n", "2"])
        // The last one needs no semicolon.
        #expect(try output("SELECT n FROM _ WHERE n = 3") == ["n", "3"])
    }

    @Test("commands of the tool work without the name of the database")
    func commands() throws {
        #expect(try output("ls", "cat b", "put d '{\"n\": 4}'", "ls 'd*'").suffix(1) == ["d"])
        #expect(try output("index create byN n", "index").contains { $0.contains("byN") })
        #expect(try output("index -c _default create minus -n", "index ls", "index delete minus").contains { $0.contains("minus") })
        #expect(try output("collections create s.x", "collections").last?.hasPrefix("s.x ") == true)
        #expect(try output("check").last == "No problems found.")
        #expect(try output("tombstones ls", "blob ls", "cp copy").last?.hasPrefix("Copied ") == true)
        #expect(try output("backup file", "restore file restored").last?.hasPrefix("Restored db ") == true)
        #expect(try output("backup --verify file").last == "No problems found.")
        #expect(try output("UPDATE _ SET n = 9 WHERE n = 1;", "SELECT n FROM _ WHERE n > 8;") == ["1 document changed", "n", "9"])
    }

    @Test("commands and statements use an encrypted database with the key that was given once")
    func encrypted() throws {
        try tool.write("password", "secret\n")
        try tool.lines("import", "--create", "--password-file", "password", "safe", "-", input: #"{"_id":"x","n":7}"#)
        let result = try tool.run(["shell", "safe", "--password-file", "password"], input: "ls\nSELECT n FROM _;\nput y '{}'\nls\n")
        #expect(result.exitCode == 0, "\(result.errorOutput)")
        let lines = result.outputLines
        #expect(lines.first == "x" && lines.suffix(2) == ["x", "y"] && lines.contains("7"), "\(lines)")
    }

    @Test("the first error ends the shell with its exit code, and what follows is not run")
    func errors() throws {
        let result = try shell("SELECT n FORM _;", "ls")
        #expect(result.exitCode == 64)
        #expect(result.output == "")
        #expect(result.errorOutput.contains("did you mean FROM"))
        #expect(try shell("cat nothing").exitCode == 66)
        let unknown = try shell("lss")
        #expect(unknown.exitCode == 64)
        #expect(unknown.errorOutput.contains("did you mean ls?"))
        #expect(try shell("\\nonsense").exitCode == 64)
        #expect(try shell("ls --nonsense").exitCode == 64)
        #expect(try shell("shell db").exitCode == 64)
    }

    @Test("a misspelled first word is corrected, be it that of a command or of a statement")
    func misspelled() throws {
        #expect(try shell("slect n FROM _;").errorOutput.contains("there is no command slect; did you mean SELECT?"))
        #expect(try shell("exprot").errorOutput.contains("there is no command exprot; did you mean export?"))
    }

    @Test(
        "commands and statements of other databases are answered with what to type",
        arguments: [
            (".schema", #"\d"#), (".tables;", "collections"), ("CREATE INDEX a ON _ (n);", "index create NAME"),
            ("create unique index a", "index create NAME"), ("drop table x", "collections delete"), ("BEGIN;", "transaction of its own"),
            ("show tables", #"\d"#), ("INSERT INTO _ VALUES ('a', 1);", "(KEY, VALUE)"),
        ]
    )
    func foreign(line: String, hint: String) throws {
        let result = try shell(line)
        #expect(result.exitCode == 64)
        #expect(result.errorOutput.contains(hint), "\(result.errorOutput)")
    }

    @Test("\\c chooses the collection of commands, and \\d shows the properties that documents have")
    func collections() throws {
        try tool.lines(
            "import",
            "--create",
            "db",
            "-",
            "--collection",
            "inventory.hotels",
            input: #"{"_id":"h","stars":3,"geo":{"lat":1.5}}"#
        )
        #expect(try output("\\c inventory.hotels", "ls", "\\c", "ls") == ["h", "a", "b", "c"])
        let schema = try output("\\d inventory.hotels")
        #expect(schema.first == "inventory.hotels, 1 document")
        #expect(schema.contains { $0.hasPrefix("geo.lat") && $0.contains("number") && $0.contains("100%") })
        #expect(try shell("\\c nowhere").exitCode == 66)
    }

    @Test("\\x, \\format, \\set, \\timing and \\explain change how queries run")
    func settings() throws {
        #expect(try output("\\x on", "SELECT n FROM _ WHERE n = 1;") == ["─── row 1 ───", "n  1"])
        #expect(try output("\\format csv", "SELECT n FROM _ WHERE n = 1;") == ["n", "1"])
        #expect(try output("\\set least 2", "SELECT n FROM _ WHERE n > $least;") == ["n", "3"])
        #expect(try output("\\set name \"a b\"", "\\set") == ["$name = \"a b\""])
        #expect(try output("\\explain on", "SELECT n FROM _ WHERE n = 1;").first?.contains("reads all 3 documents") == true)
        #expect(try shell("\\timing", "ls").errorOutput.contains("Time: "))
        #expect(try shell("\\format word").exitCode == 64)
        #expect(try shell("\\x maybe").exitCode == 64)
        #expect(try shell("\\set x {").exitCode == 65)
    }

    @Test("\\i runs a file, and \\o writes what is printed to one")
    func files() throws {
        try tool.write("script", "\\format jsonl\nSELECT n FROM _ WHERE n < 3 ORDER BY n;\nls")
        #expect(try output("\\i script") == [#"{"n":1}"#, #"{"n":2}"#, "a", "b", "c"])
        #expect(try output("\\o out", "ls", "\\o", "ls 'a'") == ["a"])
        #expect(try String(decoding: tool.data("out"), as: UTF8.self) == "a\nb\nc\n")
        try tool.write("endless", "\\i endless")
        #expect(try shell("\\i endless").errorOutput.contains("include each other"))
        #expect(try shell("\\i missing").exitCode == 66)
    }

    @Test("EXPLAIN describes a query, and help lists commands")
    func help() throws {
        #expect(try output("EXPLAIN SELECT n FROM _ WHERE n = 1;").first?.contains("reads all 3 documents") == true)
        for line in ["\\?", "help", "help;", "?"] { #expect(try output(line).contains { $0.hasPrefix("\\watch") }) }
        #expect(try shell("help ls").errorOutput.contains("cblite ls"))
    }
}

import Foundation
import TestSupport
import Testing

@testable import cblite

@Suite("Help and errors in arguments")
struct HelpTests {
    private let tool: Tool

    init() throws {
        tool = try Tool()
    }

    @Test("examples in help are never wrapped, and all other text is at most as wide as the terminal")
    func width() throws {
        for (path, command) in CBLite.allCommands {
            let text = command.unwrappedHelp
            func help(_ columns: Int) -> [String] { HelpLayout.wrap(text, to: columns).components(separatedBy: "\n") }
            func examples(_ lines: [String]) -> ArraySlice<String> {
                lines.drop { $0 != "EXAMPLES:" }.prefix { !$0.isEmpty }
            }
            for columns in [60, 80] {
                let lines = help(columns)
                if path == ["query"] {
                    let printed = try tool.shell("COLUMNS=\(columns) cblite help query").output
                    #expect(lines.joined(separator: "\n") + "\n" == printed)
                }
                #expect(examples(lines) == examples(help(10_000)), "\(path)")
                #expect(!examples(lines).isEmpty)
                var isExample = false
                for line in lines {
                    if line.isEmpty || line == "EXAMPLES:" { isExample = !line.isEmpty }
                    // A word can be longer, such as the name of an option.
                    #expect(isExample || line.count <= columns || !line.dropFirst(26).contains(" "), "\(path): \(line)")
                }
            }
        }
    }

    @Test("continuation lines are indented like the text that they continue")
    func wrapping() {
        let text = """
            OVERVIEW: one two three four

            EXAMPLES:
              $ cblite a command that is longer than the line

              65  one two three four five
              --option <value>        one two three
            """
        #expect(
            HelpLayout.wrap(text, to: 36) == """
                OVERVIEW: one two three four

                EXAMPLES:
                  $ cblite a command that is longer than the line

                  65  one two three four five
                  --option <value>        one two
                                          three
                """
        )
        #expect(HelpLayout.wrap("  65  one two three four five", to: 20) == "  65  one two three\n      four five")
        #expect(HelpLayout.wrap("one two three", to: 8) == "one two\nthree")
    }

    @Test(
        "all errors begin with the name of the tool, those in arguments show the usage and have exit code 64",
        arguments: [
            (["ls"], "Missing expected argument '<database>'"), (["ls", "--jsn", "db"], "Did you mean '--json'?"),
            (["index", "db", "crate", "x"], "Did you mean 'create'?"),
            (["ls", "db", "--busy-timeout", "99999999"], "--busy-timeout must be"),
            (["cat", "--wrong-option", "db", "a"], "Unknown option"), (["lss", "x", "y"], "there is no command 'lss'. Did you mean 'ls'?"),
            (["blob", "gte", "db"], "there is no command 'gte'. Did you mean 'get'?"),
            (["tombstones", "prune", "db"], "there is no command 'prune'. Did you mean 'purge'?"),
            (["help", "impotr"], "there is no command 'impotr'. Did you mean 'import'?"),
            (["logs", "x", "--domain", "databse"], "Did you mean 'database'?"),
        ]
    )
    func prefix(arguments: [String], message: String) throws {
        let result = try tool.run(arguments)
        #expect(result.exitCode == 64)
        #expect(result.output == "")
        #expect(result.errorOutput.hasPrefix("cblite: "), "\(result.errorOutput)")
        #expect(!result.errorOutput.contains("Error:"))
        #expect(result.errorOutput.replacingOccurrences(of: "\n", with: " ").contains(message), "\(result.errorOutput)")
        #expect(result.errorOutput.contains("--help"))
    }

    @Test("a misspelled command without further arguments is not only taken for a database")
    func misspelledCommand() throws {
        try tool.expectFailure(66, "Did you mean the command 'ls'?", "lss")
    }

    @Test("a misspelled collection is suggested, also if its scope was omitted")
    func collections() throws {
        try tool.makeDatabase()
        try tool.lines("collections", "db", "create", "inventory.hotels")
        try tool.expectFailure(66, "Did you mean 'inventory.hotels'?", "ls", "-c", "inventory.hotles", "db")
        try tool.expectFailure(66, "Did you mean 'inventory.hotels'?", "ls", "-c", "hotels", "db")
        try tool.expectFailure(66, "Did you mean 'inventory.hotels'?", "push", "-c", "inventory.hotel", "db", "other")
        try tool.expectFailure(66, "Collections of the database: ", "ls", "-c", "entirely.different", "db")
    }

    @Test(
        "the nearest name is suggested if it differs little",
        arguments: [
            ("improt", "import"), ("q", nil), ("qury", "query"), ("LS", "ls"), ("exprot", "export"), ("something", nil), ("", nil),
        ] as [(String, String?)]
    )
    func nearest(typed: String, expected: String?) {
        #expect(Suggestion.nearest(to: typed, among: ["import", "export", "query", "ls"]) == expected)
    }

    @Test("completions prints a script for each shell", arguments: ["bash", "zsh", "fish"])
    func completions(shell: String) throws {
        let script = try tool.lines("completions", shell).joined(separator: "\n")
        #expect(script.contains("cblite") && script.contains("tombstones") && script.contains("json"))
        guard shell == "bash" else { return }
        let end = try tool.shell("cblite completions bash > c && bash -n c && echo good")
        #expect(end.output == "good\n", "\(end.errorOutput)")
    }

    @Test("manual prints a page with every command, which troff accepts")
    func manual() throws {
        let page = try tool.run("manual").output
        for path in CBLite.allCommands.map(\.path) { #expect(page.contains("\n.SS cblite \(path.joined(separator: " "))\n"), "\(path)") }
        #expect(page.hasPrefix(".TH CBLITE 1 "))
        #expect(page.contains("\n$ cblite put travel.cblite2 airport_CDG \\-\\-set visits=3"))
        let lines = page.split(separator: "\n")
        let requests = ["TH", "SH", "SS", "PP", "TP", "B", "I", "RS", "RE", "nf", "fi"]
        for line in lines where line.hasPrefix(".") || line.hasPrefix("'") {
            #expect(requests.contains(String(line.dropFirst().prefix { $0 != " " })), "\(line)")
        }
        #expect(lines.count(where: { $0 == ".nf" }) == lines.count(where: { $0 == ".fi" }))
    }
}

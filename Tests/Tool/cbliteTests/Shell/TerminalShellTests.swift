import Foundation
import TestSupport
import Testing

@testable import cblite

/// A shell in a terminal of 80 × 24.
private struct TypedShell {
    static let tmux = "/usr/bin/tmux"
    private let socket: String

    private struct Missing: Error, CustomStringConvertible {
        let description: String
    }

    init(_ tool: Tool, session: Int, pager: String) throws {
        socket = tool.directory.path("tmux\(session)")
        let command = "cd '\(tool.directory.path(""))' && TERM=screen CBLITE_PAGER='\(pager)' CBLITE_HISTORY=history '\(tool.path)' db"
        try run("-f", "/dev/null", "new-session", "-d", "-x", "80", "-y", "24", "-s", "shell", command)
        try expectScreen("db> ")
    }

    @discardableResult
    private func run(_ arguments: String...) throws -> String {
        let result = try ProcessRunner(executable: URL(fileURLWithPath: Self.tmux)).run(["-S", socket, "-u"] + arguments)
        guard result.exitCode == 0 else { throw Missing(description: "\(arguments): \(result.errorOutput)") }
        return result.output
    }

    func end() { _ = try? run("kill-server") }

    func type(_ text: String) throws {
        // A semicolon at the end of an argument separates commands of tmux.
        let escaped = text.hasSuffix(";") ? text.dropLast() + "\\;" : text
        try run("send-keys", "-t", "shell", "-l", escaped)
    }

    func enter(_ text: String) throws {
        try type(text)
        try press("Enter")
    }

    func press(_ key: String) throws { try run("send-keys", "-t", "shell", key) }

    func screen() throws -> String { try run("capture-pane", "-p", "-t", "shell") }

    /// Waits until the screen has a text, the lines of which are compared without spaces at their ends.
    func expectScreen(_ text: String) throws {
        let text = text.trimmingCharacters(in: .whitespaces)
        try expectScreen("the text \(text)") { $0.contains(text) }
    }

    /// Discards the line, and waits for an empty one: until then, the terminal itself would echo keys.
    func discardLine() throws {
        try press("C-c")
        try expectScreen("an empty line") { $0.split(separator: "\n").last?.trimmingCharacters(in: .whitespaces) == "db>" }
    }

    private func expectScreen(_ expected: String, _ isShown: (String) -> Bool) throws {
        var last = ""
        // A minute, for a machine that is busy.
        for _ in 0..<3_000 {
            last = try screen()
            if isShown(last) { return }
            usleep(20_000)
        }
        throw Missing(description: "the screen does not show \(expected):\n\(last)")
    }
}

/// The shell in a real terminal: keys are typed with tmux, and its screen is read.
@Suite("The shell on a terminal", .enabled(if: FileManager.default.isExecutableFile(atPath: TypedShell.tmux), "needs tmux"))
struct TerminalShellTests {
    private let tool: Tool

    init() throws {
        tool = try Tool()
        try tool.makeDatabase(
            #"{"_id":"first","name":"中文字","text":"\#(String(repeating: "long ", count: 60))","n":1}"#,
            #"{"_id":"second","name":"العربية","text":"short","n":2}"#
        )
    }

    /// Starts the shell, calls `body`, and ends it.
    private func typing(session: Int = 1, pager: String = "cat", _ body: (TypedShell) throws -> Void) throws {
        let shell = try TypedShell(tool, session: session, pager: pager)
        defer { shell.end() }
        try body(shell)
    }

    @Test("the tab key completes statements, properties, functions, commands and document IDs")
    func completion() throws {
        try typing { shell in
            try shell.type("SEL")
            try shell.press("Tab")
            try shell.expectScreen("db> SELECT ")
            try shell.type("tex")
            try shell.press("Tab")
            try shell.expectScreen("db> SELECT text ")
            try shell.type(", te")
            try shell.press("Tab")
            try shell.expectScreen("db> SELECT text , text ")
            try shell.type(", n")
            try shell.press("Tab")
            // More than one candidate: they are listed.
            try shell.expectScreen("name")
            try shell.discardLine()
            try shell.type("che")
            try shell.press("Tab")
            try shell.expectScreen("db> check ")
            try shell.discardLine()
            try shell.type("cat sec")
            try shell.press("Tab")
            try shell.expectScreen("db> cat second ")
            try shell.press("Enter")
            try shell.expectScreen(#""n": 2"#)
        }
    }

    @Test("a statement is typed over several lines, and the history recalls it, also in the next session")
    func history() throws {
        try typing { shell in
            try shell.enter("SELECT n")
            try shell.expectScreen(" -> ")
            try shell.enter("FROM _ WHERE n = 2;")
            try shell.expectScreen("1 row, ")
            try shell.press("Up")
            try shell.expectScreen("db> SELECT n FROM _ WHERE n = 2;")
            try shell.press("C-c")
        }
        try typing(session: 2) { shell in
            try shell.press("Up")
            try shell.expectScreen("db> SELECT n FROM _ WHERE n = 2;")
        }
    }

    @Test("Ctrl-C discards a line, and cancels a query that runs, but does not end the shell")
    func interrupt() throws {
        try typing { shell in
            try shell.type("SELECT nonsense")
            try shell.discardLine()
            try shell.expectScreen("SELECT nonsense^C")
            try shell.press("Enter")
            // The query prints rows without end.
            let joins = (0..<30).map { " CROSS JOIN _ x\($0)" }.joined()
            try shell.enter("SELECT 'endless' AS text FROM _\(joins);")
            try shell.expectScreen("endless\nendless")
            try shell.press("C-c")
            try shell.expectScreen("Cancelled.")
            try shell.enter("SELECT n + 40 AS answer FROM _ WHERE n = 2;")
            try shell.expectScreen("answer\n    42")
        }
    }

    @Test("a table that is wider than the terminal is cut, and wide characters line up")
    func wide() throws {
        DisplayWidth.prepare()
        try typing { shell in
            try shell.enter("SELECT name, text, n FROM _ ORDER BY n;")
            try shell.expectScreen("2 rows, ")
            let lines = try shell.screen().split(separator: "\n").map(String.init)
            let rows = lines.filter { $0.hasPrefix("中文字") || $0.hasPrefix("العربية") || $0.hasPrefix("name") }
            #expect(rows.count == 3, "\(lines)")
            #expect(rows.allSatisfy { DisplayWidth.of($0) == 80 }, "\(rows)")
            #expect(rows.contains { $0.contains("…") && $0.hasSuffix(" 1") })
        }
    }

    @Test("\\watch repeats the last query, which sees the changes of other processes, until Ctrl-C")
    func watch() throws {
        try typing { shell in
            try shell.enter("SELECT count(*) AS number FROM _;")
            try shell.expectScreen("number\n     2")
            try shell.enter("\\watch 0.1")
            try tool.lines("put", "db", "third", "{}")
            try shell.expectScreen("number\n     3")
            try shell.press("C-c")
            try shell.expectScreen("^C")
            try shell.enter("SELECT n + 40 AS answer FROM _ WHERE n = 2;")
            try shell.expectScreen("answer\n    42")
        }
    }

    @Test("rows that do not fit the screen go through the pager, and those that fit do not")
    func pager() throws {
        try typing(pager: "sed s/^/paged/") { shell in
            try shell.enter("SELECT n + 40 AS answer FROM _ WHERE n = 2;")
            try shell.expectScreen("answer\n    42\n1 row, ")
            let joins = (0..<6).map { " CROSS JOIN _ x\($0)" }.joined()
            try shell.enter("SELECT _.n + 60 AS result FROM _\(joins) ORDER BY _.n;")
            try shell.expectScreen("paged128 rows, ")
            try shell.enter("SELECT n + 40 AS answer FROM _ WHERE n = 1;")
            try shell.expectScreen("answer\n    41\n1 row, ")
        }
    }

    @Test("a statement that changes documents asks once")
    func confirmation() throws {
        try typing { shell in
            try shell.enter("UPDATE _ SET n = 5 WHERE n = 1;")
            try shell.expectScreen("[y]es, [n]o, [a]lways:")
            try shell.enter("n")
            try shell.expectScreen("Nothing was changed.")
            try shell.enter("UPDATE _ SET n = 6;")
            try shell.expectScreen("SET n = 6;\nThis statement changes documents.")
            try shell.enter("a")
            try shell.expectScreen("2 documents changed")
            try shell.enter("UPDATE _ SET n = 7 WHERE n = 8;")
            try shell.expectScreen("0 documents changed")
            // An error does not end the shell.
            try shell.enter("UPDATE _ STE n = 7;")
            try shell.expectScreen("cblite: ")
            try shell.enter("\\q")
        }
    }
}

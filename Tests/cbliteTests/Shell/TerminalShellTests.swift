import Foundation
import TestSupport
import Testing

@testable import cblite

private let tmux = "/usr/bin/tmux"

/// The shell in a real terminal: keys are typed with tmux, and its screen is read.
@Suite("The shell on a terminal", .serialized, .enabled(if: FileManager.default.isExecutableFile(atPath: tmux), "needs tmux"))
struct TerminalShellTests {
    private let tool: Tool
    private let socket: String

    init() throws {
        tool = try Tool()
        socket = tool.directory.path("tmux")
        try tool.makeDatabase(
            #"{"_id":"first","name":"中文字","text":"\#(String(repeating: "long ", count: 60))","n":1}"#,
            #"{"_id":"second","name":"العربية","text":"short","n":2}"#
        )
    }

    /// Starts the shell in a terminal of 80 × 24, calls `body`, and ends it.
    private func typing(_ body: () throws -> Void) throws {
        let command = "cd '\(tool.directory.path(""))' && TERM=screen CBLITE_PAGER=cat CBLITE_HISTORY=history '\(tool.path)' db"
        try run("-f", "/dev/null", "new-session", "-d", "-x", "80", "-y", "24", "-s", "shell", command)
        defer { _ = try? run("kill-server") }
        try expectScreen("db> ")
        try body()
    }

    @discardableResult
    private func run(_ arguments: String...) throws -> String {
        let result = try ProcessRunner(executable: URL(fileURLWithPath: tmux)).run(["-S", socket, "-u"] + arguments)
        #expect(result.exitCode == 0, "\(result.errorOutput)")
        return result.output
    }

    private func type(_ text: String) throws {
        // A semicolon at the end of an argument separates commands of tmux.
        let escaped = text.hasSuffix(";") ? text.dropLast() + "\\;" : text
        try run("send-keys", "-t", "shell", "-l", escaped)
    }

    private func press(_ keys: String...) throws {
        for key in keys { try run("send-keys", "-t", "shell", key) }
    }

    private func screen() throws -> String { try run("capture-pane", "-p", "-t", "shell") }

    private struct Missing: Error, CustomStringConvertible {
        let description: String
    }

    /// Waits until the screen has a text, the lines of which are compared without spaces at their ends.
    private func expectScreen(_ text: String) throws {
        var last = ""
        // A minute, for a machine that is busy.
        for _ in 0..<3_000 {
            last = try screen()
            if last.contains(text.trimmingCharacters(in: .whitespaces)) { return }
            usleep(20_000)
        }
        throw Missing(description: "the screen does not have \(text):\n\(last)")
    }

    @Test("the tab key completes statements, properties, functions, commands and document IDs")
    func completion() throws {
        try typing {
            try type("SEL")
            try press("Tab")
            try expectScreen("db> SELECT ")
            try type("tex")
            try press("Tab")
            try expectScreen("db> SELECT text ")
            try type(", te")
            try press("Tab")
            try expectScreen("db> SELECT text , text ")
            try type(", n")
            try press("Tab")
            // More than one candidate: they are listed.
            try expectScreen("name")
            try press("C-c")
            try type("che")
            try press("Tab")
            try expectScreen("db> check ")
            try press("C-c")
            try type("cat sec")
            try press("Tab")
            try expectScreen("db> cat second ")
            try press("Enter")
            try expectScreen(#""n": 2"#)
        }
    }

    @Test("a statement is typed over several lines, and the history recalls it, also in the next session")
    func history() throws {
        try typing {
            try type("SELECT n")
            try press("Enter")
            try expectScreen(" -> ")
            try type("FROM _ WHERE n = 2;")
            try press("Enter")
            try expectScreen("1 row, ")
            try press("Up")
            try expectScreen("db> SELECT n FROM _ WHERE n = 2;")
            try press("C-c")
        }
        try typing {
            try press("Up")
            try expectScreen("db> SELECT n FROM _ WHERE n = 2;")
        }
    }

    @Test("Ctrl-C discards a line, and cancels a query that runs, but does not end the shell")
    func interrupt() throws {
        try typing {
            try type("SELECT nonsense")
            try press("C-c")
            try expectScreen("SELECT nonsense^C")
            try press("Enter")
            let joins = (0..<30).map { " CROSS JOIN _ x\($0)" }.joined()
            try type("\\timing")
            try press("Enter")
            try expectScreen("Timing is on.")
            try type("SELECT count(*) FROM _\(joins) WHERE x0.n IS VALUED;")
            try press("Enter")
            usleep(300_000)
            try press("C-c")
            try expectScreen("Cancelled.")
            try type("SELECT n + 40 AS answer FROM _ WHERE n = 2;")
            try press("Enter")
            try expectScreen("answer\n    42")
        }
    }

    @Test("a table that is wider than the terminal is cut, and wide characters line up")
    func wide() throws {
        DisplayWidth.prepare()
        try typing {
            try type("SELECT name, text, n FROM _ ORDER BY n;")
            try press("Enter")
            try expectScreen("2 rows, ")
            let lines = try screen().split(separator: "\n").map(String.init)
            let rows = lines.filter { $0.hasPrefix("中文字") || $0.hasPrefix("العربية") || $0.hasPrefix("name") }
            #expect(rows.count == 3, "\(lines)")
            #expect(rows.allSatisfy { DisplayWidth.of($0) == 80 }, "\(rows)")
            #expect(rows.contains { $0.contains("…") && $0.hasSuffix(" 1") })
        }
    }

    @Test("a statement that changes documents asks once")
    func confirmation() throws {
        try typing {
            try type("UPDATE _ SET n = 5 WHERE n = 1;")
            try press("Enter")
            try expectScreen("[y]es, [n]o, [a]lways:")
            try type("n")
            try press("Enter")
            try expectScreen("Nothing was changed.")
            try type("UPDATE _ SET n = 6;")
            try press("Enter")
            try expectScreen("SET n = 6;\nThis statement changes documents.")
            try type("a")
            try press("Enter")
            try expectScreen("2 documents changed")
            try type("UPDATE _ SET n = 7 WHERE n = 8;")
            try press("Enter")
            try expectScreen("0 documents changed")
            // An error does not end the shell.
            try type("UPDATE _ STE n = 7;")
            try press("Enter")
            try expectScreen("cblite: ")
            try type("\\q")
            try press("Enter")
        }
    }
}

import Foundation
import TestSupport
import Testing

@testable import cblite

@Suite("cblite output")
struct OutputTests {
    @Test("the help of every command has examples and mentions --json")
    func help() throws {
        let tool = try Tool()
        let overview = try tool.lines("--help")
        let list = try #require(overview.firstIndex(of: "SUBCOMMANDS:"))
        let names = overview[(list + 1)...].filter { $0.hasPrefix("  ") && !$0.hasPrefix("   ") && !$0.contains("'") }
            .compactMap { $0.split(separator: " ").first.map(String.init) }
        #expect(names.count == CBLite.commands.count)
        for (path, command) in CBLite.allCommands {
            let help = command.unwrappedHelp
            #expect(help.contains("EXAMPLES:"), "\(path)")
            #expect(help.contains("cblite \(path.joined(separator: " "))"), "\(path)")
            #expect(help.contains("--json"), "\(path)")
        }
        for path in [["put"], ["blob", "get"]] {
            let printed = try tool.run(["help"] + path)
            #expect(printed.output.contains("cblite \(path.joined(separator: " ")) travel.cblite2"))
        }
        #expect(try tool.run().output.contains("EXAMPLES:"))
    }

    @Test("cblite exits without an error when the reader of its output closes the pipe")
    func closedPipe() throws {
        let tool = try Tool()
        let documents = (0..<20_000).map { #"{"_id":"document \#($0)"}"# }.joined(separator: "\n")
        try tool.lines("import", "--create", "db", "-", input: documents)
        for command in ["ls db", "ls -l db", "export db", "cat db '*'"] {
            let result = try tool.shell("{ cblite \(command); echo code $? >&2; } | head -n 1")
            #expect(result.outputLines.count == 1)
            #expect(result.errorOutput == "code 0\n", "\(command)")
        }
    }

    @Test("output that cannot be written fails with exit code 74")
    func failedOutput() throws {
        let tool = try Tool()
        try tool.makeDatabase()
        let closed = try tool.shell("cblite ls db >&-; echo code $? >&2")
        #expect(closed.errorOutput.hasSuffix("code 74\n"))
        #expect(closed.errorOutput.contains("cannot write the output"))
        guard FileManager.default.fileExists(atPath: "/dev/full") else { return }
        #expect(try tool.shell("cblite --help >/dev/full; echo code $? >&2").errorOutput.hasSuffix("code 74\n"))
        #expect(try tool.shell("cblite --version >/dev/full; echo code $? >&2").errorOutput.hasSuffix("code 74\n"))
        let full = try tool.shell("cblite ls db >/dev/full; echo code $? >&2")
        #expect(full.errorOutput.hasSuffix("code 74\n"))
    }

    @Test("the exit code of an error is kept when standard error is closed or full")
    func closedErrors() throws {
        let tool = try Tool()
        #expect(try tool.shell("cblite info missing 2>&-; echo code $?").output.hasSuffix("code 66\n"))
        guard FileManager.default.fileExists(atPath: "/dev/full") else { return }
        #expect(try tool.shell("cblite info missing 2>/dev/full; echo code $?").output.hasSuffix("code 66\n"))
    }

    @Test("a file that a killed process has not finished is removed when the file is written again, but none that is being written")
    func abandonedFiles() throws {
        let tool = try Tool()
        try tool.makeDatabase()
        try tool.lines("export", "db", "-o", "out")
        for name in ["out.unfinished-17", "out.unfinished-x", "out2.unfinished-17"] {
            try Data("half".utf8).write(to: URL(fileURLWithPath: tool.directory.path(name)))
        }
        let written = open(tool.directory.path("out.unfinished-18"), O_WRONLY | O_CREAT, 0o644)
        defer { close(written) }
        #expect(flock(written, LOCK_EX) == 0)
        try tool.lines("export", "db", "-o", "out")
        let names = try FileManager.default.contentsOfDirectory(atPath: tool.directory.path("")).filter { $0.hasPrefix("out") }.sorted()
        #expect(names == ["out", "out.unfinished-18", "out.unfinished-x", "out2.unfinished-17"])
    }

    @Test("a negative number after an option is explained")
    func negativeNumber() throws {
        let result = try Tool().run("ls", "db", "--limit", "-1")
        #expect(
            result.errorOutput.contains("-1 looks like an option"),
            "\(result.errorOutput)"
        )
    }

    @Test("output is not written into a file that is opened while standard output is closed")
    func closedDescriptors() throws {
        let tool = try Tool()
        try tool.makeDatabase()
        let expected = try tool.lines("export", "db").joined(separator: "\n") + "\n"
        _ = try tool.shell("cblite export db -o out >&- 2>&- <&-")
        #expect(try String(decoding: tool.data("out"), as: UTF8.self) == expected)
        #expect(try tool.lines("check", "db").last == "No problems found.")
    }

    @Test(
        "colors are printed only on a terminal without NO_COLOR",
        .enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/script"), "needs script")
    )
    func terminal() throws {
        let tool = try Tool()
        try tool.makeDatabase()
        let escape = "\u{1B}["
        #expect(!(try tool.run("cat", "--pretty", "db", "a").output.contains(escape)))
        func onTerminal(_ environment: String) throws -> String {
            try tool.shell("\(environment) script -qec \"$CBLITE cat db a\" /dev/null </dev/null").output
        }
        #expect(try onTerminal("TERM=xterm NO_COLOR=").contains(escape + "34m\"_id\""))
        let plain = try onTerminal("TERM=xterm NO_COLOR=1")
        #expect(!plain.contains(escape))
        #expect(plain.contains("\n  \"_id\": \"a\""))
    }

    @Test("table columns are aligned")
    func table() throws {
        let tool = try Tool()
        try tool.makeDatabase(#"{"_id":"short"}"#, #"{"_id":"a longer ID é","n":"x"}"#)
        let lines = try tool.lines("ls", "-l", "db")
        #expect(Set(lines.map(\.count)).count == 1)
        #expect(lines[0].hasSuffix("Size"))
    }

    @Test("numbers are grouped by thousands, and sizes have units")
    func numbers() {
        #expect([0, 7, 999, 1000, 1_234_567, -1234].map(\.grouped) == ["0", "7", "999", "1,000", "1,234,567", "-1,234"])
        #expect(
            [0, 999, 1000, 999_949, 999_950, 1_250_000, 3_000_000_000].map(\.asByteCount) == [
                "0 bytes", "999 bytes", "1.0 kB", "999.9 kB", "1.0 MB", "1.3 MB", "3.0 GB",
            ]
        )
        #expect(1.counted("document") == "1 document")
        #expect(2.counted("document") == "2 documents")
    }

    @Test("the progress bar shows the share, the count, the rate and the time left")
    func progress() {
        func line(_ done: Int, of total: Int?, count: Int, _ seconds: Double, _ unit: ProgressBar.Unit = .documents) -> String {
            ProgressBar.line("Importing", done, of: total, count: count, unit, seconds: seconds)
        }
        #expect(
            line(500, of: 1000, count: 12_000, 2)
                == "Importing  [============>           ]   50%  12,000 documents  6,000/s  2 s left"
        )
        #expect(line(1000, of: 1000, count: 1, 0) == "Importing  [========================]  100%  1 document")
        #expect(line(5000, of: nil, count: 5000, 1, .bytes) == "Importing  5.0 kB  5.0 kB/s")
        #expect(line(0, of: nil, count: 0, 75, .none) == "Importing  1 min 15 s")
        #expect(line(1, of: 1000, count: 1, 4, .items("page")).hasSuffix("1 page  0/s  1 h 6 min left"))
        let short = ProgressBar.line("Importing", 520, of: 1000, count: 12_000, .documents, seconds: 2, isShort: true)
        #expect(short == "52%  Importing  12,000 documents  6,000/s  2 s left")
    }

    @Test(
        "JSON is formatted over several indented lines",
        arguments: [
            ("{}", "{}"), ("[]", "[]"), (#"{"a":[],"b":{}}"#, "{\n  \"a\": [],\n  \"b\": {}\n}"),
            (#"["a,\"b]",1]"#, "[\n  \"a,\\\"b]\",\n  1\n]"),
            (#"{"é":{"x":null}}"#, "{\n  \"é\": {\n    \"x\": null\n  }\n}"),
        ]
    )
    func layout(text: String, expected: String) {
        let found = Array(text.utf8).withUnsafeBytes { JSONLayout(style: Style(isColoured: false), isForTerminal: false).layOut($0) }
        #expect(found == expected)
    }

    @Test(
        "a property path is split at unescaped dots",
        arguments: [
            ("a", ["a"]), ("a.b.c", ["a", "b", "c"]), (#"a\.b.c"#, ["a.b", "c"]), (#"a\\b"#, [#"a\b"#]),
            ("", nil), (".a", nil), ("a..b", nil), (#"a\"#, nil),
        ] as [(String, [String]?)]
    )
    func paths(text: String, expected: [String]?) {
        #expect(DocumentKeyPath(text)?.keys == expected)
    }
}

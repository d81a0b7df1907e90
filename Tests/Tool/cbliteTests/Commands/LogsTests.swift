import Foundation
import TestSupport
import TestTraits
import Testing

@testable import cblite

@Suite("cblite logs", .ownThreads)
struct LogsTests {
    private let tool: Tool

    init() throws {
        tool = try Tool()
        let header = "directory=/x, level=info\n---- CouchbaseLite/0.9.0 ----\n"
        var info = Data([0xCF, 0xB2, 0xAB, 0x1B, 0x0A])
        info += Data((header + line(1, "Database", "info", "opened the database\n\tat /x") + line(3, "Query", "info", "third")).utf8)
        try tool.write("logs/cbl_warning_1.cbllog", header + line(2, "Replicator", "warning", "retrying"))
        try info.write(to: tool.directory.url.appendingPathComponent("logs/cbl_info_1.cbllog"))
    }

    private func line(_ second: Int, _ domain: String, _ level: String, _ message: String) -> String {
        "2026-01-01T10:00:0\(second).000Z [\(domain)] \(level): \(message)\n"
    }

    @Test("files of both forms are merged by time")
    func merged() throws {
        #expect(
            try tool.lines("logs", "logs") == [
                "2026-01-01T10:00:01.000Z [Database] info: opened the database", "\tat /x",
                "2026-01-01T10:00:02.000Z [Replicator] warning: retrying", "2026-01-01T10:00:03.000Z [Query] info: third",
            ]
        )
        let json = try tool.lines("logs", "--json", "logs/cbl_warning_1.cbllog", "logs/cbl_info_1.cbllog").map { try object($0) }
        #expect(json.map { $0["level"] as? String } == ["info", "warning", "info"])
        #expect(json[0]["message"] as? String == "opened the database\nat /x")
    }

    @Test(
        "messages are selected by level, domain, time and text",
        arguments: [
            (["--level", "warning"], [2]), (["--domain", "query", "--domain", "Database"], [1, 3]),
            (["--since", "2026-01-01T10:00:02Z"], [2, 3]),
            (["--grep", "retry|at /x"], [1, 2]), (["--level", "error"], []), (["--since", "1h"], []),
        ] as [([String], [Int])]
    )
    func filters(arguments: [String], seconds: [Int]) throws {
        let found = try tool.run(["logs", "logs", "--json"] + arguments).outputLines.map { try object($0)["time"] as? String }
        #expect(found == seconds.map { "2026-01-01T10:00:0\($0).000Z" })
    }

    @Test("--follow prints new messages and those of new files, until Ctrl-C")
    func following() throws {
        let logs = try tool.start("logs", "--follow", "logs")
        defer { logs.kill() }
        _ = logs.waitForOutput(lines: 4)
        let file = try FileHandle(forWritingTo: tool.directory.url.appendingPathComponent("logs/cbl_info_1.cbllog"))
        try file.seekToEnd()
        try file.write(contentsOf: Data(line(4, "Query", "info", "fourth").utf8))
        #expect(logs.waitForOutput(lines: 5).last?.hasSuffix("fourth") == true)
        try tool.write("logs/cbl_error_2.cbllog", line(5, "Database", "error", "fifth"))
        #expect(logs.waitForOutput(lines: 6).last?.hasSuffix("error: fifth") == true)
        logs.kill(SIGINT)
        #expect(logs.waitUntilExit().exitCode == 0)
    }

    @Test("files that are no logs are refused, and compressed logs are named as such")
    func refused() throws {
        try tool.write("text", "hello\n")
        try tool.expectFailure(65, "text is not a log file", "logs", "text")
        try Data([0xCF, 0xB2, 0xAB, 0x1B, 1, 2, 3, 4, 0x0A]).write(to: tool.directory.url.appendingPathComponent("logs/c.cbllog"))
        try tool.expectFailure(65, "c.cbllog is a compressed log", "logs", "logs")
        try tool.expectFailure(66, "cannot open", "logs", "missing")
        try tool.expectFailure(64, "not a regular expression", "logs", "logs", "--grep", "(")
    }
}

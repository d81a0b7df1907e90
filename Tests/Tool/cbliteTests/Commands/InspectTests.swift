#if Replication
import Foundation
import TestSupport
import TestTraits
import Testing

@Suite("cblite inspect", .ownThreads)
struct InspectTests {
    private let tool: Tool

    init() throws {
        tool = try Tool()
        try tool.makeDatabase()
    }

    /// Runs the command until it has printed its line, and then interrupts it.
    private func line(_ arguments: String..., body: (String) throws -> Void = { _ in }) throws -> String {
        let process = try tool.start(["inspect"] + arguments)
        defer { process.kill() }
        let line = try #require(process.waitForOutput(lines: 1).first)
        try body(line)
        process.kill(SIGINT)
        let end = process.waitUntilExit()
        #expect(end.exitCode == 0, "\(end.errorOutput)")
        #expect(end.errorOutput == "")
        #expect(end.outputLines == [line])
        return line
    }

    @Test("inspect prints one line, a link to this machine, and ends at Ctrl-C")
    func link() throws {
        let url = try #require(URL(string: try line("db")))
        #expect(url.host == "127.0.0.1")
        #expect(url.query?.hasPrefix("token=") == true)
        #expect(url.query?.count == 70)
    }

    @Test("inspect --json prints the link, the port, and whether changes are possible")
    func json() throws {
        let report = try object(try line("--json", "--read-only", "db"))
        let port = try #require(report["port"] as? Int)
        #expect((report["url"] as? String)?.hasPrefix("http://127.0.0.1:\(port)/?token=") == true)
        #expect(report["readOnly"] as? Bool == true)
        #expect(try object(try line("--json", "db"))["readOnly"] as? Bool == false)
    }

    @Test("inspect opens a file of an older release for reading only, and does not change it, unless it is told to upgrade it")
    func olderRelease() throws {
        try tool.lines("convert", "db", "old", "--release", "3.0")
        let before = try tool.contents(of: "old.cblite2")
        #expect(try object(try line("--json", "old"))["readOnly"] as? Bool == true)
        #expect(try tool.contents(of: "old.cblite2") == before)
        #expect(try object(try line("--json", "--upgrade", "old"))["readOnly"] as? Bool == false)
        #expect(try object(try tool.lines("info", "old", "--json")[0])["version"] as? Int == 503)
    }

    @Test("inspect reports a database that does not exist, a port that is in use, and options that exclude each other")
    func failures() throws {
        try tool.expectFailure(66, "there is no database", "inspect", "nothing")
        try tool.expectFailure(64, "--read-only or --upgrade", "inspect", "--read-only", "--upgrade", "db")
        _ = try line("--json", "db") { line in
            let port = try #require(try object(line)["port"] as? Int)
            try tool.expectFailure(68, "Choose another with --port", "inspect", "--port", "\(port)", "db")
        }
    }
}
#endif

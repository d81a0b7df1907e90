#if Replication
import Foundation
import TestSupport
import TestTraits
import Testing

@Suite("cblite serve", .ownThreads)
struct ServeTests {
    private let tool: Tool

    init() throws {
        tool = try Tool()
        try tool.makeDatabase()
    }

    /// The port in a URL.
    private func port(of url: String?) throws -> Int {
        try #require(url.flatMap { URL(string: $0) }?.port)
    }

    @Test("serve listens on the loopback interface only by default and prints this")
    func loopback() throws {
        let server = try tool.serve("db")
        defer { server.kill() }
        let lines = server.waitForOutput(lines: 1)
        let port = try port(of: lines.first)
        #expect(lines == ["ws://localhost:\(port)/db"])
        let said = server.waitForError(containing: "clients may")
        let access = "Access for all clients, without a password; clients may read and write."
        #expect(said.contains("Accessible from this machine only, not encrypted.\n\(access)\n"), "\(said)")
        for host in ["localhost", "127.0.0.1"] { try tool.lines("pull", "copy", "ws://\(host):\(port)/db") }
        // A listener on all interfaces would accept this address too, unless this machine does not have it.
        try tool.expectFailure(68, "127.0.0.2", "pull", "copy", "ws://127.0.0.2:\(port)/db")
    }

    @Test(
        "serve on other interfaces requires a user and TLS, or options that waive them",
        arguments: [["--all-interfaces"], ["--interface", "0.0.0.0"], ["--host", "::"]]
    )
    func beyond(place: [String]) throws {
        try tool.write("good", "letmein\n")
        let user = ["--user", "anna", "--user-password-file", "good"]
        for (words, missing) in [
            ([], ["--user", "--anonymous", "--tls", "--no-tls"]), (["--anonymous"], ["--tls", "--no-tls"]),
            (["--no-tls"], ["--user", "--anonymous"]), (["--tls"], ["--user", "--anonymous"]),
            (user, ["--tls", "--no-tls"]), (["--writable"], ["--user", "--anonymous", "--tls", "--no-tls"]),
        ] {
            let result = try tool.run(["serve", "--port", "0"] + place + words + ["db"])
            #expect(result.exitCode == 64 && result.outputLines == [], "\(words): \(result.errorOutput)")
            for word in missing { #expect(result.errorOutput.contains(word), "\(words): \(result.errorOutput)") }
            for word in ["--user", "--no-tls"] where !missing.contains(word) {
                #expect(!result.errorOutput.contains(word), "\(words): \(result.errorOutput)")
            }
        }
    }

    @Test("anonymous remote clients can push with --writable and not with --read-only", arguments: [false, true])
    func strangers(isWritable: Bool) throws {
        let server = try tool.start(
            "serve",
            "--port",
            "0",
            "--all-interfaces",
            "--anonymous",
            "--no-tls",
            isWritable ? "--writable" : "--read-only",
            "--json",
            "db"
        )
        defer { server.kill() }
        let line = try object(try #require(server.waitForOutput(lines: 1).first))
        let port = try port(of: line["url"] as? String)
        #expect(line["writable"] as? Bool == isWritable && line["thisMachineOnly"] as? Bool == false)
        let url = "ws://127.0.0.2:\(port)/db"
        try tool.lines("import", "--create", "other", "-", input: #"{"_id":"z"}"#)
        #if os(Linux)
        #expect(try tool.run("push", "other", url).exitCode == (isWritable ? 0 : 77))
        #endif
        #expect(server.waitForError(containing: "clients may").contains("from other machines, on all interfaces"))
    }

    @Test("by default, anonymous remote clients are read-only, and authenticated users can write")
    func writing() throws {
        try tool.write("good", "letmein\n")
        let places = [(["--anonymous"], false), (["--user", "anna", "--user-password-file", "good"], true)]
        for (words, isWritable) in places {
            let server = try tool.start(["serve", "--port", "0", "--all-interfaces", "--no-tls", "--json"] + words + ["db"])
            defer { server.kill() }
            let line = try object(try #require(server.waitForOutput(lines: 1).first))
            #expect(line["writable"] as? Bool == isWritable)
            #expect(line["user"] as? String == (isWritable ? "anna" : nil))
            #expect(line["tls"] as? Bool == false)
            #expect((line["urls"] as? [String])?.first == line["url"] as? String)
        }
    }

    @Test("contradictory serve options are refused")
    func contradictions() throws {
        for words in [
            ["--interface", "lo", "--all-interfaces"], ["--user", "x", "--anonymous"], ["--tls", "--no-tls"],
            ["--cert", "x", "--no-tls"], ["--read-only", "--writable"],
        ] {
            #expect(try tool.run(["serve"] + words + ["db"]).exitCode == 64)
        }
        try tool.expectFailure(64, "nowhere", "serve", "--interface", "nowhere", "db")
    }

    @Test("serve logs connections, disconnections and refused clients")
    func visitors() throws {
        try tool.write("good", "letmein\n")
        let server = try tool.start("serve", "--port", "0", "--user", "anna", "--user-password-file", "good", "db")
        defer { server.kill() }
        let url = try #require(server.waitForOutput(lines: 1).first)
        #expect(try tool.run("pull", "copy", url).exitCode == 77)
        _ = server.waitForError(containing: "refused: 401")
        try tool.lines("pull", "--user", "anna", "--user-password-file", "good", "copy", url)
        let said = server.waitForError(containing: "disconnected after")
        let words = /127\.0\.0\.1:\d+, user "anna", has come in, to database "db"/
        #expect(said.contains(words) || said.contains(/\[::1\]:\d+, user "anna", has come in/), "\(said)")
        #expect(said.contains("3 sent, 0 received, 0 refused"), "\(said)")
        #expect(!said.contains("letmein"))
        server.kill(SIGTERM)
        #expect(server.waitUntilExit().exitCode == 0)
    }

    @Test("a server that is interrupted as soon as its URL is printed ends cleanly", arguments: [SIGINT, SIGTERM])
    func earlyInterrupt(signal: Int32) throws {
        // The server waits between the URL and the report on its access rights: standard error is a pipe with enough room for the line
        // that tells where it listens (at most 70 bytes), and not for the report, which is longer.
        let path = tool.directory.path("errors")
        #expect(mkfifo(path, 0o600) == 0)
        let pipe = open(path, O_RDWR | O_NONBLOCK)
        defer { close(pipe) }
        var page = [UInt8](repeating: 0, count: Int(getpagesize()))
        while write(pipe, page, page.count) > 0 {}
        #expect(read(pipe, &page, page.count) == page.count)
        #expect(write(pipe, page, page.count - 100) == page.count - 100)
        let shell = ProcessRunner(executable: URL(fileURLWithPath: "/bin/sh"))
        let server = try shell.start(
            ["-c", #"exec "$0" serve --port 0 db 2>errors"#, tool.path],
            directory: tool.directory.url
        )
        defer { server.kill() }
        #expect(server.waitForOutput(lines: 1).count == 1)

        server.kill(signal)
        var said: [UInt8] = []
        // Until the report has been read, or the server has ended without it.
        while !String(decoding: said, as: UTF8.self).contains("clients may"), !server.hasEnded {
            let count = read(pipe, &page, page.count)
            if count > 0 { said += page[..<count].filter { $0 != 0 } }
        }
        #expect(server.waitUntilExit().ending == .exited(0))
    }

    @Test("a port in use fails with the advice to choose another one")
    func portInUse() throws {
        try tool.serving("db") { urls in
            let port = try port(of: urls.first)
            try tool.lines("import", "--create", "other", "-", input: #"{"_id":"z"}"#)
            try tool.expectFailure(68, "Choose another with --port", "serve", "--port", "\(port)", "other")
        }
    }
}
#endif

#if Replication
import Foundation
import TestSupport
import TestTraits
import Testing

@testable import cblite

@Suite("cblite push, pull, sync and serve", .ownThreads)
struct ReplicationTests {
    private let tool: Tool

    init() throws {
        tool = try Tool()
        try tool.makeDatabase()
    }

    @Test("a replication that fails leaves no empty database that it has created, and keeps all others")
    func failedCreation() throws {
        try tool.expectFailure(68, "127.0.0.1:1", "pull", "new", "ws://127.0.0.1:1/none")
        try tool.expectFailure(68, "127.0.0.1:1", "sync", "--once", "new", "ws://127.0.0.1:1/none", "--collection", "a.b")
        try tool.expectFailure(66, "missing", "pull", "new", "ws://127.0.0.1:1/none", "--pinned", "missing")
        try tool.expectFailure(66, "no database", "pull", "new", "missing")
        try tool.expectFailure(66, "a.b", "push", "db", "new", "--collection", "a.b")
        #expect(!tool.exists("new.cblite2"))
        try tool.expectFailure(68, "127.0.0.1:1", "pull", "db", "ws://127.0.0.1:1/none")
        #expect(try tool.lines("ls", "db") == ["a", "b", "c"])
        try tool.lines("import", "--create", "empty", "-", input: "")
        try tool.expectFailure(68, "127.0.0.1:1", "pull", "empty", "ws://127.0.0.1:1/none")
        #expect(tool.exists("empty.cblite2"))
        try tool.lines("pull", "new", "empty")
        #expect(tool.exists("new.cblite2"))
    }

    @Test("documents are pushed to a server and pulled from it, each only once")
    func pushAndPull() throws {
        try tool.serving("db") { urls in
            let url = try #require(urls.first)
            #expect(url.hasPrefix("ws://localhost:"))
            #expect(url.hasSuffix("/db"))
            #expect(try tool.lines("pull", "copy", url) == ["Pulled 3 documents."])
            #expect(try tool.lines("pull", "copy", url) == ["Pulled 0 documents."])
            try tool.lines("put", "copy", "d", #"{"n":4}"#)
            try tool.lines("rm", "copy", "a")
            #expect(try tool.lines("push", "copy", url) == ["Pushed 2 documents."])
            #expect(try tool.lines("sync", "--once", "copy", url) == ["Pushed 0 documents, pulled 0 documents."])
        }
        #expect(try tool.lines("ls", "db") == ["b", "c", "d"])
        #expect(try tool.lines("check", "copy").last == "No problems found.")
        #expect(try tool.lines("check", "db").last == "No problems found.")
    }

    @Test(
        "a full disk fails a pull with a hint, and the local database stays intact",
        .enabled(if: SmallDisk.canBeMade, "needs a disk of its own")
    )
    func fullDisk() throws {
        let disk = try #require(SmallDisk())
        let text = String(repeating: "as long as it takes, ", count: 60)
        let lines = (0..<6000).map { "{\"_id\":\"more-\($0)\",\"text\":\"\($0) \(text)\"}" }
        try tool.lines("import", "db", "-", input: lines.joined(separator: "\n"))
        let copy = disk.url.appendingPathComponent("copy.cblite2").path
        try tool.serving("db") { urls in
            let url = try #require(urls.first)
            try tool.expectFailure(74, "Free disk space", "pull", copy, url)
            try tool.lines("check", copy)
        }
    }

    @Test("databases in directories replicate without a server")
    func directories() throws {
        #expect(try tool.lines("push", "db", "backup") == ["Pushed 3 documents."])
        #expect(try tool.lines("ls", "backup") == ["a", "b", "c"])
        let json = try object(try #require(try tool.lines("push", "--json", "db", "backup").first))
        let expected: NSDictionary = ["pushed": 0, "interrupted": false, "failed": [], "refusedBefore": []]
        #expect(json == expected)
    }

    @Test("a database is not replicated with itself, whatever the path", arguments: ["push", "pull", "sync"])
    func itself(command: String) throws {
        try FileManager.default.createSymbolicLink(atPath: tool.directory.path("link.cblite2"), withDestinationPath: "db.cblite2")
        for other in ["db", "./db.cblite2", "link"] { try tool.expectFailure(64, "cannot be replicated with itself", command, "db", other) }
    }

    @Test("too few descriptors fail a replication, however few there are, and do not end the process", arguments: 5...34)
    func descriptors(limit: Int) throws {
        let result = try tool.shell("ulimit -n \(limit); cblite pull new ws://127.0.0.1:1/none")
        // With fewer than seven, the libraries of the program may not be found.
        let codes: [Int32] = limit < 7 ? [68, 74, 127] : [68, 74]
        #expect(result.exitCode.map { codes.contains($0) } ?? false, "\(result)")
    }

    @Test("push --id pushes only the given document")
    func chosen() throws {
        #expect(try tool.lines("push", "--id", "b", "db", "backup") == ["Pushed 1 document."])
        #expect(try tool.lines("ls", "backup") == ["b"])
    }

    @Test("serve with a folder serves every database in it at its own URL")
    func folder() throws {
        try tool.lines("import", "--create", "many/one", "-", input: #"{"_id":"x"}"#)
        try tool.lines("import", "--create", "many/two", "-", input: #"{"_id":"y"}"#)
        let process = try ProcessRunner(executable: URL(fileURLWithPath: tool.path)).start(
            ["serve", "--port", "0", "--json", "many"],
            directory: tool.directory.url
        )
        defer { process.kill() }
        let lines = try process.waitForOutput(lines: 2).map { try object($0) }
        #expect(lines.map { $0["name"] as? String } == ["one", "two"])
        let url = try #require(lines.last?["url"] as? String)
        try tool.lines("pull", "copy", url)
        #expect(try tool.lines("ls", "copy") == ["y"])
    }

    @Test("pull requires the correct password of a server with a user")
    func passwords() throws {
        try tool.write("good", "letmein\n")
        try tool.write("bad", "wrong\n")
        try tool.serving("--user", "anna", "--user-password-file", "good", "db") { urls in
            let url = try #require(urls.first)
            try tool.expectFailure(77, "--user", "pull", "copy", url)
            try tool.expectFailure(77, "Unauthorized", "pull", "--user", "anna", "--user-password-file", "bad", "copy", url)
            try tool.lines("pull", "--user", "anna", "--user-password-file", "good", "copy", url)
        }
        #expect(try tool.lines("ls", "copy") == ["a", "b", "c"])
    }

    @Test("replication errors have a message and their own exit codes")
    func refused() throws {
        try tool.expectFailure(64, "not http://", "pull", "copy", "http://localhost/db")
        try tool.expectFailure(64, "--user", "pull", "copy", "ws://anna:secret@localhost/db")
        try tool.expectFailure(64, "has no database name", "pull", "copy", "ws://localhost:4984")
        try tool.expectFailure(66, "there is no database", "push", "nowhere", "ws://localhost/db")
        try tool.expectFailure(66, "there is no collection", "push", "-c", "x", "db", "backup")
        try tool.expectFailure(68, "Connection refused", "pull", "copy", "ws://127.0.0.1:1/db")
        try tool.serving("db") { urls in
            let url = try #require(urls.first)
            try tool.expectFailure(66, "database name", "pull", "copy", url + "x")
        }
    }

    @Test("pull counts pulled deletions separately from documents")
    func deletions() throws {
        try tool.serving("db") { urls in
            let url = try #require(urls.first)
            try tool.lines("pull", "copy", url)
            try tool.lines("rm", "db", "a")
            try tool.lines("put", "db", "d", "{}")
            let lines = try tool.lines("pull", "copy", url)
            #expect(lines == ["Pulled 1 document, deleted 1 document."])
            try tool.lines("rm", "db", "b", "c")
            let json = try object(try #require(try tool.lines("pull", "--json", "copy", url).first))
            #expect(json["pulled"] as? Int == 0 && json["deleted"] as? Int == 2 && json["purged"] as? Int == 0)
        }
        #expect(try tool.lines("ls", "copy") == ["d"])
    }

    @Test("pull and sync say how many conflicts were resolved, and in favour of which version")
    func conflicts() throws {
        try tool.lines("cp", "db", "copy")
        try tool.lines("put", "db", "a", "--set", "n=10")
        try tool.lines("put", "db", "a", "--set", "n=11")
        try tool.lines("put", "copy", "a", "--set", "n=20")
        try tool.lines("put", "db", "b", "--set", "n=10")
        try tool.lines("put", "copy", "b", "--set", "n=20")
        try tool.lines("put", "copy", "b", "--set", "n=21")
        try tool.lines("rm", "db", "c")
        try tool.lines("put", "copy", "c", "--set", "n=20")
        let lines = try tool.lines("pull", "copy", "db")
        #expect(lines.first?.hasPrefix("Pulled ") == true && lines.first?.lowercased().contains("pushed") == false)
        #expect(
            lines.dropFirst() == [
                "Resolved 3 conflicts: kept the local version of 1 document, kept the pulled version of 1 document, deleted 1 document."
            ]
        )
        #expect(try tool.lines("cat", "copy", "a", "b") == [#"{"_id":"a","n":11}"#, #"{"_id":"b","n":21}"#])
        let json = try object(try #require(try tool.lines("sync", "--once", "--json", "copy", "db").first))
        #expect(json["conflicts"] as? [String: Int] == ["local": 0, "remote": 0, "deleted": 0])
    }

    @Test("push reports documents that are still refused until they are accepted")
    func stillRefused() throws {
        try tool.lines("import", "--create", "other", "-", input: #"{"_id":"a","n":7}"# + "\n" + #"{"_id":"z"}"#)
        try tool.serving("db") { urls in
            let url = try #require(urls.first)
            try tool.expectFailure(1, "a was not pushed", "push", "other", url)
            let again = try tool.run("push", "other", url)
            #expect(again.exitCode == 1 && again.outputLines == ["Pushed 0 documents."])
            #expect(again.errorOutput.contains("a is still refused\n"))
            #expect(again.errorOutput.contains("1 document refused in an earlier run is still refused"))
            try tool.lines("put", "other", "y", "{}")
            let json = try tool.run("push", "--json", "other", url)
            let members = try object(try #require(json.outputLines.first))
            #expect(members["pushed"] as? Int == 1 && members["refusedBefore"] as? [String] == ["a"])
            #expect(json.exitCode == 1)
            // Refused documents that are outside the scope of the replication are not reported.
            try tool.lines("push", "--id", "z", "other", url)
            try tool.lines("pull", "other", url)
            try tool.lines("push", "other", url)
        }
    }

    @Test("Ctrl-C ends a pull with a summary and exit code 130", arguments: [1, 3000])
    func interrupted(byteCount: Int) async throws {
        let documents = (0..<2000).map { "{\"_id\":\"more-\($0)\",\"text\":\"\(UUID())\(UUID())\"}" }
        try tool.lines("import", "db", "-", input: documents.joined(separator: "\n"))
        let server = try tool.serve("db")
        defer { server.kill() }
        let url = try #require(server.waitForOutput(lines: 1).first)
        let port = try #require(URL(string: url)?.port)
        let relay = try TCPRelay(.forwarding(port: port))
        relay.stall(after: byteCount)
        let pull = try tool.start("pull", "copy", "ws://127.0.0.1:\(relay.port)/db")
        defer { pull.kill() }
        await relay.waitUntilStalled()
        pull.kill(SIGINT)
        _ = pull.waitForError(containing: "Stopping.")
        relay.goOn()
        let end = await pull.result
        #expect(end.exitCode == 130, "\(end.errorOutput)")
        #expect(end.outputLines.count == 1)
        #expect(end.outputLines.first?.hasPrefix("Pulled ") == true)
        #expect(end.errorOutput.contains("Interrupted."))
        relay.close()
    }

    @Test("Ctrl-C ends a continuous sync with exit code 0")
    func endless() throws {
        let server = try tool.serve("db")
        defer { server.kill() }
        let url = try #require(server.waitForOutput(lines: 1).first)
        let sync = try tool.start("sync", "copy", url)
        defer { sync.kill() }
        _ = server.waitForError(containing: "has come in")
        sync.kill(SIGINT)
        let end = sync.waitUntilExit()
        #expect(end.exitCode == 0, "\(end.errorOutput)")
        #expect(end.outputLines.first?.hasPrefix("Pushed 0 documents, pulled ") == true)
    }

    @Test("a sync that waits for another attempt says why, once and without a terminal too, and its line fits a terminal")
    func waiting() throws {
        let sync = try tool.start("sync", "db", "ws://localhost:1/x")
        defer { sync.kill() }
        _ = sync.waitForError(containing: "sync with ws://localhost:1/x: offline, retrying: ")
        sync.kill(SIGINT)
        let end = sync.waitUntilExit()
        #expect(end.exitCode == 0)
        #expect(end.errorOutput.components(separatedBy: "offline").count == 2, "\(end.errorOutput)")
        DisplayWidth.prepare()
        let text = StatusLine.fitted(String(repeating: "文", count: 100) + "\n", columns: 80)
        #expect(DisplayWidth.of(text) <= 79 && text.hasSuffix("…"))
        #expect(StatusLine.fitted("a\u{1B}b", columns: 80) == "a\\u{1b}b")
    }

    @Test("error messages contain a hint that fits the error")
    func hints() throws {
        try tool.write("good", "letmein\n")
        try tool.serving("db") { urls in
            let url = try #require(urls.first)
            try tool.expectFailure(66, "choose others with --collection", "pull", "-c", "nowhere", "copy", url)
            try tool.expectFailure(66, "database name in the URL", "pull", "copy", url + "x")
            let secure = url.replacing("ws://", with: "wss://")
            try tool.expectFailure(76, "use ws://", "pull", "copy", secure)
        }
        try tool.write("server.pem", TestCertificate.identity)
        try tool.serving("--cert", "server.pem", "db") { urls in
            let url = try #require(urls.first)
            #expect(url.hasPrefix("wss://localhost:"))
            let plain = url.replacing("wss://", with: "ws://")
            try tool.expectFailure(76, "use wss://", "pull", "copy", plain)
            try tool.expectFailure(76, "--self-signed", "pull", "copy", url)
            try tool.write("other.pem", TestCertificate.stranger)
            try tool.expectFailure(76, "not the one in other.pem", "pull", "--pinned", "other.pem", "copy", url)
            try tool.write("broken.pem", "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n")
            try tool.expectFailure(65, "does not contain a certificate", "pull", "--pinned", "broken.pem", "copy", url)
            try tool.lines("pull", "--self-signed", "copy", url)
            try tool.lines("pull", "--pinned", "server.pem", "copy", url)
        }
        try tool.write("cert.pem", TestCertificate.certificate)
        try tool.write("key.pem", TestCertificate.key)
        try tool.serving("--tls-cert", "cert.pem", "--tls-key", "key.pem", "db") { urls in
            let url = try #require(urls.first)
            try tool.lines("pull", "--pinned", "server.pem", "copy", url)
        }
        try tool.serving("--user", "anna", "--user-password-file", "good", "db") { urls in
            let url = try #require(urls.first)
            try tool.expectFailure(77, "Give the user with --user", "pull", "copy", url)
            try tool.write("bad", "wrong\n")
            try tool.expectFailure(77, "does not know the user anna", "pull", "--user", "anna", "--user-password-file", "bad", "copy", url)
        }
    }

    @Test("a read-only server accepts no documents and can be pulled from")
    func readOnly() throws {
        try tool.lines("import", "--create", "other", "-", input: #"{"_id":"z"}"#)
        try tool.serving("--read-only", "db") { urls in
            let url = try #require(urls.first)
            let result = try tool.run("push", "other", url)
            #expect(result.exitCode != 0)
            try tool.lines("pull", "copy", url)
        }
        #expect(try tool.lines("ls", "db") == ["a", "b", "c"])
        #expect(try tool.lines("ls", "copy") == ["a", "b", "c"])
    }
}
#endif

#if Replication
    import Foundation
    import TestSupport
    import TestTraits
    import Testing

    @Suite("cblite push, pull, sync and serve", .ownThreads, .timeLimit(.minutes(5)))
    struct ReplicationTests {
        private let tool: Tool

        init() throws {
            tool = try Tool()
            try tool.makeDatabase()
        }

        /// `cblite serve` while it runs; told to end as by Ctrl-C.
        private func serving<Result>(
            _ arguments: String...,
            environment: [String: String] = [:],
            _ body: ([String]) throws -> Result
        ) throws -> Result {
            let process = try ProcessRunner(executable: URL(fileURLWithPath: tool.path)).start(
                ["serve", "--port", "0"] + arguments,
                environment: environment,
                directory: tool.directory.url
            )
            defer { process.kill() }
            let lines = process.waitForOutput(lines: 1)
            let result = try body(lines)
            process.kill(SIGINT)
            let end = process.waitUntilExit()
            #expect(end.exitCode == 0, "\(end.errorOutput)")
            return result
        }

        @Test("a database goes over to a server and back into a new one, and only once")
        func pushAndPull() throws {
            try serving("db") { urls in
                let url = try #require(urls.first)
                #expect(url.hasPrefix("ws://localhost:"))
                #expect(url.hasSuffix("/db"))
                #expect(try tool.lines("pull", "copy", url) == ["Pushed 0 documents, pulled 3 documents."])
                #expect(try tool.lines("pull", "copy", url) == ["Pushed 0 documents, pulled 0 documents."])
                try tool.lines("put", "copy", "d", #"{"n":4}"#)
                try tool.lines("rm", "copy", "a")
                #expect(try tool.lines("push", "copy", url) == ["Pushed 2 documents, pulled 0 documents."])
                #expect(try tool.lines("sync", "--once", "copy", url) == ["Pushed 0 documents, pulled 0 documents."])
            }
            #expect(try tool.lines("ls", "db") == ["b", "c", "d"])
            #expect(try tool.lines("check", "copy").last == "Nothing is wrong.")
            #expect(try tool.lines("check", "db").last == "Nothing is wrong.")
        }

        @Test(
            "a full disk is no trouble of the server's, and what was pulled before it is whole",
            .enabled(if: SmallDisk.canBeMade, "needs a disk of its own")
        )
        func fullDisk() throws {
            let disk = try #require(SmallDisk())
            let text = String(repeating: "as long as it takes, ", count: 60)
            let lines = (0..<6000).map { "{\"_id\":\"more-\($0)\",\"text\":\"\($0) \(text)\"}" }
            try tool.lines("import", "db", "-", input: lines.joined(separator: "\n"))
            let copy = disk.url.appendingPathComponent("copy.cblite2").path
            try serving("db") { urls in
                let url = try #require(urls.first)
                try tool.expectFailure(74, "Make room on the disk", "pull", copy, url)
                try tool.lines("check", copy)
            }
        }

        @Test("databases in directories replicate without a server")
        func directories() throws {
            #expect(try tool.lines("push", "db", "backup") == ["Pushed 3 documents, pulled 0 documents."])
            #expect(try tool.lines("ls", "backup") == ["a", "b", "c"])
            let json = try object(try #require(try tool.lines("push", "--json", "db", "backup").first))
            #expect(json == ["pushed": 0, "pulled": 0, "failed": []])
        }

        @Test("only the documents that were named go over, and reset looks at all again")
        func chosen() throws {
            #expect(try tool.lines("push", "--id", "b", "db", "backup") == ["Pushed 1 document, pulled 0 documents."])
            #expect(try tool.lines("ls", "backup") == ["b"])
        }

        @Test("a folder is served with every database in it, each at a URL of its own")
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

        @Test("a user needs the password, which is no argument")
        func passwords() throws {
            try tool.write("good", "letmein\n")
            try tool.write("bad", "wrong\n")
            try serving("--user", "anna", "--user-password-file", "good", "db") { urls in
                let url = try #require(urls.first)
                try tool.expectFailure(77, "--user", "pull", "copy", url)
                try tool.expectFailure(
                    77,
                    "Unauthorized",
                    "pull",
                    "--user",
                    "anna",
                    "--user-password-file",
                    "bad",
                    "copy",
                    url
                )
                try tool.lines("pull", "--user", "anna", "--user-password-file", "good", "copy", url)
            }
            #expect(try tool.lines("ls", "copy") == ["a", "b", "c"])
        }

        @Test("what cannot be replicated with is said, with an exit code of its own")
        func refused() throws {
            try tool.expectFailure(64, "not http://", "pull", "copy", "http://localhost/db")
            try tool.expectFailure(64, "--user", "pull", "copy", "ws://anna:secret@localhost/db")
            try tool.expectFailure(64, "names no database", "pull", "copy", "ws://localhost:4984")
            try tool.expectFailure(66, "there is no database", "push", "nowhere", "ws://localhost/db")
            try tool.expectFailure(66, "there is no collection", "push", "-c", "x", "db", "backup")
            try tool.expectFailure(68, "Connection refused", "pull", "copy", "ws://127.0.0.1:1/db")
            try serving("db") { urls in
                let url = try #require(urls.first)
                try tool.expectFailure(66, "database's name", "pull", "copy", url + "x")
            }
        }

        @Test("a database that is served for reading only takes nothing")
        func readOnly() throws {
            try tool.lines("import", "--create", "other", "-", input: #"{"_id":"z"}"#)
            try serving("--read-only", "db") { urls in
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

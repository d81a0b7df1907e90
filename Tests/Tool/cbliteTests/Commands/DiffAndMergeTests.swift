import Foundation
import TestSupport
import Testing

@Suite("cblite diff and cblite merge")
struct DiffAndMergeTests {
    private let tool: Tool

    /// Two databases with a common history: `a` only in the first, `n` only in the second, `b` changed in the second, `c` in both.
    init() throws {
        tool = try Tool()
        try tool.makeDatabase(#"{"_id":"a"}"#, #"{"_id":"b","n":1,"l":[1,2],"s":{"x":1}}"#, #"{"_id":"c","n":1}"#, #"{"_id":"e"}"#)
        try tool.lines("cp", "db", "other")
        try tool.write("one.txt", "content")
        try tool.lines("rm", "other", "a")
        try tool.lines("put", "other", "n", "--blob", "file=one.txt")
        try tool.lines("put", "other", "b", "--set", "l=[1,3]", "--set", "s.y=2", "--unset", "n")
        try tool.lines("put", "db", "c", "--set", "n=10")
        try tool.lines("put", "other", "c", "--set", "n=20")
        try tool.lines("put", "other", "c", "--set", "n=21")
    }

    @Test("diff shows documents and properties that differ, and exits with 1")
    func difference() throws {
        let result = try tool.run("diff", "db", "other")
        #expect(result.exitCode == 1)
        #expect(
            result.outputLines == [
                "< a", "~ b", "    l[1]", "      < 2", "      > 3", "    n", "      < 1", "    s.y", "      > 2", "~ c", "    n",
                "      < 10",
                "      > 21", "> n", "1 document only in the first, 1 only in the second, 2 changed, 1 equal.",
            ]
        )
        let json = try tool.run("diff", "--json", "db", "other").outputLines.map { try object($0) }
        #expect(json.map { $0["difference"] as? String } == ["onlyInFirst", "changed", "changed", "onlyInSecond"])
        let changes = try #require(json[1]["changes"] as? [NSDictionary])
        #expect(changes == [["path": "l[1]", "first": 2, "second": 3], ["path": "n", "first": 1], ["path": "s.y", "second": 2]])
        #expect(try tool.run("diff", "--brief", "db", "other").outputLines.dropLast() == ["< a", "~ b", "~ c", "> n"])
    }

    @Test("diff of equal databases exits with 0, also across pages and with collections that only one has")
    func equal() throws {
        #expect(try tool.run("diff", "db", "db").exitCode == 0)
        let documents = (0..<1000).map { #"{"_id":"d\#($0)","n":\#($0)}"# }
        for name in ["x", "y"] {
            try tool.lines("import", "--create", "-c", "s.t", name, "-", input: documents.shuffled().joined(separator: "\n"))
        }
        #expect(try tool.lines("diff", "x", "y").last == "0 documents only in the first, 0 only in the second, 0 changed, 1,000 equal.")
        try tool.lines("rm", "y", "-c", "s.t", "d500")
        #expect(try tool.run("diff", "x", "y").outputLines.first == "< s.t d500")
        #expect(try tool.run("diff", "db", "x", "--brief").outputLines.count == 1005)
        try tool.expectFailure(66, "no collection", "diff", "db", "other", "-c", "q")
        try tool.expectFailure(66, "no database", "diff", "db", "missing")
    }

    @Test("merge --dry-run counts the changes, and makes none")
    func dryRun() throws {
        let before = try tool.lines("export", "db")
        #expect(
            try tool.lines("merge", "db", "other", "--dry-run") == [
                "Would add 1 document, update 1, delete 1. 1 conflict: the local version is kept of 0, the other one of 1."
            ]
        )
        #expect(try tool.lines("export", "db") == before)
        #expect(try tool.lines("blob", "ls", "db").count == 1)
    }

    @Test("merge copies revisions with their histories and blobs, and resolves conflicts")
    func merging() throws {
        let other = try tool.contents(of: "other.cblite2")
        let summary = try object(try #require(try tool.lines("merge", "--json", "db", "other").first))
        let expected: NSDictionary = [
            "added": 1, "updated": 1, "deleted": 1, "conflicts": ["local": 0, "other": 1], "blobs": 1, "dryRun": false,
        ]
        #expect(summary == expected)
        #expect(try tool.run("diff", "db", "other").exitCode == 0)
        #expect(try tool.run("blob", "get", "db", "n", "file").output == "content")
        #expect(try tool.lines("revs", "db", "b").count == 2)
        #expect(try tool.lines("conflicts", "db", "--json") == [])
        #expect(try tool.lines("check", "db").last == "No problems found.")
        #expect(try tool.lines("merge", "db", "other") == ["Added 0 documents, updated 0, deleted 0."])
        let after = try tool.contents(of: "other.cblite2")
        #expect(after["db.sqlite3"] == other["db.sqlite3"])
    }

    @Test("--resolve keeps the version of one database", arguments: [("local", 10), ("other", 21)])
    func resolving(rule: String, expected: Int) throws {
        try tool.lines("merge", "db", "other", "--resolve", rule)
        #expect(try tool.lines("cat", "db", "c") == [#"{"_id":"c","n":\#(expected)}"#])
    }

    @Test("an encrypted database is compared and merged with its own key, or with that of the first one")
    func encrypted() throws {
        try tool.write("key", "secret\n")
        try tool.lines("cp", "other", "sealed")
        try tool.lines("rekey", "sealed", "--new-password-file", "key")
        #expect(try tool.run("diff", "other", "sealed").exitCode == 65)
        #expect(try tool.run("diff", "other", "sealed", "--other-password-file", "key").exitCode == 0)
        #expect(try tool.run("diff", "sealed", "other", "--password-file", "key").exitCode == 0)
        try tool.lines("cp", "--password-file", "key", "sealed", "sealed2")
        #expect(try tool.run("diff", "sealed", "sealed2", "--password-file", "key").exitCode == 0)
        try tool.lines("merge", "db", "sealed", "--other-password-file", "key")
        #expect(try tool.run("diff", "db", "other").exitCode == 0)
        #expect(try tool.run("blob", "get", "db", "n", "file").output == "content")
    }

    @Test("merge creates missing collections")
    func collections() throws {
        try tool.lines("import", "--create", "-c", "s.t", "other", "-", input: #"{"_id":"q"}"#)
        try tool.lines("merge", "db", "other")
        #expect(try tool.lines("ls", "-c", "s.t", "db") == ["q"])
    }
}

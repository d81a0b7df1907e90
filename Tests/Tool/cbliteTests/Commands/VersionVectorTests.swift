import Foundation
import TestSupport
import TestTraits
import Testing

@Suite("cblite with databases of Couchbase Lite 4.x")
struct VersionVectorTests {
    private let tool: Tool

    init() throws {
        tool = try Tool()
        for name in ["v4.0-fresh", "v4.0-upgraded"] {
            _ = try tool.directory.copy(RealDatabase.url(name))
        }
    }

    @Test(
        "documents are changed and deleted, and a check finds nothing afterwards",
        arguments: ["v4.0-fresh.cblite2", "v4.0-upgraded.cblite2"]
    )
    func changes(_ name: String) throws {
        #expect(try tool.lines("ls", name).contains("pulled"))
        try tool.lines("put", name, "pulled", "--set", "n=100")
        #expect(try tool.lines("cat", name, "pulled").first?.contains(#""n":100"#) == true)
        let revisions = try tool.lines("revs", name, "pulled")
        #expect(revisions.first?.contains("@*") == true)
        #expect(revisions.contains { $0.contains("@MzMzMzMzMzMzMzMzMzMzMw") })
        try tool.lines("put", name, "added", #"{"n":1}"#)
        try tool.lines("rm", name, "added")
        try tool.lines("put", name, "conflict", "--set", "n=7")
        #expect(try tool.lines("query", name, "SELECT n FROM _ WHERE meta().id = 'conflict'").contains { $0.contains("7") })
        try tool.lines("compact", name)
        try tool.lines("check", name)
        try tool.lines("cp", name, "copy")
        #expect(try tool.run("diff", name, "copy").exitCode == 0)
        try tool.lines("check", "copy")
        try tool.lines("salvage", name, "salvaged")
        #expect(try tool.run("diff", name, "salvaged").exitCode == 0)
    }

    @Test("two copies are merged, with the later version of what was changed in both")
    func merging() throws {
        try tool.lines("cp", "v4.0-fresh.cblite2", "one")
        try tool.lines("cp", "v4.0-fresh.cblite2", "two")
        try tool.lines("put", "one", "new", "--set", "n=1")
        try tool.lines("put", "two", "new", "--set", "n=2")
        try tool.lines("put", "two", "edited", "--set", "n=3")
        try tool.lines("put", "one", "mine", #"{"n":4}"#)
        try tool.lines("merge", "one", "two")
        #expect(try tool.lines("cat", "one", "new").first?.contains(#""n":2"#) == true)
        #expect(try tool.lines("cat", "one", "edited").first?.contains(#""n":3"#) == true)
        #expect(try tool.lines("cat", "one", "mine").count == 1)
        try tool.lines("check", "one")
        let trees = try tool.run("import", "--create", "trees", "-", input: #"{"_id":"a"}"#)
        #expect(trees.exitCode == 0)
        #expect(try tool.run("merge", "trees", "two").errorOutput.contains("revision trees"))
    }

    @Test("a collection is renamed with its conflicts")
    func renaming() throws {
        try tool.lines("put", "v4.0-fresh.cblite2", "-c", "Travel.cities", "c1", "--set", "n=9")
        try tool.lines("collections", "v4.0-fresh.cblite2", "rename", "Travel.cities", "Travel.towns")
        #expect(try tool.lines("cat", "v4.0-fresh.cblite2", "-c", "Travel.towns", "c1").first?.contains(#""n":9"#) == true)
        try tool.lines("check", "v4.0-fresh.cblite2")
    }
}

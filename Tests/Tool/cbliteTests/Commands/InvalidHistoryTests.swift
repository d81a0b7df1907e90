import Foundation
import SQLiteEngine
import TestSupport
import Testing

@Suite("cblite with documents whose history is not valid")
struct InvalidHistoryTests {
    private let tool: Tool
    private static let reason = "its history is not valid: the generations"

    /// Three documents, of which `b` has two revisions.
    init() throws {
        tool = try Tool()
        try tool.makeDatabase()
        try tool.lines("put", "db", "b", "--set", "n=5")
    }

    /// Gives the ancestor of a document with two revisions in a tree the generation of the current one.
    private func makeGenerationsEqual(of documentID: String, in database: String, table: String = "kv_default") throws {
        let connection = try Connection(path: tool.directory.path("\(database).cblite2/db.sqlite3"), mode: .readWrite)
        defer { try? connection.close() }
        let found = try connection.scalarText("SELECT hex(extra) FROM \"\(table)\" WHERE key = '\(documentID)'")
        var digits = Array(try #require(found))
        // The size of a revision in four bytes, the parent, the flags, the length of the ID, and the ID, which begins with the generation.
        let size = try #require(Int(String(digits.prefix(8)), radix: 16))
        let ancestor = 2 * (size + 8)
        #expect(String(digits[16..<18]) == "02" && String(digits[ancestor..<ancestor + 2]) == "01")
        digits[ancestor + 1] = "2"
        try connection.execute("UPDATE \"\(table)\" SET extra = x'\(String(digits))' WHERE key = '\(documentID)'")
    }

    @Test("merge prints such a document, merges the others, and exits with 1")
    func merge() throws {
        try makeGenerationsEqual(of: "b", in: "db")
        for (name, json) in [("one", false), ("two", true)] {
            try tool.lines("import", "--create", name, "-", input: #"{"_id":"z"}"#)
            let result = try tool.run(["merge", name, "db"] + (json ? ["--json"] : []))
            #expect(result.exitCode == 1 && result.errorOutput.contains("failed to merge 1 document"))
            #expect(try tool.lines("ls", name) == ["a", "c", "z"])
            if json {
                let summary = try object(try #require(result.outputLines.first))
                let failed = try #require(summary["failed"] as? [NSDictionary])
                #expect(failed.count == 1 && failed.first?["id"] as? String == "b" && summary["added"] as? Int == 2)
                #expect((failed.first?["error"] as? String)?.hasPrefix(Self.reason) == true)
            } else {
                #expect(result.outputLines == ["Added 2 documents, updated 0, deleted 0."])
                #expect(result.errorOutput.contains("_default._default/b was not merged: \(Self.reason)"))
            }
        }
    }

    @Test("convert --to trees prints such a document as lost, copies the others, and exits with 1")
    func convert() throws {
        try tool.lines("convert", "db", "vectors", "--to", "vectors")
        try makeGenerationsEqual(of: "b", in: "vectors")
        let result = try tool.run("convert", "vectors", "trees", "--to", "trees")
        #expect(result.exitCode == 1 && result.errorOutput == "")
        let first = try #require(result.outputLines.first)
        #expect(first.hasPrefix("lost: _default._default/b 2-") && first.contains(Self.reason))
        #expect(result.output.contains("Converted 2 documents to "))
        #expect(try tool.lines("ls", "trees") == ["a", "c"])
        let report = try object(try #require(try tool.run("convert", "vectors", "other", "--to", "trees", "--json").outputLines.first))
        #expect((report["lost"] as? [NSDictionary])?.count == 1 && report["documents"] as? Int == 2)
        // A change gives the document a version, whose history can be stored.
        try tool.lines("put", "vectors", "b", "--set", "n=6")
        #expect(try tool.run("convert", "vectors", "third", "--to", "trees").exitCode == 0)
        #expect(try tool.lines("ls", "third") == ["a", "b", "c"])
    }

    @Test("a collection with such a document is not renamed, and keeps it")
    func renaming() throws {
        try tool.lines("import", "--create", "-c", "s.old", "db", "-", input: #"{"_id":"q","n":1}"#)
        try tool.lines("put", "-c", "s.old", "db", "q", "--set", "n=2")
        try makeGenerationsEqual(of: "q", in: "db", table: "kv_.s.old")
        try tool.expectFailure(65, Self.reason, "collections", "db", "rename", "s.old", "s.new")
        #expect(try tool.lines("ls", "-c", "s.old", "db") == ["q"])
    }
}

import Foundation
import TestSupport
import Testing

@Suite("Contents of blobs in exports and imports")
struct BlobContentsTests {
    private let tool: Tool

    init() throws {
        tool = try Tool()
        try tool.makeDatabase()
        try tool.write("file.txt", "the content of a blob")
        try tool.lines("put", "db", "a", "--blob", "file=file.txt")
        try tool.lines("put", "db", "b", "--blob", "same=file.txt")
    }

    private func content(_ database: String, _ id: String, _ property: String) throws -> String {
        try tool.run("blob", "get", database, id, property).output
    }

    @Test("contents are exported to a directory and imported from it")
    func directory() throws {
        let report = try object(try tool.lines("export", "db", "--blobs", "contents", "-o", "out.jsonl", "--json")[0])
        #expect(report["blobs"] as? Int == 1 && report["omittedBlobs"] as? Int == 0)
        #expect(try FileManager.default.contentsOfDirectory(atPath: tool.directory.path("contents")).count == 1)
        // A second export finds the content in the directory.
        #expect(try object(try tool.lines("export", "db", "--blobs", "contents", "-o", "out.jsonl", "--json")[0])["blobs"] as? Int == 0)
        let imported = try object(try tool.lines("import", "--create", "new", "out.jsonl", "--blobs", "contents", "--json")[0])
        #expect(imported["blobs"] as? Int == 1 && imported["missingBlobs"] as? Int == 0)
        #expect(try content("new", "a", "file") == "the content of a blob")
        #expect(try content("new", "b", "same") == "the content of a blob")
        #expect(try tool.lines("check", "new").last == "No problems found.")
    }

    @Test("contents are exported in the JSON and imported from it")
    func inline() throws {
        let lines = try tool.lines("export", "db", "--blobs", "inline")
        let blob = try #require(try object(lines[0])["file"] as? [String: Any])
        #expect(blob["data"] as? String == Data("the content of a blob".utf8).base64EncodedString())
        #expect(blob["length"] as? Int == 21 && blob["digest"] != nil)
        try tool.lines("import", "--create", "new", "-", input: lines.joined(separator: "\n"))
        #expect(try tool.lines("export", "new", "--blobs", "inline") == lines)
        #expect(try content("new", "a", "file") == "the content of a blob")
        #expect(try tool.lines("check", "new").last == "No problems found.")
    }

    @Test("without the option, export and import say that contents are missing")
    func omitted() throws {
        let exported = try tool.run("export", "db")
        #expect(exported.exitCode == 0)
        #expect(exported.errorOutput == "The contents of 2 blobs are left out: add --blobs DIRECTORY or --blobs inline.\n")
        let imported = try tool.run("import", "--create", "new", "-", input: exported.output)
        #expect(imported.exitCode == 0)
        #expect(imported.errorOutput == "2 blobs in the documents have no content: give the directory of an export with --blobs.\n")
        #expect(try tool.run("export", "new").errorOutput == "2 blobs of documents have no content in the database.\n")
    }

    @Test("invalid contents are reported with the line of the document, and the others are imported")
    func invalid() throws {
        let input = """
            {"_id":"a","b":{"@type":"blob","data":"?"}}
            {"_id":"b","l":[{"b":{"@type":"blob","digest":"sha1-AAAAAAAAAAAAAAAAAAAAAAAAAAA=","data":"YWJj"}}]}
            {"_id":"c","l":[{"b":{"@type":"blob","content_type":"text/plain","data":"YWJj"}}],"_attachments":{"x":{"digest":\
            "sha1-qZk+NkcGgWq6PiVxeFDCbJzQ2J0=","length":3,"revpos":1,"data":"YWJj"}}}
            """
        let result = try tool.run("import", "--create", "new", "-", "--on-error", "skip", input: input)
        #expect(result.exitCode == 65)
        #expect(result.errorOutput.contains("standard input:1:1: the content of a blob is not valid base64"))
        #expect(result.errorOutput.contains("standard input:2:1: the content of blob sha1-AAAAAAAAAAAAAAAAAAAAAAAAAAA= has the digest"))
        #expect(try tool.lines("ls", "new") == ["c"])
        #expect(try content("new", "c", "l[0].b") == "abc")
        #expect(try tool.lines("check", "new").last == "No problems found.")
        try tool.write("contents/qZk+NkcGgWq6PiVxeFDCbJzQ2J0=.blob", "another content")
        let other = #"{"_id":"d","b":{"@type":"blob","digest":"sha1-qZk+NkcGgWq6PiVxeFDCbJzQ2J0="}}"#
        let wrong = try tool.run("import", "--create", "newer", "-", "--blobs", "contents", input: other)
        #expect(wrong.exitCode == 65 && wrong.errorOutput.contains("has the digest"), "\(wrong.errorOutput)")
    }

    @Test("documents without contents are exported with and without the option in the same way")
    func withoutBlobs() throws {
        let plain = try tool.run("export", "db").outputLines
        #expect(try tool.lines("export", "db", "--blobs", "inline")[2] == plain[2])
        try tool.expectFailure(64, "there is no such directory", "import", "db", "-", "--blobs", "nowhere")
    }
}

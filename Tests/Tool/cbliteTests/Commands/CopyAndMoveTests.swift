import DocumentStore
import Foundation
import TestSupport
import Testing

@Suite("cblite cp and mv")
struct CopyAndMoveTests {
    private let tool: Tool

    init() throws {
        tool = try Tool()
        try tool.makeDatabase()
    }

    @Test("a database is found beside another directory of its name without the extension")
    func besideDirectory() throws {
        try tool.makeDatabase()
        try tool.write("db/other.txt", "")
        #expect(try tool.lines("ls", "db") == ["a", "b", "c"])
        #expect(try tool.lines("import", "--create", "db", "-", input: #"{"_id":"d"}"#)[0].hasPrefix("Imported 1 document"))
        #expect(try tool.lines("ls", "db/") == ["a", "b", "c", "d"])
    }

    @Test("a copy has the same documents and blobs and a different public UUID")
    func copy() throws {
        try tool.write("file.txt", "content")
        try tool.lines("put", "db", "a", "--blob", "file=file.txt")
        let report = try object(try tool.lines("cp", "--json", "db", "copy")[0])
        #expect((report["to"] as? String)?.hasSuffix("copy.cblite2") == true)
        #expect(try tool.lines("export", "copy", "--blobs", "inline") == tool.lines("export", "db", "--blobs", "inline"))
        #expect(try tool.lines("check", "copy").last == "No problems found.")
        let original = try object(try tool.lines("info", "--json", "db")[0])
        let copy = try object(try tool.lines("info", "--json", "copy")[0])
        #expect(original["publicUUID"] as? String != copy["publicUUID"] as? String)
        #expect((copy["blobs"] as? NSDictionary)?["count"] as? Int == 1)
    }

    @Test("copying a release 2 database upgrades the copy and does not change the original")
    func copyOld() throws {
        try tool.copyFixture("v2.7")
        let before = try tool.contents(of: "v2.7.cblite2")
        try tool.lines("cp", "v2.7", "new")
        #expect(try tool.contents(of: "v2.7.cblite2") == before)
        #expect(try object(try tool.lines("info", "--json", "new")[0])["version"] as? Int == 503)
        #expect(try tool.lines("export", "new") == tool.lines("export", "v2.7"))
    }

    @Test("mv moves the database to a bundle with another name")
    func move() throws {
        let before = try tool.lines("export", "db")
        #expect(try tool.lines("mv", "db", "moved.cblite2")[0].hasPrefix("Moved"))
        #expect(!tool.exists("db.cblite2"))
        #expect(try tool.lines("export", "moved") == before)
    }

    @Test("cp and mv refuse to overwrite a file or to write into a missing directory", arguments: ["cp", "mv"])
    func refused(command: String) throws {
        try tool.lines("cp", "db", "other")
        try tool.lines("rm", "other", "a")
        try tool.expectFailure(73, "other.cblite2 already exists", command, "db", "other")
        #expect(try tool.lines("ls", "other") == ["b", "c"])
        try tool.write("file.cblite2", "")
        try tool.expectFailure(73, "file.cblite2 already exists", command, "db", "file")
        try tool.expectFailure(66, "no directory", command, "db", "no/such/place")
        try tool.expectFailure(66, "no database", command, "none", "fresh")
        #expect(!tool.exists("fresh.cblite2"))
        #expect(try tool.lines("ls", "db") == ["a", "b", "c"])
    }

    @Test("mv fails while another process has the database open, and cp succeeds")
    func open() throws {
        var options = DatabaseFile.Options()
        options.createsIfMissing = false
        let file = try DatabaseRegistry.open(tool.directory.path("db.cblite2"), options: options)
        _ = try file.collection(.default)?.count()
        try tool.expectFailure(69, "open in another process", "mv", "db", "moved")
        #expect(tool.exists("db.cblite2"))
        try tool.lines("cp", "db", "copy")
        try DatabaseRegistry.close(file)
        try tool.lines("mv", "db", "moved")
    }

    @Test("mv fails while another process has the database open read-only")
    func openForReading() throws {
        var options = DatabaseFile.Options()
        options.isReadOnly = true
        let file = try DatabaseRegistry.open(tool.directory.path("db.cblite2"), options: options)
        _ = try file.collection(.default)?.count()
        try tool.expectFailure(69, "open in another process", "mv", "db", "moved")
        try DatabaseRegistry.close(file)
    }
}

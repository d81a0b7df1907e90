import Foundation
import TestSupport
import Testing

@testable import cblite

@Suite("cblite blob")
struct BlobCommandTests {
    private let tool: Tool
    private let missing = #"{"@type":"blob","digest":"sha1-AAAAAAAAAAAAAAAAAAAAAAAAAAA=","length":7}"#

    init() throws {
        tool = try Tool()
        try tool.makeDatabase()
        try tool.write("one.txt", "first content")
        try tool.lines("put", "db", "a", "--blob", "photo=one.txt")
        try tool.lines("put", "db", "b", #"{"list":[1,{"image.x":\#(missing)}]}"#)
    }

    @Test("blob get writes the content to a file or standard output")
    func get() throws {
        #expect(try tool.run("blob", "get", "db", "a", "photo").output == "first content")
        #expect(try tool.lines("blob", "get", "db", "a", "photo", "out.txt") == ["Wrote 13 bytes to out.txt."])
        #expect(try String(decoding: tool.data("out.txt"), as: UTF8.self) == "first content")
        let json = try object(try #require(try tool.lines("blob", "get", "--json", "db", "a", "photo", "out.txt").first))
        #expect(json["bytes"] as? Int == 13 && json["type"] as? String == "text/plain")
    }

    @Test("blob get reads content of many megabytes in pieces")
    func large() throws {
        let size = 20_000_003
        try Data((0..<size).map { UInt8(truncatingIfNeeded: $0 &* 31) }).write(to: tool.directory.url.appendingPathComponent("big"))
        try tool.lines("put", "db", "c", "--blob", "x=big")
        let end = try tool.shell("cblite blob get db c x | cmp - big && echo same")
        #expect(end.output == "same\n")
    }

    @Test("blob get names what is missing: the document, the property or the content")
    func refused() throws {
        try tool.expectFailure(66, "no document \"x\"", "blob", "get", "db", "x", "photo")
        try tool.expectFailure(66, "has no property other", "blob", "get", "db", "a", "other")
        try tool.expectFailure(66, "has no blob in list[0]", "blob", "get", "db", "b", "list[0]")
        try tool.expectFailure(66, "is missing in the database", "blob", "get", "db", "b", #"list[1].image\.x"#, "out")
        #expect(!tool.exists("out"))
        try tool.expectFailure(64, "not a valid property path", "blob", "get", "db", "b", "list[")
    }

    @Test("blob ls lists all blobs with their places, and marks missing contents")
    func list() throws {
        let lines = try tool.lines("blob", "ls", "db", "--json").map { try object($0) }
        #expect(lines.map { $0["id"] as? String } == ["a", "b"])
        #expect(lines.map { $0["property"] as? String } == ["photo", #"list[1].image\.x"#])
        #expect(lines.map { $0["length"] as? Int } == [13, 7])
        #expect(lines.map { $0["missing"] as? Bool } == [false, true])
        #expect(try tool.lines("blob", "ls", "db", "--missing").count == 2)
        #expect(try tool.lines("blob", "ls", "db", "b").last?.hasSuffix("missing") == true)
        #expect(try tool.lines("blob", "ls", "db", "c").count == 1)
        try tool.expectFailure(66, "no document", "blob", "ls", "db", "x")
    }

    @Test(
        "a path of a value is parsed and written",
        arguments: [
            ("a", [.key("a")]), ("a.b", [.key("a"), .key("b")]), ("a[2].b", [.key("a"), .index(2), .key("b")]),
            ("a[0][1]", [.key("a"), .index(0), .index(1)]), (#"a\.b\[1].c"#, [.key("a.b[1]"), .key("c")]), ("", nil), ("a.", nil),
            ("[1]", nil), ("a[x]", nil), ("a[-1]", nil), ("a[1", nil), ("a[1]b", nil), (#"a\"#, nil),
        ] as [(String, [ValuePath.Step]?)]
    )
    func paths(text: String, steps: [ValuePath.Step]?) {
        let path = ValuePath(parsing: text)
        #expect(path?.steps == steps)
        if let path { #expect(ValuePath(parsing: path.description)?.steps == steps) }
    }
}

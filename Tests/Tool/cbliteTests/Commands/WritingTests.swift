import Foundation
import TestSupport
import Testing

@Suite("cblite put, rm, revs, compact")
struct WritingTests {
    private let tool: Tool

    init() throws {
        tool = try Tool()
        try tool.makeDatabase()
    }

    private func document(_ id: String) throws -> String {
        try #require(try tool.lines("cat", "db", id).first)
    }

    @Test("put replaces the properties with JSON from an argument, a file or standard input")
    func replacing() throws {
        try tool.lines("put", "db", "a", #"{"x":[1,2.5,null,true,"é"]}"#)
        #expect(try document("a") == #"{"_id":"a","x":[1,2.5,null,true,"é"]}"#)
        try tool.write("a.json", #" { "y" : 1 } "#)
        try tool.lines("put", "db", "a", "@a.json")
        #expect(try document("a") == #"{"_id":"a","y":1}"#)
        try tool.lines("put", "db", "a", "-", input: #"{"_id":"a","z":1}"#)
        #expect(try document("a") == #"{"_id":"a","z":1}"#)
        #expect(try tool.lines("revs", "db", "a").count == 4)
    }

    @Test("put --set and --unset change single properties and keep the others")
    func setting() throws {
        try tool.lines("put", "db", "a", #"{"keep":{"inner":1,"other":2},"big":12345678901234567890,"s":"old"}"#)
        try tool.lines(
            "put",
            "db",
            "a",
            "--set",
            "keep.inner=[]",
            "--set",
            "deep.er=1.5",
            "--set",
            #"s="a=b""#,
            "--set",
            #"dot\.ted=null"#,
            "--unset",
            "keep.other",
            "--unset",
            "absent.too"
        )
        let expected =
            #"{"_id":"a","absent":{},"big":12345678901234567890,"deep":{"er":1.5},"dot.ted":null,"keep":{"inner":[]},"s":"a=b"}"#
        #expect(try document("a") == expected)
        try tool.lines("put", "db", "fresh", "--set", "n=1")
        #expect(try document("fresh") == #"{"_id":"fresh","n":1}"#)
    }

    @Test("put --blob stores a file as a blob, and the same content only once")
    func blobs() throws {
        try tool.write("photo.svg", "<svg/>")
        try tool.lines("put", "db", "a", "--blob", "photo=photo.svg", "--blob", "other=photo.svg;text/plain")
        let photo = try #require(try object(try document("a"))["photo"] as? NSDictionary)
        #expect(photo["@type"] as? String == "blob")
        #expect(photo["content_type"] as? String == "image/svg+xml")
        #expect(photo["length"] as? Int == 6)
        #expect((photo["digest"] as? String)?.hasPrefix("sha1-") == true)
        let other = try #require(try object(try document("a"))["other"] as? NSDictionary)
        #expect(other["content_type"] as? String == "text/plain")
        #expect(other["digest"] as? String == photo["digest"] as? String)
        let stored = try FileManager.default.contentsOfDirectory(atPath: tool.directory.path("db.cblite2/Attachments"))
        #expect(stored.count == 1)
        #expect(try tool.lines("revs", "db", "a").first?.contains("has blobs") == true)
        #expect(try tool.lines("check", "db").last == "No problems found.")
        try tool.expectFailure(66, "none.jpg", "put", "db", "a", "--blob", "photo=none.jpg")
    }

    @Test("put changes a property of a blob, and stores the dictionary of a blob as it is given")
    func blobDictionaries() throws {
        try tool.write("photo.svg", "<svg/>")
        try tool.lines("put", "db", "a", "--blob", "photo=photo.svg")
        try tool.lines("put", "db", "a", "--set", #"photo.content_type="text/plain""#)
        let photo = try #require(try object(try document("a"))["photo"] as? NSDictionary)
        #expect(photo["content_type"] as? String == "text/plain")
        #expect((photo["digest"] as? String)?.hasPrefix("sha1-") == true)
        #expect(try tool.lines("check", "db").last == "No problems found.")
        let reference = #"{"@type":"blob","digest":"sha1-sS5EUrLKgZe3YFwio6Q8lgbe1h4=","length":7,"more":1}"#
        try tool.lines("put", "db", "b", "--set", "photo=\(reference)")
        #expect(try object(try document("b"))["photo"] as? NSDictionary == object(reference))
        #expect(try object(try tool.lines("ls", "-l", "--json", "db", "b")[0])["blobs"] as? Bool == true)
        let rows = try tool.lines("query", "--json", "db", "SELECT meta().id FROM _ WHERE $blob IS VALUED", "--param", "blob=\(reference)")
        #expect(rows.count == 3)
    }

    @Test("a value of put --set that is not JSON is text, and a quoted one is text in any case")
    func bareWords() throws {
        try tool.lines("put", "db", "a", "--set", "who=anna", "--set", "n=01", "--set", "t=12:30 h", "--set", "e=", "--set", #"q="123""#)
        #expect(try tool.lines("cat", "db", "a") == [#"{"_id":"a","e":"","n":"01","q":"123","t":"12:30 h","who":"anna"}"#])
    }

    @Test("put --set inside the dictionary of a stored blob keeps its other keys")
    func blobKeys() throws {
        let blob = #"{"@type":"blob","digest":"sha1-9XLTlvrpIGYocU+yzgD3LpTyJY8=","length":6,"note":"x","place":{"x":1}}"#
        try tool.lines("put", "db", "a", #"{"p":{"photo":\#(blob)}}"#)
        try tool.lines("put", "db", "a", "--set", "p.photo.place.y=2", "--unset", "p.photo.note")
        let expected = #"{"@type":"blob","digest":"sha1-9XLTlvrpIGYocU+yzgD3LpTyJY8=","length":6,"place":{"x":1,"y":2}}"#
        #expect(try tool.lines("cat", "db", "a") == [#"{"_id":"a","p":{"photo":\#(expected)}}"#])
        try tool.lines("put", "db", "b", #"{"p":{"photo":\#(blob)}}"#, "--set", "p.photo.more=1")
        #expect(try tool.lines("cat", "db", "b").first?.contains(#""more":1,"note":"x""#) == true)
    }

    @Test("put --create fails for an existing document, and --update for a missing one")
    func insisting() throws {
        try tool.expectFailure(73, "already", "put", "--create", "db", "a", "{}")
        try tool.expectFailure(66, "no document", "put", "--update", "db", "x", "{}")
        try tool.lines("put", "--create", "db", "x", "{}")
        try tool.lines("put", "--update", "db", "x", "{}")
        try tool.expectFailure(64, "exclude each other", "put", "--create", "--update", "db", "x", "{}")
    }

    @Test(
        "put refuses invalid input and changes no document",
        arguments: [
            (["a", "{"], 65, "ends too early"), (["a", "[1]"], 65, "must be a JSON object"),
            (["a", #"{"a":1,"a":2}"#], 65, "duplicate key"), (["a", #"{"_id":"b"}"#], 65, "differs from the given ID"),
            (["a", #"{"_rev":"1-ab"}"#], 65, "reserved"), (["_a", "{}"], 64, "not a valid document ID"),
            (["a\u{1}", "{}"], 64, "not a valid document ID"), (["a", "--set", "n"], 64, "has no ="),
            (["a", "--set", "n=[text"], 65, "--set 'name="), (["a", "--set", "n={\"a\":}"], 65, "--set"),
            (["a", "--set", ".n=1"], 64, "not a valid property path"),
            (["a"], 64, "--set"), (["a", "@none.json"], 66, "none.json"),
            ([String(repeating: "x", count: 241), "{}"], 64, "not a valid document ID"),
        ] as [([String], Int32, String)]
    )
    func refused(arguments: [String], code: Int32, message: String) throws {
        let before = try tool.lines("export", "db")
        let result = try tool.run(["put", "db"] + arguments)
        #expect(result.exitCode == code)
        #expect(result.errorOutput.contains(message), "\(result.errorOutput)")
        #expect(try tool.lines("export", "db") == before)
    }

    @Test("rm leaves a tombstone, rm --purge leaves none, and both are atomic")
    func removing() throws {
        try tool.expectFailure(66, "\"x\"", "rm", "db", "a", "x")
        try tool.expectFailure(66, "\"x\"", "rm", "--purge", "db", "a", "x")
        #expect(try tool.lines("ls", "db") == ["a", "b", "c"])
        #expect(try tool.lines("rm", "db", "a").first?.hasPrefix("Deleted a, revision 2-") == true)
        let removed = try object(try #require(try tool.lines("rm", "--json", "--purge", "db", "b").first))
        #expect(removed["purged"] as? Bool == true)
        #expect(removed["rev"] is NSNull)
        #expect(try tool.lines("ls", "db", "--deleted") == ["a", "c"])
        try tool.expectFailure(66, "\"a\"", "rm", "db", "a")
        try tool.lines("rm", "--purge", "db", "a")
        #expect(try tool.lines("ls", "db", "--deleted") == ["c"])
    }

    @Test("rm with a pattern that matches several documents needs --yes, and says how many it deleted")
    func patterns() throws {
        try tool.lines("put", "db", "b2", "{}")
        try tool.lines("put", "db", "*", "{}")
        try tool.expectFailure(64, "Delete 2 documents that match 'b*'?", "rm", "db", "b*")
        #expect(try tool.lines("ls", "db") == ["*", "a", "b", "b2", "c"])
        // The ID of a document is not a pattern.
        #expect(try tool.lines("rm", "db", "*").first?.hasPrefix("Deleted *, revision 2-") == true)
        #expect(try tool.lines("rm", "db", "b*", "--yes") == ["Deleted 2 documents."])
        #expect(try tool.lines("rm", "db", "[a]").count == 2)
        try tool.expectFailure(66, "no document in _default._default matches \"x*\"", "rm", "db", "c", "x*")
        #expect(try tool.lines("ls", "db") == ["c"])
        let purged = try tool.lines("rm", "--purge", "--json", "--yes", "db", "[a-z]*")
        #expect(try purged.map { try object($0)["id"] as? String } == ["a", "b", "b2", "c"])
        #expect(try tool.lines("ls", "db", "--deleted") == ["*"])
    }

    @Test("revs prints the revision history, newest first")
    func revisions() throws {
        try tool.lines("put", "db", "a", "{}")
        try tool.lines("rm", "db", "a")
        let lines = try tool.lines("revs", "db", "a")
        #expect(lines.count == 3)
        #expect(lines[0].hasPrefix("* 3-") && lines[0].contains("current, deleted"))
        #expect(lines[1].hasPrefix("│ 2-"))
        let revisions = try tool.lines("revs", "--json", "db", "a").map { try object($0) }
        #expect(revisions.map { $0["current"] as? Bool } == [true, false, false])
        #expect(revisions[0]["parent"] as? String == revisions[1]["rev"] as? String)
        #expect(revisions[2]["parent"] is NSNull)
        try tool.expectFailure(66, "no document", "revs", "db", "x")
    }

    @Test("compact removes unreferenced blobs")
    func compact() throws {
        try tool.write("one.txt", "one")
        try tool.lines("put", "db", "a", "--blob", "file=one.txt")
        try tool.lines("rm", "--purge", "db", "a")
        let report = try object(try #require(try tool.lines("compact", "--json", "db").first))
        #expect((report["before"] as? NSDictionary)?["blobs"] as? Int == 1)
        #expect((report["after"] as? NSDictionary)?["blobs"] as? Int == 0)
        #expect(try tool.lines("compact", "db").first?.contains("0 blobs removed") == true)
    }
}

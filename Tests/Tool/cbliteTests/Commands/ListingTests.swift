import Foundation
import TestSupport
import Testing

@Suite("cblite ls, cat, export, info")
struct ListingTests {
    private let tool: Tool

    init() throws {
        tool = try Tool()
        try tool.makeDatabase(
            #"{"_id":"apple","zone":1,"Zone":2,"_hidden":3,"é":{"b":1,"a":[]}}"#,
            #"{"_id":"avocado"}"#,
            #"{"_id":"banana","n":1.5}"#
        )
    }

    @Test("ls selects documents by pattern, limit and offset")
    func choosing() throws {
        #expect(try tool.lines("ls", "db") == ["apple", "avocado", "banana"])
        #expect(try tool.lines("ls", "db", "a*") == ["apple", "avocado"])
        #expect(try tool.lines("ls", "db", "?anana") == ["banana"])
        #expect(try tool.lines("ls", "db", "[xb]*") == ["banana"])
        #expect(try tool.lines("ls", "db", "--limit", "1", "--offset", "1") == ["avocado"])
        #expect(try tool.lines("ls", "db", "--limit", "0") == [])
        #expect(try tool.lines("ls", "db", "--offset", "3") == [])
        #expect(try tool.lines("ls", "db", "--offset", "1", "--limit", "\(Int.max)") == ["avocado", "banana"])
    }

    @Test("ls -l prints a header and aligned columns")
    func longForm() throws {
        let lines = try tool.lines("ls", "-l", "db", "a*")
        #expect(lines.count == 3)
        #expect(lines[0].hasPrefix("ID       Revision "))
        #expect(lines[1].hasPrefix("apple    1-"))
        #expect(Set(lines.map(\.count)).count == 1)
    }

    @Test("ls lists deleted documents only with --deleted")
    func deleted() throws {
        try tool.lines("rm", "db", "avocado")
        #expect(try tool.lines("ls", "db") == ["apple", "banana"])
        let lines = try tool.lines("ls", "db", "--deleted", "-l", "--json")
        #expect(lines.count == 3)
        let tombstone = try object(lines[1])
        #expect(tombstone["id"] as? String == "avocado")
        #expect(tombstone["deleted"] as? Bool == true)
        #expect((tombstone["rev"] as? String)?.hasPrefix("2-") == true)
        #expect(tombstone["sequence"] as? Int == 4)
        #expect(tombstone["expiration"] is NSNull)
    }

    @Test("export and cat print canonical JSON with the ID sorted among the keys")
    func canonical() throws {
        let apple = #"{"Zone":2,"_hidden":3,"_id":"apple","zone":1,"é":{"a":[],"b":1}}"#
        #expect(try tool.lines("export", "db") == [apple, #"{"_id":"avocado"}"#, #"{"_id":"banana","n":1.5}"#])
        #expect(try tool.lines("cat", "db", "apple") == [apple])
    }

    @Test("cat accepts several IDs and patterns, --rev and --pretty")
    func cat() throws {
        let lines = try tool.lines("cat", "db", "banana", "a*")
        #expect(lines.count == 3)
        #expect(lines[0].contains("banana"))
        let withRevision = try object(try #require(try tool.lines("cat", "db", "--rev", "banana").first))
        #expect((withRevision["_rev"] as? String)?.hasPrefix("1-") == true)
        let expected = """
            {
              "Zone": 2,
              "_hidden": 3,
              "_id": "apple",
              "zone": 1,
              "é": {
                "a": [],
                "b": 1
              }
            }

            """
        #expect(try tool.run("cat", "db", "--pretty", "apple").output == expected)
        try tool.expectFailure(66, "no document \"cherry\"", "cat", "db", "apple", "cherry")
        try tool.expectFailure(66, "no document \"x*\"", "cat", "db", "x*")
    }

    @Test("a document ID that contains pattern characters is matched literally")
    func patternLikeID() throws {
        try tool.lines("put", "db", "a[1]*", #"{"n":9}"#)
        #expect(try tool.lines("cat", "db", "a[1]*") == [#"{"_id":"a[1]*","n":9}"#])
    }

    @Test("a collection can be given with or without its scope")
    func collections() throws {
        try tool.lines("import", "--create", "db", "-", "--collection", "inventory.hotels", input: #"{"_id":"h"}"#)
        try tool.lines("import", "--create", "db", "-", "-c", "people", input: #"{"_id":"p"}"#)
        #expect(try tool.lines("ls", "db", "--collection", "inventory.hotels") == ["h"])
        #expect(try tool.lines("export", "db", "--collection", "_default.people") == [#"{"_id":"p"}"#])
        #expect(try tool.lines("ls", "db") == ["apple", "avocado", "banana"])
        try tool.expectFailure(66, "inventory.nothing", "ls", "db", "--collection", "inventory.nothing")
        try tool.expectFailure(64, "not a valid scope or collection name", "ls", "db", "--collection", "_x.y")
        try tool.expectFailure(64, "a.b.c", "ls", "db", "--collection", "a.b.c")
        let info = try object(try #require(try tool.lines("info", "db", "--json").first))
        let names = (info["collections"] as? [NSDictionary])?.compactMap { $0["name"] as? String }
        #expect(names == ["_default._default", "_default.people", "inventory.hotels"])
    }

    @Test("export replaces the output file and leaves no other files")
    func exportToFile() throws {
        try tool.write("out.jsonl", "old")
        let report = try object(try #require(try tool.lines("export", "db", "-o", "out.jsonl", "--json").first))
        #expect(report["documents"] as? Int == 3)
        #expect(try tool.data("out.jsonl").count == report["bytes"] as? Int)
        let names = try FileManager.default.contentsOfDirectory(atPath: tool.directory.url.path)
        #expect(Set(names) == ["db.cblite2", "out.jsonl"])
        try tool.expectFailure(66, "no/such", "export", "db", "-o", "no/such/file")
        try tool.expectFailure(64, "--output FILE", "export", "db", "out.jsonl")
    }

    @Test("export writes into a device, a pipe and the target of a link, and does not replace them")
    func exportInPlace() throws {
        let expected = try tool.run("export", "db").output
        try tool.lines("export", "db", "-o", "/dev/null")
        #expect(try tool.shell("test -c /dev/null").exitCode == 0)
        #expect(try tool.shell("cblite export db -o /dev/stdout | head -n 3").output == expected)
        #expect(try tool.shell("cblite export db -o /dev/stdout >file; test -L /dev/stdout && head -n 3 file").output == expected)
        let pipe = try tool.shell("mkfifo pipe; cat pipe & cblite export db -o pipe >/dev/null; wait; test -p pipe")
        #expect(pipe.exitCode == 0)
        #expect(pipe.output == expected)
        try tool.write("target", "old")
        #expect(try tool.shell("ln -s target link; cblite export db -o link; test -L link").exitCode == 0)
        #expect(try String(decoding: tool.data("target"), as: UTF8.self) == expected)
    }

    @Test("info prints the version and the document counts as text")
    func info() throws {
        let text = try tool.run("info", "db").output
        #expect(text.contains("503, as of release 3.2.2"))
        #expect(text.contains("_default._default          3           0              3"))
    }
}

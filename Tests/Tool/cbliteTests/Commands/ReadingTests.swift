import Foundation
import TestSupport
import TestTraits
import Testing

@Suite("cblite with existing databases")
struct ReadingTests {
    private let tool: Tool

    init() throws {
        tool = try Tool()
    }

    @Test(
        "reading commands work on the files of every release and do not change them",
        arguments: [
            ("v2.7", 302, "2.7", 50, 50), ("v2.8", 302, "2.7", 50, 50), ("v3.0-names-deleted", 400, "3.0", 78, 22),
            ("bench10k", 503, "3.2.2", 10_000, 0), ("travel-sample", 201, "2.0", 2885, 0),
        ] as [(String, Int, String, Int, Int)]
    )
    func everyRelease(name: String, version: Int, release: String, documents: Int, tombstones: Int) throws {
        try tool.copyFixture(name)
        let bundle = name + ".cblite2"
        let before = try tool.contents(of: bundle)

        let info = try object(try #require(try tool.lines("info", "--json", name).first))
        #expect(info["version"] as? Int == version)
        #expect(info["release"] as? String == release)
        let collections = try #require(info["collections"] as? [NSDictionary])
        #expect(collections.count == 1)
        #expect(collections.first?["documents"] as? Int == documents)
        #expect(collections.first?["tombstones"] as? Int == tombstones)

        let ids = try tool.lines("ls", bundle)
        #expect(ids.count == documents)
        #expect(try tool.lines("ls", "--deleted", bundle).count == documents + tombstones)
        let exported = try tool.lines("export", bundle)
        #expect(exported.count == documents)
        let first = try #require(ids.first)
        #expect(try tool.lines("cat", bundle, first) == [exported[0]])
        #expect(try tool.lines("revs", bundle, first).count >= 1)
        #expect(try tool.lines("check", bundle).last == "No problems found.")

        #expect(try tool.contents(of: bundle) == before)
    }

    @Test("a name without the extension means the database also if another directory has the name")
    func besideDirectory() throws {
        try tool.lines("import", "--create", "cut", "-", input: #"{"_id":"a"}"#)
        try FileManager.default.createDirectory(at: tool.directory.url.appendingPathComponent("cut"), withIntermediateDirectories: false)
        #expect(try tool.lines("ls", "cut") == ["a"])
    }

    @Test("a database whose writer was killed contains all committed documents")
    func killedWriter() throws {
        try tool.copyFixture("wal")
        #expect(try tool.lines("ls", "wal").count == 500)
        #expect(try tool.lines("export", "wal").count == 500)
        #expect(try tool.lines("check", "wal").last == "No problems found.")
    }

    @Test("export prints the same documents as the independent checker", arguments: ["v2.7", "v3.0-names-deleted", "travel-sample"])
    func exportIsRight(name: String) throws {
        var expected: [String: NSDictionary] = [:]
        for line in try DatabaseChecker.dump(tool.directory.copy(RealDatabase.url(name))) {
            let document = try object(line)
            guard (document["flags"] as? Int ?? 0) & 1 == 0 else { continue }
            var properties = try #require(document["body"] as? [String: Any])
            let id = try #require(document["id"] as? String)
            properties["_id"] = id
            expected[id] = NSDictionary(dictionary: properties)
        }
        let exported = try tool.lines("export", name).map { try object($0) }
        #expect(exported.count == expected.count)
        let different = exported.compactMap { document -> String? in
            let id = document["_id"] as? String ?? "no ID"
            return expected[id] == document ? nil : id
        }
        #expect(different == [])
    }

    @Test("the first writing command upgrades a release 2 file")
    func upgrade() throws {
        try tool.copyFixture("v2.7")
        let before = try tool.lines("export", "v2.7")
        try tool.lines("put", "v2.7", "new", "{}")
        let info = try object(try #require(try tool.lines("info", "--json", "v2.7").first))
        #expect(info["version"] as? Int == 503)
        #expect(try tool.lines("export", "v2.7").filter { $0 != #"{"_id":"new"}"# } == before)
        #expect(try tool.lines("check", "v2.7").last == "No problems found.")
        #expect(try DatabaseChecker.check(tool.directory.url.appendingPathComponent("v2.7.cblite2")).problems == [])
    }

    @Test("a 1.x database is refused with advice by reading commands and upgraded by compact", arguments: ["ios-1.2", "android-1.2"])
    func legacy(name: String) throws {
        _ = try tool.directory.copy(RealDatabase.url("v1/\(name)"))
        for command in ["info", "ls", "check", "export"] {
            try tool.expectFailure(78, "Couchbase Lite 1.x", command, name)
        }
        try tool.expectFailure(78, "cblite compact DATABASE", "query", name, "SELECT 1")
        try tool.lines("compact", name)
        #expect(try tool.lines("ls", name).contains { $0.contains("doc1") })
        #expect(try tool.lines("check", name).last == "No problems found.")
        let info = try object(try #require(try tool.lines("info", "--json", name).first))
        #expect((info["blobs"] as? [String: Any])?["count"] as? Int == 2)
    }

    @Test("a copy of a 1.x database passes the check of the current format")
    func legacyCopy() throws {
        try tool.copyFixture("v1/ios-1.2")
        try tool.lines("cp", "ios-1.2", "copy")
        #expect(try tool.lines("check", "copy").last == "No problems found.")
    }

    @Test("export and import reproduce the same export")
    func roundTrip() throws {
        let original = "v3.0-names-deleted"
        try tool.copyFixture(original)
        try tool.lines("export", original, "--output", "all.jsonl")
        try tool.lines("import", "--create", "again", "all.jsonl")
        #expect(try tool.lines("export", "again") == tool.lines("export", original))
    }
}

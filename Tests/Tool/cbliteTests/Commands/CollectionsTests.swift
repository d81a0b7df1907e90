import DocumentStore
import Foundation
import TestSupport
import Testing

@Suite("cblite collections")
struct CollectionsTests {
    private let tool: Tool

    init() throws {
        tool = try Tool()
        try tool.makeDatabase()
    }

    private func list() throws -> [[String: Any]] {
        try tool.lines("collections", "db", "--json").map { try #require(try object($0) as? [String: Any]) }
    }

    @Test("collections lists documents, tombstones, last sequences and indexes")
    func listing() throws {
        try tool.lines("rm", "db", "c")
        try tool.lines("index", "db", "create", "by_n", "n")
        try tool.lines("collections", "db", "create", "s.x")
        let collections = try list()
        #expect(collections.map { $0["name"] as? String } == ["_default._default", "s.x"])
        #expect(collections[0]["documents"] as? Int == 2 && collections[0]["tombstones"] as? Int == 1)
        #expect(collections[0]["lastSequence"] as? Int == 4 && collections[0]["indexes"] as? [String] == ["by_n"])
        #expect(try tool.lines("collections", "db").last?.hasPrefix("s.x ") == true)
    }

    @Test("the verb of collections stands before the database, or after it as in earlier versions")
    func verbs() throws {
        try tool.makeDatabase()
        try tool.lines("collections", "create", "db", "s.x")
        try tool.lines("collections", "rename", "db", "s.x", "s.y")
        let list = try tool.lines("collections", "ls", "db")
        #expect(list.last?.hasPrefix("s.y ") == true)
        #expect(try tool.lines("collections", "db", "list") == list)
        #expect(try tool.lines("collections", "delete", "db", "s.y") == ["Deleted collection s.y."])
        try tool.expectFailure(64, "Did you mean 'rename'?", "collections", "renmae", "db", "a", "b")
    }

    @Test("collections are created once and deleted only after a confirmation if they have documents")
    func creating() throws {
        #expect(try tool.lines("collections", "db", "create", "s.x") == ["Created collection s.x."])
        try tool.expectFailure(73, "already exists", "collections", "db", "create", "s.x")
        try tool.lines("put", "-c", "s.x", "db", "a", "{}")
        try tool.expectFailure(64, "Delete s.x with 1 document?", "collections", "db", "delete", "s.x")
        #expect(try tool.lines("collections", "db", "delete", "s.x", "--yes") == ["Deleted collection s.x."])
        try tool.expectFailure(66, "there is no collection s.x", "collections", "db", "delete", "s.x")
        try tool.expectFailure(64, "default collection", "collections", "db", "delete", "_default", "--yes")
        try tool.expectFailure(64, "not a valid", "collections", "db", "create", "a/b")
        try tool.expectFailure(64, "Missing expected argument '<new-name>'", "collections", "db", "rename", "a")
    }

    @Test("a renamed collection has the documents with their revisions, tombstones, expirations and indexes of the old one")
    func renaming() throws {
        let documents = (0..<1200).map { #"{"_id":"d\#($0)","n":\#($0),"text":"swimming pools"}"# }.joined(separator: "\n")
        try tool.lines("import", "--create", "-c", "s.old", "db", "-", input: documents)
        try tool.lines("put", "-c", "s.old", "db", "d1", "--set", "n=-1")
        try tool.lines("put", "-c", "s.old", "db", "d1", "--set", "n=-2")
        try tool.lines("rm", "-c", "s.old", "db", "d2")
        try tool.lines("expire", "-c", "s.old", "db", "d3", "--at", "2100-01-01T00:00:00Z")
        try tool.lines("index", "-c", "s.old", "db", "create", "v", "n", "--where", "n > 10")
        try tool.lines("index", "-c", "s.old", "db", "create", "words", "--full-text", "text", "--language", "en", "--ignore-accents")
        try tool.lines("index", "-c", "s.old", "db", "create", "list", "--array", "items", "a")
        let before = (
            try tool.lines("export", "-c", "s.old", "db"), try tool.lines("revs", "-c", "s.old", "db", "d1"),
            try tool.lines("index", "-c", "s.old", "db", "--json"), try tool.lines("expire", "-c", "s.old", "db", "--json")
        )
        #expect(
            try tool.lines("collections", "db", "rename", "s.old", "t.new") == [
                "Renamed s.old to t.new: 1,199 documents, 1 tombstone, 3 indexes."
            ]
        )
        #expect(try list().map { $0["name"] as? String } == ["_default._default", "t.new"])
        #expect(try tool.lines("export", "-c", "t.new", "db") == before.0)
        let revisions = try tool.lines("revs", "-c", "t.new", "db", "d1")
        #expect(revisions.map { $0.prefix(44) } == before.1.map { $0.prefix(44) })
        #expect(try tool.lines("index", "-c", "t.new", "db", "--json") == before.2)
        #expect(try tool.lines("expire", "-c", "t.new", "db", "--json") == before.3)
        let query = "SELECT count(*) AS n FROM t.new WHERE match(words, 'swim pool')"
        #expect(try tool.lines("query", "--json", "db", query) == [#"{"n":1199}"#])
        #expect(try tool.lines("check", "db").last == "No problems found.")
    }

    @Test("a renamed collection keeps conflicts, but not what another database is known to have")
    func renamingConflicts() throws {
        try tool.lines("import", "--create", "-c", "s.old", "db", "-", input: #"{"_id":"a","n":1}"#)
        do {
            let file = try DatabaseRegistry.open(tool.directory.path("db.cblite2"), options: DatabaseFile.Options())
            defer { try? DatabaseRegistry.close(file) }
            let store = try #require(try file.collection(CollectionID(name: "old", scope: "s")))
            let received = ReceivedRevision(documentID: "a", revision: try #require(RevisionID("1-00ff")))
            _ = try file.transaction { try store.insert(received, remote: 1, in: $0) }
        }
        let before = try tool.lines("conflicts", "--json", "-c", "s.old", "db")
        #expect(before.count == 1)
        #expect(try tool.lines("revs", "-c", "s.old", "db", "a").contains { $0.contains("on remote 1") })
        try tool.lines("collections", "db", "rename", "s.old", "s.new")
        #expect(try tool.lines("conflicts", "--json", "-c", "s.new", "db") == before)
        #expect(try !tool.lines("revs", "-c", "s.new", "db", "a").contains { $0.contains("on remote 1") })
        #expect(try tool.lines("check", "db").last == "No problems found.")
    }

    @Test("a renaming that is killed leaves the old collection or the new one, complete")
    func killed() throws {
        let documents = (0..<20_000).map { #"{"_id":"d\#($0)","n":\#($0)}"# }.joined(separator: "\n")
        try tool.lines("import", "--create", "-c", "s.old", "db", "-", input: documents)
        let renaming = try tool.start("collections", "db", "rename", "s.old", "s.new")
        renaming.kill(SIGKILL)
        _ = renaming.waitUntilExit()
        let named = try list().filter { ["s.old", "s.new"].contains($0["name"] as? String) }
        #expect(named.map { $0["documents"] as? Int } == [20_000])
        #expect(try tool.lines("check", "db").last == "No problems found.")
    }

    @Test("a collection is not renamed to one that exists, and the default collection is not renamed")
    func refusedRenaming() throws {
        try tool.lines("collections", "db", "create", "s.x")
        try tool.lines("collections", "db", "create", "s.y")
        try tool.expectFailure(73, "the collection s.y already exists", "collections", "db", "rename", "s.x", "s.y")
        try tool.expectFailure(64, "default collection", "collections", "db", "rename", "_default", "s.z")
        try tool.expectFailure(66, "no collection s.q", "collections", "db", "rename", "s.q", "s.z")
        #expect(try list().count == 3)
    }
}

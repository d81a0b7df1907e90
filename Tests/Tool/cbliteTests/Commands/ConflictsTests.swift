import DocumentStore
import Fleece
import Foundation
import TestSupport
import Testing

@Suite("cblite conflicts")
struct ConflictsTests {
    private let tool: Tool

    init() throws {
        tool = try Tool()
        try tool.makeDatabase(#"{"_id":"a","n":1}"#, #"{"_id":"b","n":2}"#, #"{"_id":"c","n":3}"#)
    }

    /// Stores another first-generation revision of a document, as if it was received from another database.
    private func addConflict(_ id: String, _ json: String, deleted: Bool = false) throws {
        let file = try DatabaseRegistry.open(tool.directory.path("db.cblite2"), options: DatabaseFile.Options())
        defer { try? DatabaseRegistry.close(file) }
        let store = try #require(try file.collection(.default))
        let body = try file.withBodyEncoder { encoder in
            try Array(json.utf8).withUnsafeBytes { try JSON.parse($0, into: &encoder.encoder) }
            return try encoder.finishOwned()
        }
        let revision = try #require(RevisionID("1-00ff"))
        let received = ReceivedRevision(documentID: id, revision: revision, isDeleted: deleted, body: body)
        let outcome = try file.transaction { try store.insert(received, remote: 1, in: $0) }
        guard case .inserted(_, true) = outcome else {
            Issue.record("no conflict: \(outcome)")
            return
        }
    }

    @Test("conflicts prints nothing with --json and no conflicts, and resolves none with --all")
    func none() throws {
        #expect(try tool.lines("conflicts", "--json", "db") == [])
        #expect(try tool.lines("conflicts", "db", "--all", "--keep", "local") == ["There are no conflicts in _default._default."])
    }

    @Test("conflicts lists documents in conflict with both revisions")
    func list() throws {
        #expect(try tool.lines("conflicts", "db") == ["There are no conflicts in _default._default."])
        try addConflict("b", #"{"n":20}"#)
        let line = try #require(try tool.lines("conflicts", "db").first)
        #expect(line.hasPrefix("b  1-"))
        #expect(line.hasSuffix(" local, 1-00ff remote"))
        let json = try object(try #require(try tool.lines("conflicts", "--json", "db", "b").first))
        #expect((json["remote"] as? [String: Any])?["rev"] as? String == "1-00ff")
        #expect((json["local"] as? [String: Any])?["body"] as? [String: Int] == ["n": 2])
        #expect((json["remote"] as? [String: Any])?["body"] as? [String: Int] == ["n": 20])
    }

    @Test("conflicts with a document ID shows both bodies")
    func show() throws {
        try addConflict("b", #"{"n":20}"#)
        let lines = try tool.lines("conflicts", "db", "b")
        #expect(lines.contains { $0.hasSuffix(#"{"n":2}"#) })
        #expect(lines.contains { $0.hasSuffix(#"{"n":20}"#) })
    }

    @Test("--keep remote resolves a conflict with the remote version")
    func keepRemote() throws {
        try addConflict("b", #"{"n":20}"#)
        #expect(
            try tool.lines("conflicts", "db", "b", "--keep", "remote")
                == ["Resolved 1 conflict, keeping the remote version."]
        )
        #expect(try tool.lines("cat", "db", "b") == [#"{"_id":"b","n":20}"#])
        #expect(try tool.lines("conflicts", "db") == ["There are no conflicts in _default._default."])
    }

    @Test("--all --keep local resolves every conflict with a local child of the remote revision")
    func keepLocal() throws {
        try addConflict("a", #"{"n":10}"#)
        try addConflict("b", #"{"n":20}"#)
        try tool.lines("conflicts", "db", "--all", "--keep", "local")
        #expect(try tool.lines("cat", "db", "a", "b") == [#"{"_id":"a","n":1}"#, #"{"_id":"b","n":2}"#])
        let revisions = try tool.lines("revs", "--json", "db", "b").map { try object($0) }
        #expect(revisions.map { ($0["rev"] as? String)?.prefix(2) } == ["2-", "1-"])
        #expect(revisions.last?["rev"] as? String == "1-00ff")
        #expect(try tool.lines("conflicts", "db") == ["There are no conflicts in _default._default."])
    }

    @Test("conflicts refuses documents without a conflict and invalid options")
    func refused() throws {
        try tool.expectFailure(66, "is not in conflict", "conflicts", "db", "a")
        try tool.expectFailure(66, "\"x\"", "conflicts", "db", "x")
        try tool.expectFailure(64, "--keep needs", "conflicts", "db", "--keep", "local")
        try tool.expectFailure(64, "not both", "conflicts", "db", "a", "--all")
    }
}

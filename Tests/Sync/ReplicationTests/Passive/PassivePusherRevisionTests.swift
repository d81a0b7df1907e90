import BLIP
import DocumentStore
import ReplicationSimulation
import SyncCore
import Testing

@testable import Replication

@Suite("Revisions for clients")
struct PassivePusherRevisionTests {
    private let client: ScriptedClient

    init() throws {
        client = try ScriptedClient()
    }

    @Test("a requested revision is sent with the sequence of its row and expects a reply")
    func rev() throws {
        try client.saveDocuments(1)
        let rev = try #require(client.pull().first)
        #expect(
            rev.properties
                == ["Profile": "rev", "id": "doc0", "rev": try client.revision("doc0"), "sequence": "1"]
        )
        #expect(rev.text == #"{"n":0}"#)
        #expect(!rev.isNoReply)
        #expect(client.status.isBusy)
        client.respond(to: rev)
        #expect(!client.status.isBusy)
    }

    @Test("a tombstone is sent with the deleted flag and an empty body")
    func tombstone() throws {
        try client.saveDocuments(1)
        try client.database.delete("doc0")
        let rev = try #require(client.pull().first)
        #expect(rev.properties["deleted"] == "1")
        #expect(rev.text == "{}")
    }

    @Test("a revision history ends at a known revision or at the client's maximum")
    func history() throws {
        var revisions: [String] = []
        for number in 1...5 {
            try client.database.save("a", #"{"n":\#(number)}"#)
            revisions.append(try client.revision("a"))
        }
        for (properties, known, expected) in [
            (["blobs": "true"], "[]", [3, 2, 1, 0]), (["blobs": "true"], #"["\#(revisions[2])"]"#, [3, 2]),
            (["blobs": "true", "maxHistory": "3"], "[]", [3, 2]), (["maxHistory": "1"], "[]", []),
        ] as [(Properties, String, [Int])] {
            let rev = try #require(client.pull(answering: properties) { _ in known }.first)
            let history = expected.map { revisions[$0] }.joined(separator: ",")
            #expect(rev.properties["history"] == (expected.isEmpty ? nil : history))
            client.respond(to: rev)
            _ = client.dequeue("changes")
        }
    }

    @Test(
        "revisions that the client does not request are not sent",
        arguments: ["[0,0,0]", "[]", "[null,0]", "[409,403,500]", "", "null", "{}", "[["]
    )
    func unwanted(answer: String) throws {
        try client.saveDocuments(3)
        client.ask("subChanges")
        client.respond(to: try #require(client.dequeue("changes").first), [:], answer)
        #expect(client.dequeue("rev").isEmpty)
        #expect(client.dequeue("changes").map(\.text) == ["[]"])
    }

    @Test("a requested revision that is replaced or purged is answered with norev")
    func norev() throws {
        try client.saveDocuments(3)
        let old = try client.revision("doc0")
        client.ask("subChanges", ["continuous": "true"])
        try client.database.save("doc0", "{}")
        let collection = try client.database.collection()
        _ = try client.database.file.transaction { try collection.purge("doc1", in: $0) }
        client.tell(.databaseChanged([.default]))
        let lists = client.dequeue("changes")
        // The newer revision has a row of its own.
        #expect(lists.map(\.rows.count) == [3, 1])
        #expect(lists[1].rows[0].hasPrefix("4,\"doc0\""))
        client.respond(to: lists[0], [:], "[[],[],[]]")
        let missing = client.dequeue("norev")
        #expect(missing.allSatisfy { $0.isNoReply })
        #expect(missing.map { $0.properties["id"] } == ["doc0", "doc1"])
        #expect(missing.map { $0.properties["rev"] }.first == old)
        #expect(missing.map { $0.properties["sequence"] } == ["1", "2"])
        #expect(missing.map { $0.properties["error"] } == ["410", "404"])
        #expect(client.dequeue("rev").map { $0.properties["id"] } == ["doc2"])
    }

    @Test("deltas are sent when both sides support them, and the full body follows a rejected delta")
    func delta() throws {
        var options = PassiveOptions(collections: [.default])
        options.usesDeltas = true
        let client = ScriptedClient(of: client.database, options)
        let text = String(repeating: "long ", count: 100)
        try client.database.save("a", #"{"n":1,"s":"\#(text)"}"#)
        let base = try client.revision("a")
        // The bodies of revisions that a remote has are kept.
        let known = try #require(RevisionID(base))
        try client.database.replica.collection(.default)?.markSynced([("a", known)], remote: 1)
        try client.database.save("a", #"{"n":2,"s":"\#(text)"}"#)
        client.ask("subChanges")
        let list = try #require(client.dequeue("changes").first)
        client.respond(to: list, ["deltas": "true", "blobs": "true"], #"[["\#(base)"]]"#)
        let delta = try #require(client.dequeue("rev").first)
        #expect(delta.properties["deltaSrc"] == base)
        #expect(delta.text == #"{"n":2}"#)
        client.respond(to: delta, error: SyncError(.http, 422, "what base?"))
        let whole = try #require(client.dequeue("rev").first)
        #expect(whole.properties["deltaSrc"] == nil)
        #expect(whole.properties["sequence"] == delta.properties["sequence"])
        #expect(whole.text.hasPrefix(#"{"n":2,"s":"long "#))
        client.respond(to: whole, error: SyncError(.http, 422, "still"))
        #expect(client.dequeue("rev").isEmpty)
        #expect(!client.status.isBusy)
    }

    @Test("the full body is sent when deltas are disabled locally")
    func noDelta() throws {
        let text = String(repeating: "long ", count: 100)
        try client.database.save("a", #"{"n":1,"s":"\#(text)"}"#)
        let base = try client.revision("a")
        try client.database.save("a", #"{"n":2,"s":"\#(text)"}"#)
        let revisions = client.pull(answering: ["deltas": "true", "blobs": "true"]) { _ in #"["\#(base)"]"# }
        #expect(revisions.map { $0.properties["deltaSrc"] } == [nil])
    }
}

import BLIP
import DocumentStore
import Testing

@testable import Replication

/// Conflicts as Replication 7.4 and 7.5 tell of them, message by message.
@Suite("Conflicts between two sides")
struct ConflictTranscriptTests {
    /// A document that was pulled, and then changed here.
    private func edited(_ mode: ReplicationMode) throws -> (PushingSide, local: RevisionID) {
        let side = try PushingSide(mode, pull: mode)
        let remote = try side.replica.database.remoteID(for: PushingSide.url)
        let first = try side.replica.received("doc1", ["1-a1"], #"{"name":"first"}"#)
        _ = try side.replica.collection().insert([first], remote: remote)
        return (side, try side.replica.save("doc1", #"{"name":"client"}"#))
    }

    /// Has the peer send the revision of its own, and returns whether it was asked for and taken.
    private func sendServerRevision(_ peer: ScriptedPeer) throws {
        let answer = peer.reply(to: peer.send("changes", [:], #"[[17,"doc1","2-52"]]"#))
        #expect(answer?.body == Array(#"[["1-a1"]]"#.utf8))
        peer.send(
            "rev",
            ["id": "doc1", "rev": "2-52", "sequence": "17", "history": "1-a1"],
            #"{"name":"server"}"#,
            isNoReply: true
        )
        peer.advance(by: .milliseconds(100))
    }

    private func resolve(
        _ side: PushingSide,
        _ peer: ScriptedPeer,
        _ resolution: ConflictResolution
    ) throws {
        #expect(peer.conflicts == ["doc1"])
        let collection = try side.replica.collection()
        let conflict = try #require(try collection.conflict(in: "doc1"))
        _ = try #require(try collection.resolve(conflict, with: resolution))
        peer.tell(.databaseChanged([.default]))
        peer.tell(.conflictSettled(collection: .default, documentID: "doc1"))
    }

    @Test("first seen when pushing: the server's revision is awaited, and the result of the conflict pushed (7.4)")
    func pushing() throws {
        let (side, local) = try edited(.continuous)
        let peer = try side.connect()
        peer.respond(to: try peer.first("subChanges"))
        let proposal = try peer.first("proposeChanges")
        #expect(proposal.text.hasPrefix(#"[["doc1","\#(local)","1-a1","#))
        peer.respond(to: proposal, [:], #"[{"status":409,"rev":"2-52"}]"#)
        try sendServerRevision(peer)
        #expect(peer.status.isBusy)
        try resolve(side, peer, .merged(try side.replica.body(#"{"name":"merged"}"#)))

        let change = try #require(try side.replica.collection().change(of: "doc1", remote: nil))
        let again = try peer.first("proposeChanges")
        #expect(again.text.hasPrefix(#"[["doc1","\#(change.revision)","2-52","#))
        peer.respond(to: again, [:], "[]")
        let rev = try peer.first("rev")
        #expect(rev.properties["history"] == "2-52" && rev.properties["noconflicts"] == "1")
        #expect(rev.text == #"{"name":"merged"}"#)
        peer.respond(to: rev)
        peer.send("changes", [:], "null", isNoReply: true)
        while peer.waiting == ["setCheckpoint"] {
            let json = try peer.takeCheckpoint()
            #expect(json == #"{"time":1700000000,"local":\#(change.sequence),"remote":17}"#)
        }
        #expect(try side.storedCheckpoint() != nil)
        peer.disconnect()
        #expect(peer.documents.allSatisfy { $0.error == nil || $0.error?.code == 8 })
    }

    @Test("in a one-shot replication, too, the result is pushed before the end", arguments: [false, true])
    func oneShot(remoteWins: Bool) throws {
        let (side, _) = try edited(.oneShot)
        let peer = try side.connect()
        peer.respond(to: try peer.first("subChanges"))
        peer.respond(to: try peer.first("proposeChanges"), [:], #"[{"status":409,"rev":"2-52"}]"#)
        try sendServerRevision(peer)
        peer.send("changes", [:], "null", isNoReply: true)
        #expect(peer.closure == nil && peer.status.isBusy)
        try resolve(side, peer, remoteWins ? .remote : .merged(try side.replica.body(#"{"name":"merged"}"#)))
        if !remoteWins {
            peer.respond(to: try peer.first("proposeChanges"), [:], "[]")
            peer.respond(to: try peer.first("rev"))
        }
        #expect(!peer.waiting.contains("proposeChanges"))
        while peer.waiting == ["setCheckpoint"] { try peer.takeCheckpoint() }
        let sequence = try side.replica.collection().lastSequence()
        #expect(try side.storedCheckpoint() == #"{"time":1700000000,"local":\#(sequence),"remote":17}"#)
        #expect(peer.closure?.code == 1000 && peer.disconnect() == nil)
    }

    @Test("a conflict that is pulled before the feed is read is not pushed till it is resolved (7.5)")
    func pulledFirst() throws {
        let (side, _) = try edited(.oneShot)
        let remote = try side.replica.database.remoteID(for: PushingSide.url)
        let theirs = try side.replica.received("doc1", ["2-52", "1-a1"], #"{"name":"server"}"#)
        _ = try side.replica.collection().insert([theirs], remote: remote)
        let peer = try side.connect()
        // The conflict of an earlier session is reported at once.
        #expect(peer.conflicts == ["doc1"])
        #expect(try peer.first("proposeChanges").text == "[]")
        peer.respond(to: try peer.first("subChanges"))
        peer.send("changes", [:], "null", isNoReply: true)
        #expect(peer.status.isBusy && peer.closure == nil)
        try resolve(side, peer, .merged(try side.replica.body(#"{"name":"merged"}"#)))
        #expect(try peer.first("proposeChanges").text.contains(#","2-52","#))
    }
}

import BLIP
import DocumentStore
import Foundation
import SyncCore
import Testing

@testable import Replication

/// Conflicts as in Replication 7.4 and 7.5, message by message.
@Suite("Conflicts during replication")
struct ConflictTranscriptTests {
    /// A document that was pulled and then changed locally.
    private func edited(_ mode: ReplicationMode) throws -> (PushingSide, local: RevisionID) {
        let side = try PushingSide(mode, pull: mode)
        let remote = try side.replica.database.file.remoteID(for: PushingSide.url)
        let first = try side.replica.received("doc1", ["1-a1"], #"{"name":"first"}"#)
        _ = try side.replica.collection().insert([first], remote: remote)
        return (side, try side.replica.save("doc1", #"{"name":"client"}"#))
    }

    /// Sends the peer's revision, and returns whether it was requested and accepted.
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

    private func resolve(_ side: PushingSide, _ peer: ScriptedPeer, _ resolution: ConflictResolution) throws {
        #expect(peer.conflicts == ["doc1"])
        let collection = try side.replica.collection()
        let conflict = try #require(try collection.conflict(in: "doc1"))
        _ = try #require(try collection.resolve(conflict, with: resolution))
        peer.tell(.databaseChanged([.default]))
        peer.tell(.conflictSettled(collection: .default, documentID: "doc1"))
    }

    @Test("a push conflict waits for the server's revision, and the resolved revision is pushed")
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
            let json = try peer.handleCheckpoint()
            #expect(json == #"{"time":1700000000,"local":\#(change.sequence),"remote":17}"#)
        }
        #expect(try side.storedCheckpoint() != nil)
        peer.disconnect()
        #expect(peer.documents.allSatisfy { $0.error == nil || $0.error?.code == 8 })
    }

    @Test("a conflict that arrives while an earlier one of the document is being resolved is reported when that one is settled")
    func another() throws {
        let (side, _) = try edited(.continuous)
        let peer = try side.connect()
        peer.respond(to: try peer.first("subChanges"))
        peer.respond(to: try peer.first("proposeChanges"), [:], #"[{"status":409,"rev":"2-52"}]"#)
        try sendServerRevision(peer)
        #expect(peer.conflicts == ["doc1"])
        _ = peer.reply(to: peer.send("changes", [:], #"[[18,"doc1","3-53"]]"#))
        let properties: Properties = ["id": "doc1", "rev": "3-53", "sequence": "18", "history": "2-52,1-a1"]
        peer.send("rev", properties, #"{"name":"later"}"#, isNoReply: true)
        peer.advance(by: .milliseconds(100))
        #expect(peer.conflicts == ["doc1"])
        // The resolver has read the earlier revision, so its result was not stored.
        peer.tell(.conflictSettled(collection: .default, documentID: "doc1"))
        #expect(peer.conflicts == ["doc1", "doc1"])
        let collection = try side.replica.collection()
        let conflict = try #require(try collection.conflict(in: "doc1"))
        _ = try #require(try collection.resolve(conflict, with: .remote))
        peer.tell(.conflictSettled(collection: .default, documentID: "doc1"))
        #expect(peer.conflicts == ["doc1", "doc1"])
        #expect(!peer.waiting.contains("proposeChanges"))
    }

    @Test("a document that is damaged while its conflict is being resolved is reported, and the replication of others continues")
    func damagedMeanwhile() throws {
        let (side, _) = try edited(.continuous)
        let peer = try side.connect()
        peer.respond(to: try peer.first("subChanges"))
        peer.respond(to: try peer.first("proposeChanges"), [:], #"[{"status":409,"rev":"2-52"}]"#)
        try sendServerRevision(peer)
        _ = peer.reply(to: peer.send("changes", [:], #"[[18,"doc1","3-53"]]"#))
        let properties: Properties = ["id": "doc1", "rev": "3-53", "sequence": "18", "history": "2-52,1-a1"]
        peer.send("rev", properties, #"{"name":"later"}"#, isNoReply: true)
        peer.advance(by: .milliseconds(100))
        try side.replica.damage("doc1")
        peer.tell(.conflictSettled(collection: .default, documentID: "doc1"))
        #expect(peer.conflicts == ["doc1"] && peer.closure == nil)
        #expect(peer.documents.last?.documentID == "doc1" && peer.documents.last?.error?.isEngine(.corruptRevisionData) == true)
        try side.save("other", "{}", telling: peer)
        let proposal = try peer.first("proposeChanges").text
        #expect(proposal.contains("other") && !proposal.contains("doc1"))
    }

    @Test(
        "a one-shot replication pushes the result of a resolved conflict when it has pulled everything",
        arguments: [false, true],
        [false, true]
    )
    func oneShot(remoteWins: Bool, isPulledFirst: Bool) throws {
        let (side, _) = try edited(.oneShot)
        let peer = try side.connect()
        peer.respond(to: try peer.first("subChanges"))
        peer.respond(to: try peer.first("proposeChanges"), [:], #"[{"status":409,"rev":"2-52"}]"#)
        try sendServerRevision(peer)
        if isPulledFirst { peer.send("changes", [:], "null", isNoReply: true) }
        #expect(peer.closure == nil && peer.status.isBusy)
        try resolve(side, peer, remoteWins ? .remote : .merged(try side.replica.body(#"{"name":"merged"}"#)))
        if !isPulledFirst {
            #expect(!peer.waiting.contains("proposeChanges"))
            peer.send("changes", [:], "null", isNoReply: true)
        }
        if !remoteWins {
            let proposal = try peer.first("proposeChanges")
            #expect(proposal.text.contains(#","2-52","#))
            peer.respond(to: proposal, [:], "[]")
            let rev = try peer.first("rev")
            #expect(rev.text == #"{"name":"merged"}"# && rev.properties["history"] == "2-52")
            peer.respond(to: rev)
        }
        while peer.waiting == ["setCheckpoint"] { try peer.handleCheckpoint() }
        let sequence = try side.replica.collection().lastSequence()
        #expect(try side.storedCheckpoint() == #"{"time":1700000000,"local":\#(sequence),"remote":17}"#)
        #expect(peer.closure?.code == 1000 && peer.disconnect() == nil)
        #expect(try side.replica.database.pendingDocuments(side.options, in: side.options.collections[0]) == [])
    }

    @Test("a document whose conflict could not be resolved in a one-shot replication stays pending")
    func unresolved() throws {
        let (side, _) = try edited(.oneShot)
        let peer = try side.connect()
        peer.respond(to: try peer.first("subChanges"))
        peer.respond(to: try peer.first("proposeChanges"), [:], #"[{"status":409,"rev":"2-52"}]"#)
        try sendServerRevision(peer)
        peer.send("changes", [:], "null", isNoReply: true)
        peer.tell(.conflictSettled(collection: .default, documentID: "doc1"))
        #expect(!peer.waiting.contains("proposeChanges"))
        while peer.waiting == ["setCheckpoint"] { try peer.handleCheckpoint() }
        #expect(peer.closure?.code == 1000)
        peer.disconnect()
        #expect(try side.replica.collection().conflictedDocuments() == ["doc1"])
        #expect(try side.connect(peerCheckpoint: side.storedCheckpoint()).conflicts == ["doc1"])
    }

    @Test("a one-shot push proposes a revision that a resolver saves while the feed is still being read, after everything else")
    func oneShotWhilePushing() throws {
        let (side, _) = try edited(.oneShot)
        let remote = try side.replica.database.file.remoteID(for: PushingSide.url)
        let theirs = try side.replica.received("doc1", ["2-52", "1-a1"], #"{"name":"server"}"#)
        _ = try side.replica.collection().insert([theirs], remote: remote)
        try side.replica.file.transaction { _ in
            for number in 0..<1500 { try side.replica.save("other\(number)", "{}") }
        }
        let peer = try side.connect()
        peer.respond(to: try peer.first("subChanges"))
        // Five lists are unanswered.
        #expect(peer.waiting.filter { $0 == "proposeChanges" }.count == 5)
        try resolve(side, peer, .merged(try side.replica.body(#"{"name":"merged"}"#)))
        var lists: [String] = []
        while peer.waiting.contains("proposeChanges") {
            let list = try peer.first("proposeChanges")
            let count = list.text.components(separatedBy: "],[").count
            lists.append(list.text)
            peer.respond(to: list, [:], "[" + Array(repeating: "304", count: count).joined(separator: ",") + "]")
        }
        #expect(lists.count > 5 && !lists.contains { $0.contains("doc1") })
        peer.send("changes", [:], "null", isNoReply: true)
        let last = try peer.first("proposeChanges")
        #expect(last.text.contains("doc1") && last.text.contains(#","2-52","#))
        peer.respond(to: last, [:], "[]")
        peer.respond(to: try peer.first("rev"))
        while peer.waiting == ["setCheckpoint"] { try peer.handleCheckpoint() }
        #expect(peer.closure?.code == 1000)
        #expect(try side.replica.database.pendingDocuments(side.options, in: side.options.collections[0]) == [])
    }

    @Test("a continuous replication proposes a resolved revision only after the conflict is settled")
    func settledFirst() throws {
        let (side, _) = try edited(.continuous)
        let peer = try side.connect()
        peer.respond(to: try peer.first("subChanges"))
        peer.respond(to: try peer.first("proposeChanges"), [:], #"[{"status":409,"rev":"2-52"}]"#)
        try sendServerRevision(peer)
        let collection = try side.replica.collection()
        let conflict = try #require(try collection.conflict(in: "doc1"))
        _ = try #require(try collection.resolve(conflict, with: .local))
        peer.tell(.databaseChanged([.default]))
        #expect(!peer.waiting.contains("proposeChanges"))
        peer.tell(.conflictSettled(collection: .default, documentID: "doc1"))
        #expect(try peer.first("proposeChanges").text.contains(#","2-52","#))
    }

    @Test("a document whose revision ID is damaged while its conflict is resolved is reported, and the replication of others continues")
    func damagedRevisionID() throws {
        let (side, _) = try edited(.continuous)
        let peer = try side.connect()
        peer.respond(to: try peer.first("subChanges"))
        peer.respond(to: try peer.first("proposeChanges"), [:], #"[{"status":409,"rev":"2-52"}]"#)
        try sendServerRevision(peer)
        let collection = try side.replica.collection()
        let conflict = try #require(try collection.conflict(in: "doc1"))
        _ = try #require(try collection.resolve(conflict, with: .local))
        peer.tell(.databaseChanged([.default]))
        try side.replica.damage("doc1", column: "version")
        peer.tell(.conflictSettled(collection: .default, documentID: "doc1"))
        #expect(peer.closure == nil)
        #expect(peer.documents.last?.documentID == "doc1" && peer.documents.last?.error?.isEngine(.corruptRevisionData) == true)
        try side.save("other", "{}", telling: peer)
        #expect(try peer.first("proposeChanges").text.contains("other"))
    }

    @Test("a conflict pulled before the feed is read is not pushed until the conflict is resolved")
    func pulledFirst() throws {
        let (side, _) = try edited(.oneShot)
        let remote = try side.replica.database.file.remoteID(for: PushingSide.url)
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
        let proposal = try peer.first("proposeChanges")
        #expect(proposal.text.contains(#","2-52","#))
        peer.respond(to: proposal, [:], "[304]")
        try peer.handleCheckpoint()
        #expect(peer.closure?.code == 1000)
    }
}

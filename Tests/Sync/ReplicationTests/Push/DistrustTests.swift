import BLIP
import DocumentStore
import SyncCore
import Testing

@testable import Replication

@Suite("Pushing to a peer that may have lost documents")
struct DistrustTests {
    @Test("after a reset that was interrupted, the next session proposes the rest, also what the peer is recorded to have")
    func interruptedReset() throws {
        let side = try PushingSide()
        let remote = try side.replica.database.file.remoteID(for: PushingSide.url)
        var revisions: [RevisionID] = []
        for id in ["a", "b"] {
            revisions.append(try side.replica.save(id, "{}"))
            try side.replica.collection().markSynced([(id, revisions[revisions.count - 1])], remote: remote)
        }
        let first = try side.connect()
        first.respond(to: try first.next("proposeChanges"), [:], "[304,0]")
        _ = try first.next("rev")
        first.advance(by: .seconds(5))
        #expect(try first.handleCheckpoint() == #"{"time":1700000000,"local":1,"unverified":2}"#)
        first.disconnect()

        let next = try side.connect(peerCheckpoint: side.storedCheckpoint())
        let proposal = try next.next("proposeChanges")
        #expect(proposal.text.hasPrefix(#"[["b","\#(revisions[1])","","#))
        next.respond(to: proposal, [:], "[304]")
        #expect(try next.handleCheckpoint() == #"{"time":1700000000,"local":2}"#)
    }

    @Test("a revision that the peer is recorded to have, and does not have, is pushed over the older one that it has")
    func olderAtPeer() throws {
        let side = try PushingSide()
        let older = try side.replica.save("a", "{}")
        let newer = try side.replica.save("a", #"{"n":2}"#)
        let remote = try side.replica.database.file.remoteID(for: PushingSide.url)
        try side.replica.collection().markSynced([("a", newer)], remote: remote)
        let peer = try side.connect()
        peer.respond(to: try peer.next("proposeChanges"), [:], #"[{"status":409,"rev":"\#(older)"}]"#)
        let again = try peer.next("proposeChanges")
        #expect(again.text.hasPrefix(#"[["a","\#(newer)","\#(older)","#))
        peer.respond(to: again, [:], "[]")
        peer.respond(to: try peer.next("rev"))
        #expect(peer.documents.map(\.documentID) == ["a"] && peer.documents[0].error == nil)
    }

    @Test("a change is proposed over the revision that the peer is recorded to have, also if that is not believed")
    func hint() throws {
        let side = try PushingSide()
        let remote = try side.replica.database.file.remoteID(for: PushingSide.url)
        let base = try side.replica.save("a", "{}")
        try side.replica.collection().markSynced([("a", base)], remote: remote)
        let change = try side.replica.save("a", #"{"n":2}"#)
        let peer = try side.connect()
        #expect(try peer.next("proposeChanges").text.hasPrefix(#"[["a","\#(change)","\#(base)","#))
    }

    @Test("a checkpoint with sequences that the database has never assigned is ignored")
    func futureCheckpoint() throws {
        let side = try PushingSide()
        try side.replica.save("a", "{}")
        let json = #"{"time":1700000000,"local":2}"#
        try side.replica.database.setCheckpoint(side.checkpointName(), Array(json.utf8))
        let peer = try side.connect(peerCheckpoint: json)
        #expect(try peer.next("proposeChanges").text.contains(#""a""#))
    }
}

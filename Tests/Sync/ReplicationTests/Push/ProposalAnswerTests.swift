import BLIP
import DocumentStore
import SyncCore
import Testing

@testable import Replication

/// The rows of Replication 4.5, "Response handling", and its rules for 409.
@Suite("Replies to proposals")
struct ProposalAnswerTests {
    @Test("a revision that the peer has already counts as pushed and is marked as synced")
    func known() throws {
        let side = try PushingSide()
        let revision = try side.replica.save("a", "{}")
        let peer = try side.connect()
        peer.respond(to: try peer.next("proposeChanges"), [:], "[304]")
        #expect(try peer.handleCheckpoint() == #"{"time":1700000000,"local":1}"#)
        #expect(try side.remoteAncestor(of: "a") == revision)
        #expect(peer.documents == [] && peer.disconnect() == nil)
    }

    @Test("a refused proposal is a permanent error of the document and counts in the checkpoint", arguments: [403, 404, 500])
    func refused(status: Int) throws {
        let side = try PushingSide()
        try side.replica.save("a", "{}")
        let peer = try side.connect()
        peer.respond(to: try peer.next("proposeChanges"), [:], "[\(status)]")
        #expect(try peer.handleCheckpoint() == #"{"time":1700000000,"local":1}"#)
        #expect(peer.documents.map(\.error?.code) == [status])
        #expect(peer.documents.first?.error?.domain == .webSocket && peer.documents.first?.isTransient == false)
        #expect(peer.disconnect() == nil)
    }

    @Test("without pulling, a conflict is an error of the document")
    func conflictWhenPushingOnly() throws {
        let side = try PushingSide()
        try side.replica.save("a", "{}")
        let peer = try side.connect()
        peer.respond(to: try peer.next("proposeChanges"), [:], #"[{"status":409,"rev":"1-cc"}]"#)
        #expect(try peer.handleCheckpoint() == #"{"time":1700000000,"local":1}"#)
        #expect(peer.documents.map(\.error?.code) == [409])
    }

    @Test("a damaged document that is in conflict is reported, and the others are pushed", arguments: [false, true])
    func damagedConflict(isPulling: Bool) throws {
        let side = try PushingSide(.continuous, pull: isPulling ? .continuous : .disabled)
        for id in ["a", "b"] { try side.replica.save(id, "{}") }
        let peer = try side.connect()
        let proposal = try peer.first("proposeChanges")
        try side.replica.damage("a")
        peer.respond(to: proposal, [:], "[409]")
        #expect(try peer.first("rev").properties["id"] == "b")
        #expect(peer.closure == nil)
        #expect(peer.documents.map(\.documentID) == ["a"])
        #expect(peer.documents.first?.error?.domain == .liteCore && peer.documents.first?.isTransient == false)
    }

    @Test("a revision is proposed again when the peer's current revision is one of its ancestors", arguments: [false, true])
    func ancestor(isPulling: Bool) throws {
        let side = try PushingSide(.continuous, pull: isPulling ? .continuous : .disabled)
        let first = try side.replica.save("a", #"{"n":1}"#)
        let second = try side.replica.save("a", #"{"n":2}"#)
        let peer = try side.connect()
        let proposal = try peer.first("proposeChanges")
        #expect(proposal.text.contains(#""\#(second)","","#))
        peer.respond(to: proposal, [:], #"[{"status":409,"rev":"\#(first)"}]"#)
        let again = try peer.first("proposeChanges")
        #expect(again.text.contains(#""\#(second)","\#(first)","#))
        peer.respond(to: again, [:], "[]")
        let rev = try peer.first("rev")
        #expect(rev.properties["history"] == "\(first)")
        peer.respond(to: rev)
        #expect(try side.remoteAncestor(of: "a") == second)
    }

    @Test("a proposal ends with a conflict after four contradictory replies")
    func contradiction() throws {
        let side = try PushingSide()
        let revisions = try (0..<6).map { try side.replica.save("a", #"{"n":\#($0)}"#) }
        let peer = try side.connect()
        var count = 0
        while peer.waiting.first == "proposeChanges" {
            peer.respond(
                to: try peer.next("proposeChanges"),
                [:],
                #"[{"status":409,"rev":"\#(revisions[count % 2])"}]"#
            )
            count += 1
            try #require(count < 20)
        }
        #expect(count == 4)
        #expect(peer.documents.map(\.error?.code) == [409])
    }

    @Test("a conflict whose server revision is never pulled is reported at the end and proposed in the next run")
    func parked() throws {
        let side = try PushingSide(.oneShot, pull: .oneShot)
        try side.replica.save("a", "{}")
        let revision = try side.replica.save("b", "{}")
        let peer = try side.connect()
        peer.respond(to: try peer.first("subChanges"))
        peer.respond(to: try peer.first("proposeChanges"), [:], #"[304,{"status":409,"rev":"1-cc"}]"#)
        #expect(peer.closure == nil)
        peer.send("changes", [:], "null", isNoReply: true)
        // This does not prevent the end of the session.
        #expect(try peer.handleCheckpoint() == #"{"time":1700000000,"local":1,"unverified":2}"#)
        #expect(peer.closure?.code == 1000)
        peer.disconnect()
        #expect(peer.documents.map(\.documentID) == ["b"] && peer.documents.map(\.error?.code) == [409])

        let next = try side.connect(peerCheckpoint: side.storedCheckpoint())
        #expect(try next.first("proposeChanges").text.contains("\(revision)"))
    }

    @Test("a newer revision replaces a conflicting one that waits for the server's revision")
    func parkedAndReplaced() throws {
        let side = try PushingSide(.continuous, pull: .continuous)
        try side.replica.save("a", "{}")
        let peer = try side.connect()
        peer.respond(to: try peer.first("proposeChanges"), [:], "[409]")
        #expect(peer.status.isBusy)
        try side.save("a", #"{"n":2}"#, telling: peer)
        peer.respond(to: try peer.first("proposeChanges"), [:], "[]")
        peer.respond(to: try peer.first("rev"))
        peer.respond(to: try peer.first("subChanges"))
        peer.send("changes", [:], "[]", isNoReply: true)
        #expect(try peer.handleCheckpoint() == #"{"time":1700000000,"local":2}"#)
        peer.disconnect()
        #expect(peer.documents.allSatisfy { $0.error == nil })
    }

    @Test("a conflict of a revision that is not current is ignored")
    func obsolete() throws {
        let side = try PushingSide(.continuous)
        try side.replica.save("a", "{}")
        let peer = try side.connect()
        let proposal = try peer.next("proposeChanges")
        try side.save("a", #"{"n":2}"#, telling: peer)
        peer.respond(to: proposal, [:], "[409]")
        // The newer revision is proposed separately.
        peer.respond(to: try peer.next("proposeChanges"), [:], "[304]")
        #expect(try peer.handleCheckpoint() == #"{"time":1700000000,"local":2}"#)
        #expect(peer.documents == [])
    }

    @Test("a conflicting revision is proposed again when its ancestor is announced by the peer")
    func ancestorArrives() throws {
        let side = try PushingSide(.continuous, pull: .continuous)
        let first = try side.replica.save("a", #"{"n":1}"#)
        let second = try side.replica.save("a", #"{"n":2}"#)
        let peer = try side.connect()
        peer.respond(to: try peer.first("subChanges"))
        peer.respond(to: try peer.first("proposeChanges"), [:], "[409]")
        peer.send("changes", [:], #"[[7,"a","\#(first)"]]"#)
        let again = try peer.first("proposeChanges")
        #expect(again.text.contains(#""\#(second)","\#(first)","#))
    }

    @Test(
        "an error reply to proposeChanges leaves its documents to be proposed again",
        arguments: [(500, nil), (503, 4001), (403, 4002), (400, 4002)]
    )
    func listError(code: Int, close: Int?) throws {
        let side = try PushingSide()
        try side.replica.save("a", "{}")
        let peer = try side.connect()
        peer.respond(to: try peer.next("proposeChanges"), error: SyncError(.http, code, "no"))
        // Without an end, the session has no other work.
        #expect(peer.closure?.code == close ?? 1000)
        #expect(peer.disconnect() == SyncError(.webSocket, code, "no"))
        #expect(try side.storedCheckpoint() == nil)
        let next = try side.connect()
        #expect(next.waiting == ["proposeChanges"])
    }

    @Test("an invalid reply to proposeChanges ends the session")
    func unreadable() throws {
        let side = try PushingSide()
        try side.replica.save("a", "{}")
        let peer = try side.connect()
        peer.respond(to: try peer.next("proposeChanges"), [:], "{")
        #expect(peer.closure?.code == 4002)
        #expect(peer.disconnect()?.code == 26)
    }
}

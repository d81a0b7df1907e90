import BLIP
import DocumentStore
import SyncCore
import Testing

@testable import Replication

/// The rows of Replication 4.5, "On completion".
@Suite("Replies to pushed revisions")
struct RevisionAnswerTests {
    private func pushed(_ mode: ReplicationMode = .oneShot, _ abilities: Properties = [:]) throws -> (PushingSide, ScriptedPeer) {
        let side = try PushingSide(mode)
        try side.replica.save("a", #"{"n":1}"#)
        let peer = try side.connect()
        peer.respond(to: try peer.next("proposeChanges"), abilities, "[]")
        return (side, peer)
    }

    @Test("a forbidden revision is sent once more after all other revisions")
    func forbidden() throws {
        let side = try PushingSide()
        try side.replica.save("a", "{}")
        try side.replica.save("b", "{}")
        let peer = try side.connect()
        peer.respond(to: try peer.next("proposeChanges"), [:], "[]")
        let first = try peer.next("rev")
        let second = try peer.next("rev")
        peer.respond(to: first, error: SyncError(.http, 403, "no"))
        #expect(peer.waiting == [])
        peer.respond(to: second)
        let again = try peer.next("rev")
        #expect(again.properties["id"] == "a")
        peer.respond(to: again, error: SyncError(.http, 403, "no"))
        #expect(peer.waiting == ["setCheckpoint"])
        #expect(try peer.handleCheckpoint() == #"{"time":1700000000,"local":2}"#)
        #expect(peer.documents.compactMap(\.error) == [SyncError(.webSocket, 403, "no")])
        #expect(peer.disconnect() == nil)
    }

    @Test("a document that is damaged while its revision is being sent is reported, and the others are recorded as the peer's")
    func damagedMeanwhile() throws {
        let side = try PushingSide()
        try side.replica.save("a", #"{"n":1}"#)
        let other = try side.replica.save("b", "{}")
        let peer = try side.connect()
        peer.respond(to: try peer.next("proposeChanges"), [:], "[]")
        let revisions = (try peer.next("rev"), try peer.next("rev"))
        // The sent revision is not the current one anymore, so recording it needs the tree.
        try side.replica.save("a", #"{"n":2}"#)
        try side.replica.damage("a")
        peer.respond(to: revisions.0)
        peer.respond(to: revisions.1)
        #expect(try peer.handleCheckpoint() == #"{"time":1700000000,"local":2}"#)
        #expect(peer.disconnect() == nil)
        #expect(peer.documents.filter { $0.error != nil }.map(\.documentID) == ["a"])
        #expect(peer.documents.last?.error?.isEngine(.corruptRevisionData) == true)
        #expect(try side.remoteAncestor(of: "b") == other)
    }

    @Test("a revision that is accepted on its second attempt counts as pushed")
    func allowedLater() throws {
        let (side, peer) = try pushed()
        peer.respond(to: try peer.next("rev"), error: SyncError(.http, 403))
        peer.respond(to: try peer.next("rev"))
        try peer.handleCheckpoint()
        #expect(peer.documents.map(\.error) == [nil])
        #expect(try side.remoteAncestor(of: "a") != nil)
    }

    @Test(
        "a permanent error completes the document and is reported",
        arguments: [
            (.http, 400), (.http, 413), (.http, 404), (.http, 500), (.http, 422), (.liteCore, 9), (.blip, 501),
            (.http, 409), (.liteCore, 8),
        ] as [(SyncError.Domain, Int)]
    )
    func permanent(domain: SyncError.Domain, code: Int) throws {
        let (_, peer) = try pushed()
        peer.respond(to: try peer.next("rev"), error: SyncError(domain, code, "because"))
        #expect(try peer.handleCheckpoint() == #"{"time":1700000000,"local":1}"#)
        #expect(peer.documents.count == 1)
        #expect(peer.documents.first?.error != nil && peer.documents.first?.isTransient == false)
        #expect(peer.disconnect() == nil)
    }

    @Test(
        "a transient error leaves a gap in the checkpoint, and the document is proposed in the next run",
        arguments: [408, 429, 502, 504]
    )
    func transient(code: Int) throws {
        let side = try PushingSide()
        try side.replica.save("a", "{}")
        try side.replica.save("b", "{}")
        let peer = try side.connect()
        peer.respond(to: try peer.next("proposeChanges"), [:], "[]")
        peer.respond(to: try peer.next("rev"), error: SyncError(.http, code))
        peer.respond(to: try peer.next("rev"))
        #expect(try peer.handleCheckpoint() == #"{"time":1700000000,"localCompleted":[0,1,2,1],"unverified":2}"#)
        #expect(peer.documents.map(\.isTransient) == [true, false])
        peer.disconnect()

        let next = try side.connect(peerCheckpoint: side.storedCheckpoint())
        let proposal = try next.next("proposeChanges")
        #expect(proposal.text.contains(#""a""#) && !proposal.text.contains(#""b""#))
    }

    @Test("a continuous replication retries a transient document error after 30 seconds")
    func transientWhenContinuous() throws {
        let (_, peer) = try pushed(.continuous)
        peer.respond(to: try peer.next("rev"), error: SyncError(.http, 502))
        #expect(!peer.status.isBusy)
        peer.advance(by: .seconds(29))
        #expect(peer.waiting == [])
        peer.advance(by: .seconds(1))
        peer.respond(to: try peer.next("proposeChanges"), [:], "[]")
        peer.respond(to: try peer.next("rev"))
        #expect(try peer.handleCheckpoint() == #"{"time":1700000000,"local":1}"#)
        #expect(peer.documents.map(\.isTransient) == [true, false])
    }

    @Test("HTTP 503 for a revision closes the connection")
    func serverOffline() throws {
        let (side, peer) = try pushed(.continuous)
        peer.respond(to: try peer.next("rev"), error: SyncError(.http, 503, "offline"))
        #expect(peer.closure?.code == 4001)
        #expect(peer.disconnect() == SyncError(.webSocket, 503, "offline"))
        #expect(try side.storedCheckpoint() == nil)
    }

    @Test(
        "a revision rejected as a conflict is reported and proposed again in the next run",
        arguments: [(.http, 409), (.liteCore, 8)] as [(SyncError.Domain, Int)]
    )
    func lostRace(domain: SyncError.Domain, code: Int) throws {
        let side = try PushingSide(.oneShot, pull: .oneShot)
        try side.replica.save("a", "{}")
        let peer = try side.connect()
        peer.respond(to: try peer.first("proposeChanges"), [:], "[]")
        peer.respond(to: try peer.first("rev"), error: SyncError(domain, code))
        peer.respond(to: try peer.first("subChanges"))
        peer.send("changes", [:], "null", isNoReply: true)
        #expect(peer.closure?.code == 1000)
        peer.disconnect()
        #expect(peer.documents.map(\.error?.code) == [409])
        #expect(try side.storedCheckpoint() == nil)
    }

    @Test("a newer revision is proposed after the older one is acknowledged and has it as its parent")
    func nextRevision() throws {
        let (side, peer) = try pushed(.continuous)
        let rev = try peer.next("rev")
        try side.save("a", #"{"n":2}"#, telling: peer)
        let third = try side.save("a", #"{"n":3}"#, telling: peer)
        #expect(peer.waiting == [])
        peer.respond(to: rev)
        let proposal = try peer.next("proposeChanges")
        #expect(proposal.text.hasPrefix(#"[["a","\#(third)","\#(rev.properties["rev"] ?? "")","#))
        peer.respond(to: proposal, [:], "[]")
        peer.respond(to: try peer.next("rev"))
        #expect(try peer.handleCheckpoint() == #"{"time":1700000000,"local":3}"#)
    }

    @Test("a revision that is replaced or purged before it is sent is answered with norev", arguments: [false, true])
    func obsolete(isPurged: Bool) throws {
        let side = try PushingSide()
        let revision = try side.replica.save("a", #"{"n":1}"#)
        let peer = try side.connect()
        let proposal = try peer.next("proposeChanges")
        if isPurged {
            _ = try side.replica.collection().purge("a")
        } else {
            try side.replica.save("a", #"{"n":2}"#)
        }
        peer.respond(to: proposal, [:], "[]")
        let norev = try peer.next("norev")
        #expect(norev.isNoReply && norev.properties["id"] == "a" && norev.properties["rev"] == "\(revision)")
        #expect(norev.properties["sequence"] == "1" && norev.properties["error"] == (isPurged ? "404" : "410"))
        try peer.handleCheckpoint()
        #expect(peer.documents == [] && peer.disconnect() == nil)
    }

    @Test("a tombstone is sent with the deleted flag and an empty body")
    func tombstone() throws {
        let side = try PushingSide()
        let first = try side.replica.save("a", "{}")
        try side.replica.delete("a")
        let peer = try side.connect()
        peer.respond(to: try peer.next("proposeChanges"), [:], "[]")
        let rev = try peer.next("rev")
        #expect(rev.properties["deleted"] == "1" && rev.properties["history"] == "\(first)" && rev.text == "{}")
        peer.respond(to: rev)
        #expect(peer.documents.map(\.isDeleted) == [true])
    }

    // MARK: Deltas

    private func delta(
        _ abilities: Properties,
        _ change: (inout ActiveOptions) -> Void = { _ in }
    ) throws -> (PushingSide, ScriptedPeer, first: RevisionID, rev: IncomingRequest) {
        let side = try PushingSide(.continuous)
        change(&side.options)
        let filler = String(repeating: "x", count: 300)
        let first = try side.replica.save("a", #"{"filler":"\#(filler)","n":1}"#)
        let peer = try side.connect()
        peer.respond(to: try peer.next("proposeChanges"), abilities, "[]")
        peer.respond(to: try peer.next("rev"))
        peer.respond(to: try peer.next("setCheckpoint"), ["rev": "0-1"])
        try side.save("a", #"{"filler":"\#(filler)","n":2}"#, telling: peer)
        peer.respond(to: try peer.next("proposeChanges"), [:], "[]")
        return (side, peer, first, try peer.next("rev"))
    }

    @Test("a peer that accepts deltas receives a delta")
    func deltas() throws {
        let (_, peer, first, rev) = try delta(["deltas": "true"])
        #expect(rev.properties["deltaSrc"] == "\(first)" && rev.text == #"{"n":2}"#)
        peer.respond(to: rev)
        #expect(peer.documents.map(\.error) == [nil, nil])
    }

    @Test(
        "the full body is sent at once after a rejected delta",
        arguments: [(.http, 422), (.liteCore, 31), (.liteCore, 32)] as [(SyncError.Domain, Int)]
    )
    func uselessDelta(domain: SyncError.Domain, code: Int) throws {
        let (_, peer, _, rev) = try delta(["deltas": "true"])
        peer.respond(to: rev, error: SyncError(domain, code))
        let whole = try peer.next("rev")
        #expect(whole.properties["deltaSrc"] == nil && whole.text.contains("filler"))
        peer.respond(to: whole)
        #expect(peer.documents.map(\.error) == [nil, nil])
    }

    @Test("no delta is sent when the peer does not accept deltas or deltas are disabled")
    func noDeltas() throws {
        #expect(try delta([:]).rev.properties["deltaSrc"] == nil)
        #expect(try delta(["deltas": "true"]) { $0.usesDeltas = false }.rev.properties["deltaSrc"] == nil)
    }
}

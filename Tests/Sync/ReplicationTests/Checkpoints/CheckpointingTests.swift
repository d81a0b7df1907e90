import BLIP
import DocumentStore
import Foundation
import SyncCore
import TestSupport
import Testing

@testable import Replication

@Suite("Saving of checkpoints")
struct CheckpointingTests {
    /// A continuous replication that has pushed one document; its checkpoint is about to be saved.
    private func pushed() throws -> (PushingSide, ScriptedPeer) {
        let side = try PushingSide(.continuous)
        try side.replica.save("a", "{}")
        let peer = try side.connect()
        peer.respond(to: try peer.next("proposeChanges"), [:], "[304]")
        return (side, peer)
    }

    @Test("after a conflict the peer's current checkpoint revision is fetched and then overwritten")
    func conflict() throws {
        let (side, peer) = try pushed()
        let save = try peer.next("setCheckpoint")
        #expect(save.properties["rev"] == "")
        peer.respond(to: save, error: SyncError(.http, 409, "Document update conflict"))
        peer.respond(to: try peer.next("getCheckpoint"), ["rev": "0-7"], #"{"local":99}"#)
        let again = try peer.next("setCheckpoint")
        #expect(again.properties["rev"] == "0-7" && again.body == save.body)
        #expect(try side.storedCheckpoint() == nil)
        peer.respond(to: again, ["rev": "0-8"])
        #expect(try side.storedCheckpoint() == save.text)
        // The next save uses this revision.
        try side.save("b", "{}", telling: peer)
        peer.respond(to: try peer.next("proposeChanges"), [:], "[304]")
        #expect(try peer.next("setCheckpoint").properties["rev"] == "0-8")
    }

    @Test("a checkpoint that the peer has lost is saved again as a new one")
    func vanished() throws {
        let (side, peer) = try pushed()
        try peer.handleCheckpoint("0-1")
        try side.save("b", "{}", telling: peer)
        peer.respond(to: try peer.next("proposeChanges"), [:], "[304]")
        let save = try peer.next("setCheckpoint")
        #expect(save.properties["rev"] == "0-1")
        peer.respond(to: save, error: SyncError(.http, 404, "No previous revision to replace"))
        let again = try peer.next("setCheckpoint")
        #expect(again.properties["rev"] == "" && again.body == save.body)
    }

    @Test("a replicator stops saving its checkpoint when the peer refuses repeatedly")
    func endless() throws {
        let (side, peer) = try pushed()
        var count = 0
        while let profile = peer.waiting.first {
            peer.respond(to: try peer.next(profile), error: SyncError(.http, 409))
            count += 1
            try #require(count < 20)
        }
        #expect(try side.storedCheckpoint() == nil)
        #expect(peer.closure == nil && !peer.status.isBusy)
    }

    @Test("an error from setCheckpoint is reported, and the checkpoint is not stored locally", arguments: [(500, false), (503, true)])
    func failure(code: Int, isFatal: Bool) throws {
        let (side, peer) = try pushed()
        peer.respond(to: try peer.next("setCheckpoint"), error: SyncError(.http, code, "no"))
        #expect(try side.storedCheckpoint() == nil)
        #expect(peer.closure?.code == (isFatal ? 4001 : nil))
        #expect(peer.disconnect() == SyncError(.webSocket, code, "no"))
    }

    @Test("during a busy session checkpoints are saved every five seconds, one at a time")
    func interval() throws {
        let side = try PushingSide()
        try side.replica.save("a", "{}")
        try side.replica.save("b", "{}")
        let peer = try side.connect()
        peer.respond(to: try peer.next("proposeChanges"), [:], "[]")
        peer.respond(to: try peer.next("rev"))
        peer.advance(by: .milliseconds(4999))
        #expect(peer.waiting == ["rev"])
        peer.advance(by: .milliseconds(1))
        let rev = try peer.next("rev")
        let save = try peer.next("setCheckpoint")
        #expect(save.text == #"{"time":1700000000,"local":1,"unverified":2}"#)
        peer.respond(to: rev)
        peer.advance(by: .seconds(60))
        #expect(peer.waiting == [] && peer.closure == nil)
        peer.respond(to: save, ["rev": "0-1"])
        #expect(try peer.handleCheckpoint("0-2") == #"{"time":1700000000,"local":2}"#)
        #expect(peer.closure?.code == 1000)
    }

    @Test("a continuous session is busy until its checkpoint is saved on both sides or refused")
    func busyUntilSaved() throws {
        let (side, peer) = try pushed()
        #expect(peer.status.isBusy)
        try peer.handleCheckpoint()
        #expect(!peer.status.isBusy)
        #expect(try side.storedCheckpoint() == #"{"time":1700000000,"local":1}"#)
        // A checkpoint that the peer refuses does not keep the replicator busy forever.
        try side.save("b", "{}", telling: peer)
        peer.respond(to: try peer.next("proposeChanges"), [:], "[304]")
        #expect(peer.status.isBusy)
        peer.respond(to: try peer.next("setCheckpoint"), error: SyncError(.http, 500))
        #expect(!peer.status.isBusy && peer.closure == nil)
    }

    @Test("a stopped session finishes its pending save, saves later progress and starts no new work")
    func stopSaves() throws {
        let side = try PushingSide(.continuous, pull: .continuous)
        try side.replica.save("a", "{}")
        try side.replica.save("b", "{}")
        let peer = try side.connect()
        peer.respond(to: try peer.first("subChanges"))
        peer.respond(to: try peer.first("proposeChanges"), [:], "[]")
        let revisions = peer.dequeue("rev")
        peer.respond(to: try #require(revisions.first))
        peer.advance(by: .seconds(5))
        let save = try peer.first("setCheckpoint")
        peer.tell(.stop)
        #expect(peer.closure == nil)
        // Revisions that were in flight still count.
        peer.respond(to: try #require(revisions.last))
        try side.save("c", "{}", telling: peer)
        let announcement = peer.send("changes", [:], #"[[17,"d","1-aa"]]"#)
        peer.respond(to: save, ["rev": "0-1"])
        #expect(peer.closure == nil)
        #expect(try peer.handleCheckpoint("0-2") == #"{"time":1700000000,"local":2}"#)
        #expect(peer.closure?.code == 1000)
        #expect(peer.waiting == [] && peer.reply(to: announcement) == nil)
        #expect(peer.disconnect() == nil)
        #expect(try side.storedCheckpoint() == #"{"time":1700000000,"local":2}"#)
    }

    @Test("a revision acknowledged before a stop is not pushed again")
    func stopAndGoOn() throws {
        let side = try PushingSide(.continuous)
        try side.replica.save("a", "{}")
        let peer = try side.connect()
        peer.respond(to: try peer.next("proposeChanges"), [:], "[]")
        peer.respond(to: try peer.next("rev"))
        peer.tell(.stop)
        let saved = try peer.handleCheckpoint()
        #expect(peer.closure?.code == 1000)
        peer.disconnect()
        let next = try side.connect(peerCheckpoint: saved)
        #expect(try next.next("proposeChanges").text == "[]")
    }

    @Test("a stop waits at most five seconds for the peer to save the checkpoint")
    func stopTimeout() throws {
        let (side, peer) = try pushed()
        peer.tell(.stop)
        peer.advance(by: .milliseconds(4999))
        #expect(peer.closure == nil && peer.waiting == ["setCheckpoint"])
        peer.advance(by: .milliseconds(1))
        #expect(peer.closure?.code == 1000 && peer.disconnect() == nil)
        #expect(try side.storedCheckpoint() == nil)
    }

    @Test("a stop ends the session at once when the save fails or no save is pending", arguments: [true, false])
    func stopAtOnce(hasChange: Bool) throws {
        let (side, peer) = try pushed()
        let save = try peer.next("setCheckpoint")
        if hasChange {
            peer.tell(.stop)
            #expect(peer.closure == nil)
            peer.respond(to: save, error: SyncError(.http, 500))
        } else {
            peer.respond(to: save, ["rev": "0-1"])
            peer.tell(.stop)
        }
        #expect(peer.closure?.code == 1000 && peer.waiting == [])
        #expect(try (side.storedCheckpoint() == nil) == hasChange)
    }

    @Test("no checkpoint is saved before the peer's checkpoint is received")
    func waiting() throws {
        let side = try PushingSide()
        try side.replica.save("a", "{}")
        let peer = try side.connect(answeringCheckpoint: false)
        let getCheckpoint = try peer.next("getCheckpoint")
        peer.respond(to: try peer.next("proposeChanges"), [:], "[304]")
        peer.advance(by: .seconds(60))
        #expect(peer.waiting == [])
        peer.respond(to: getCheckpoint, ["rev": "0-4"], #"{"local":99}"#)
        #expect(try peer.next("setCheckpoint").properties["rev"] == "0-4")
    }

    @Test("with a local checkpoint, pushing does not start before the peer's checkpoint is received")
    func comparing() throws {
        let side = try PushingSide()
        try side.replica.save("a", "{}")
        try side.replica.save("b", "{}")
        try side.replica.database.setCheckpoint(side.checkpointName(), Array(#"{"local":1}"#.utf8))
        let peer = try side.connect(answeringCheckpoint: false)
        let getCheckpoint = try peer.next("getCheckpoint")
        #expect(peer.waiting == [])
        peer.respond(to: getCheckpoint, ["rev": "0-1"], #"{"local":1}"#)
        let proposal = try peer.next("proposeChanges")
        #expect(proposal.text.hasPrefix(#"[["b","#))
    }

    @Test(
        "an error from getCheckpoint other than HTTP 404 ends the session",
        arguments: [(.http, 500), (.http, 401), (.blip, 404)] as [(SyncError.Domain, Int)]
    )
    func unreadable(domain: SyncError.Domain, code: Int) throws {
        let side = try PushingSide()
        let peer = try side.connect(answeringCheckpoint: false)
        peer.respond(to: try peer.next("getCheckpoint"), error: SyncError(domain, code))
        #expect(peer.closure?.code == 4002)
        #expect(peer.disconnect() == SyncError(domain, code).fromTheWire)
    }

    @Test("a checkpoint that is not confirmed before the connection breaks is not stored locally")
    func brokenOff() throws {
        let (side, peer) = try pushed()
        _ = try peer.next("setCheckpoint")
        #expect(peer.disconnect()?.code == 1006)
        #expect(try side.storedCheckpoint() == nil)
    }

    @Test("a copied database continues from the checkpoint of the original and saves under its own checkpoint ID")
    func copy() throws {
        let side = try PushingSide(.continuous)
        try side.replica.save("a", "{}")
        try side.replica.save("b", "{}")
        let original = try side.replica.database.file.ensuredPrivateUUID()
        let name = try CheckpointID(databaseUUID: original, remoteURL: PushingSide.url).name()
        try side.replica.database.setCheckpoint(name, Array(#"{"local":1}"#.utf8))
        let path = side.replica.directory.path("copy.cblite2")
        try DatabaseCopy.copy(BundlePath(side.replica.bundle.path), to: BundlePath(path))
        let file = try DatabaseRegistry.open(path)
        defer { try? DatabaseRegistry.close(file) }
        let database = ReplicaDatabase(file)
        #expect(try database.file.ensuredPrivateUUID() != original)

        let peer = ScriptedPeer(Session.active(database, side.options) { 0 })
        let request = try peer.next("getCheckpoint")
        #expect(request.properties["client"] == name)
        peer.respond(to: request, ["rev": "0-1"], #"{"local":1}"#)
        let proposal = try peer.next("proposeChanges")
        #expect(proposal.text.hasPrefix(#"[["b","#))
        peer.respond(to: proposal, [:], "[304]")
        let save = try peer.next("setCheckpoint")
        #expect(save.properties["rev"] == "")
        #expect(
            try save.properties["client"]
                == CheckpointID(databaseUUID: database.file.ensuredPrivateUUID(), remoteURL: PushingSide.url).name()
        )
        peer.disconnect()
    }
}

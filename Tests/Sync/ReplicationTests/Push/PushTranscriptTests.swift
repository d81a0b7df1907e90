import BLIP
import DocumentStore
import SyncCore
import TestSupport
import Testing

@testable import Replication

/// The pushing parts of the transcripts of Replication 7, message by message.
@Suite("Push transcripts of the specification")
struct PushTranscriptTests {
    static let url = "ws://localhost:4984/db/_blipsync"
    static let blobDigest = "sha1-ArH2IhJgRp/90GRqSAdAfa750BE="
    static let blobJSON =
        #"{"content_type":"text/plain","digest":"sha1-ArH2IhJgRp/90GRqSAdAfa750BE=","length":12,"@type":"blob"}"#

    private func options(_ push: ReplicationMode, pull: ReplicationMode = .disabled) -> ActiveOptions {
        ActiveOptions(remoteURL: Self.url, push: push, pull: pull, collections: [CollectionOptions(.default)])
    }

    private func start(_ replica: TestReplica, _ options: ActiveOptions) -> ScriptedPeer {
        ScriptedPeer(Session.active(replica.database, options) { 1_700_000_000 })
    }

    private func checkpointName(_ replica: TestReplica) throws -> String {
        try CheckpointID(databaseUUID: replica.database.file.ensuredPrivateUUID(), remoteURL: Self.url).name()
    }

    @Test("a push without changes sends an empty proposal and saves no checkpoint")
    func nothing() throws {
        let replica = try TestReplica()
        let name = try checkpointName(replica)
        let peer = start(replica, options(.oneShot))
        let getCheckpoint = try peer.next("getCheckpoint")
        #expect(ScriptedPeer.line(getCheckpoint) == "REQ 1 {Profile:getCheckpoint, client:\(name)}")
        #expect(peer.nextLine() == "REQ 2 UN {Profile:proposeChanges, conflictIncludesRev:true} []")
        #expect(peer.closure == nil)
        peer.respond(to: getCheckpoint, error: SyncError(.http, 404, "missing"))
        #expect(peer.closure?.code == 1000)
        #expect(peer.disconnect() == nil)
    }

    @Test("a push of two documents with a blob matches the transcript of the specification", arguments: [false, true])
    func documentsAndBlob(toCouchbaseLite: Bool) throws {
        let replica = try TestReplica()
        let name = try checkpointName(replica)
        let first = try replica.save("doc1", #"{"name":"first"}"#)
        _ = try replica.database.blobs.store(Array("Hello, blob!".utf8))
        let second = try replica.save("doc2", #"{"note":\#(Self.blobJSON)}"#, hasBlobs: true)
        let sizes = try replica.collection().changes(after: 0, limit: 9, remote: nil).map(\.bodySize)

        let peer = start(replica, options(.oneShot))
        let getCheckpoint = try peer.next("getCheckpoint")
        let propose = try peer.next("proposeChanges")
        #expect(
            ScriptedPeer.line(propose) == """
                REQ 2 U {Profile:proposeChanges, conflictIncludesRev:true} \
                [["doc1","\(first)","",\(sizes[0])],["doc2","\(second)","",\(sizes[1])]]
                """
        )
        peer.respond(to: getCheckpoint, error: SyncError(.http, 404, "missing"))
        peer.respond(to: propose, toCouchbaseLite ? ["maxHistory": "50", "blobs": "true", "deltas": "true"] : [:], "[]")
        let revisions = [try peer.next("rev"), try peer.next("rev")]
        #expect(
            ScriptedPeer.line(revisions[0])
                == #"REQ 3 {Profile:rev, id:doc1, rev:\#(first), sequence:1, noconflicts:1} {"name":"first"}"#
        )
        let attachment =
            #"{"content_type":"text/plain","digest":"\#(Self.blobDigest)","length":12,"stub":true,"revpos":1}"#
        let attachments = toCouchbaseLite ? "" : #","_attachments":{"blob_/note":\#(attachment)}"#
        #expect(
            ScriptedPeer.line(revisions[1])
                == #"REQ 4 {Profile:rev, id:doc2, rev:\#(second), sequence:2, noconflicts:1} "#
                + #"{"note":\#(Self.blobJSON)\#(attachments)}"#
        )
        peer.respond(to: revisions[0])
        let question = peer.send("getAttachment", ["digest": Self.blobDigest, "docID": "doc2", "compress": "true"])
        let blob = peer.reply(to: question)
        #expect(blob?.body == Array("Hello, blob!".utf8) && blob?.error == nil)
        #expect(peer.status.isBusy)
        peer.respond(to: revisions[1])
        let save = try peer.next("setCheckpoint")
        let json = #"{"time":1700000000,"local":2}"#
        #expect(ScriptedPeer.line(save) == "REQ 5 {Profile:setCheckpoint, client:\(name), rev:} \(json)")
        #expect(try replica.database.checkpoint(name) == nil)
        #expect(peer.closure == nil)
        peer.respond(to: save, ["rev": "0-1"])
        #expect(try replica.database.checkpoint(name) == Array(json.utf8))
        #expect(peer.closure?.code == 1000)
        #expect(peer.disconnect() == nil)
        #expect(peer.documents.map(\.documentID) == ["doc1", "doc2"])
        #expect(peer.documents.allSatisfy { $0.isPush && $0.error == nil })
        #expect(peer.status.counts.replicated == 2 && peer.status.completedDocuments == peer.status.totalDocuments)

        // The next session has no revision to push.
        let again = start(replica, options(.oneShot))
        again.respond(to: try again.next("getCheckpoint"), ["rev": "0-1"], json)
        #expect(again.nextLine() == "REQ 2 UN {Profile:proposeChanges, conflictIncludesRev:true} []")
        #expect(again.waiting == [] && again.closure?.code == 1000)
    }
}

import BLIP
import DocumentStore
import SyncCore
import Testing

@testable import Replication

/// A database and the sessions that replicate it with scripted peers.
final class PushingSide {
    static let url = "ws://localhost:4984/db/_blipsync"
    let replica: TestReplica
    var options: ActiveOptions

    init(_ push: ReplicationMode = .oneShot, pull: ReplicationMode = .disabled) throws {
        replica = try TestReplica()
        options = ActiveOptions(remoteURL: Self.url, push: push, pull: pull, collections: [CollectionOptions(.default)])
    }

    /// Begins a session, whose peer has a checkpoint or none.
    func connect(answeringCheckpoint isAnswered: Bool = true, peerCheckpoint: String? = nil) throws -> ScriptedPeer {
        let peer = ScriptedPeer(Session.active(replica.database, options) { 1_700_000_000 })
        peer.owner = self
        guard isAnswered else { return peer }
        let request = try peer.first("getCheckpoint")
        if let peerCheckpoint {
            peer.respond(to: request, ["rev": "0-1"], peerCheckpoint)
        } else {
            peer.respond(to: request, error: SyncError(.http, 404, "missing"))
        }
        return peer
    }

    /// Saves a document while a session runs.
    @discardableResult
    func save(_ documentID: String, _ json: String, telling peer: ScriptedPeer) throws -> RevisionID {
        let revision = try replica.save(documentID, json)
        peer.tell(.databaseChanged([.default]))
        return revision
    }

    func checkpointName() throws -> String {
        try CheckpointID(databaseUUID: replica.database.file.ensuredPrivateUUID(), remoteURL: Self.url).name()
    }

    /// The locally stored checkpoint.
    func storedCheckpoint() throws -> String? {
        try replica.database.checkpoint(checkpointName()).map { String(decoding: $0, as: UTF8.self) }
    }

    func remoteAncestor(of documentID: String) throws -> RevisionID? {
        let remote = try replica.database.file.remoteID(for: Self.url)
        return try replica.collection().change(of: documentID, remote: remote)?.remoteAncestor
    }
}

extension ScriptedPeer {
    /// Answers the request that saves the checkpoint, and returns the checkpoint.
    @discardableResult
    func handleCheckpoint(_ token: String = "0-1") throws -> String {
        let request = try first("setCheckpoint")
        respond(to: request, ["rev": token])
        return request.text
    }
}

import BLIP
import DocumentStore
import Fleece
import ReplicationSimulation
import SyncCore
import TestSupport
import Testing

@testable import Replication

/// A database whose session replicates with Sync Gateway 4.0.7, in place of the scripted client of a recorded conversation.
final class GatewayClient: ReplayedDatabase {
    /// When Sync Gateway has made its first version.
    private static let time: UInt64 = 0x18EA_5859_D31B_0000
    private static let blob = Array("attachment one".utf8)
    /// The checkpoint of the client at the server after it has pushed, and its token.
    private var checkpoint: (token: Int, body: String)?

    init(_ source: String) throws { try super.init(source, at: GatewayClient.time) }

    private func session(push: ReplicationMode, pull: ReplicationMode) throws -> ScriptedPeer {
        var options = ActiveOptions(
            remoteURL: "ws://localhost/db/_blipsync",
            push: push,
            pull: pull,
            collections: [CollectionOptions(.default)]
        )
        options.usesDeltas = false
        let peer = ScriptedPeer(Session.active(replica.database, options) { 1_795_344_000 }, subprotocol: Subprotocol.versions)
        let stored = push == .disabled ? nil : checkpoint.map { #"{"rev":"0-\#($0.token)",\#($0.body.dropFirst())"# }
        peer.respond(to: try peer.dequeueOne("getCollections"), [:], "[\(stored ?? "{}")]")
        return peer
    }

    /// Saves the checkpoint, and ends the session without an error.
    private func end(_ peer: ScriptedPeer) {
        while let save = peer.requests.first, save.profile == "setCheckpoint" {
            peer.requests.removeFirst()
            let token = (checkpoint?.token ?? 0) + 1
            checkpoint = (token, save.text)
            peer.respond(to: save, ["rev": "0-\(token)"])
        }
        #expect(peer.waiting == [])
        #expect(peer.closure?.code == 1000)
        #expect(peer.disconnect() == nil)
    }

    // MARK: Pull

    /// Stores the revisions that were sent on a connection, except for those of one document, as if they had been pulled.
    func storePulled(_ connection: RecordedConnection, except documentID: String) throws {
        for message in connection.exchanges.flatMap({ $0.requests("rev") }) where message.properties["id"] != documentID {
            try store(RevisionMessage(message.properties, naming), try replica.body(message.text), remote: 1)
        }
    }

    /// Pulls what Sync Gateway has sent on a connection, which is stored then.
    ///
    /// - Returns: The answer to the list of changes.
    func pull(_ connection: RecordedConnection) throws -> String {
        let exchange = try #require(connection.exchanges.last { $0.request.profile == "subChanges" })
        let peer = try session(push: .disabled, pull: .oneShot)
        let subscription = try peer.dequeueOne("subChanges")
        #expect(subscription.properties["versioning"] == "version-vectors" && subscription.properties["batch"] == "200")
        #expect(subscription.properties.boolean("sendReplacementRevs"))
        peer.respond(to: subscription)
        var answer = ""
        for message in exchange.questions.map(\.request) {
            var properties = message.properties
            properties["collection"] = "0"
            let token = peer.send(message.profile, properties, message.body, isNoReply: message.isNoReply)
            for request in peer.dequeue("getAttachment") {
                #expect(request.properties["digest"] == BlobDigest(of: Self.blob).string && request.properties["docID"] == "att")
                peer.respond(to: request, with: OutgoingMessage([:], body: Self.blob))
            }
            peer.advance(by: .milliseconds(20))
            guard !message.isNoReply else { continue }
            let reply = try #require(peer.reply(to: token), "\(message.properties)")
            #expect(reply.error == nil)
            if message.profile == "changes" { answer = String(decoding: reply.body, as: UTF8.self) }
        }
        end(peer)
        #expect(peer.documents.allSatisfy { $0.error == nil } && peer.conflicts == [])
        for message in exchange.requests("rev") { try checkStored(message) }
        return answer
    }

    private func checkStored(_ message: Transcript.Message) throws {
        let (id, properties) = (message.properties["id"] ?? "", message.properties)
        let stored = try #require(try replica.collection().change(of: id, remote: 1))
        #expect(naming.text(stored.revision) == properties["rev"] && stored.remoteAncestor == stored.revision)
        #expect(stored.isDeleted == properties.boolean("deleted"))
        if !stored.isDeleted { #expect(try replica.json(id) == canonical(message.text)) }
        let revision = try #require(try replica.collection().revision(stored.revision, of: id))
        let mine = HistoryEntries(naming.history(of: revision) { _ in false })
        let theirs = HistoryEntries(properties["history"])
        #expect(mine.merged == theirs.merged && mine.previous == theirs.previous, "\(properties)")
    }

    // MARK: Push

    /// Pushes what was stored.
    ///
    /// - Parameters:
    ///   - proposals: The first columns of the expected rows of `proposeChanges`.
    ///   - answer: The recorded answer to the proposals.
    ///   - recorded: The recorded revisions, which must be sent.
    ///   - serve: Called before each revision is acknowledged.
    /// - Returns: The status of each document that was refused.
    func push(
        proposing proposals: [[String]],
        answered answer: String = "[]",
        sending recorded: [Transcript.Message] = [],
        serving serve: (ScriptedPeer) throws -> Void = { _ in }
    ) throws -> [Int] {
        let peer = try session(push: .oneShot, pull: .disabled)
        let list = try peer.dequeueOne("proposeChanges")
        #expect(list.properties.boolean("conflictIncludesRev"))
        #expect(try rows(Transcript.Message(list), from: 0, count: 3) == proposals)
        peer.respond(to: list, [:], answer)
        let sent = peer.dequeue("rev")
        #expect(sent.map { $0.properties["id"] } == recorded.map { $0.properties["id"] })
        for (request, message) in zip(sent, recorded) {
            for name in ["rev", "history", "deleted", "noconflicts"] {
                #expect(request.properties[name] == message.properties[name], "\(name) of \(message.properties)")
            }
            #expect(try canonical(request.text) == canonical(message.text))
            try serve(peer)
            peer.respond(to: request)
        }
        end(peer)
        return peer.documents.compactMap { $0.error?.code }
    }

    /// Answers the questions of Sync Gateway about the blob of a revision.
    func proveBlob(to peer: ScriptedPeer) throws {
        let properties: Properties = ["collection": "0", "digest": BlobDigest(of: Self.blob).string, "docID": "att"]
        let content = try #require(peer.reply(to: peer.send("getAttachment", properties)))
        #expect(content.body == Self.blob)
        let nonce = [UInt8](1...20)
        let proof = try #require(peer.reply(to: peer.send("proveAttachment", properties, nonce)))
        #expect(String(decoding: proof.body, as: UTF8.self) == BlobDigest(of: [20] + nonce + Self.blob).string)
    }

    /// Stores a revision with the recorded body, whose blob is stored too.
    func storeWithBlob(_ message: Transcript.Message) throws {
        _ = try replica.database.blobs.store(Self.blob)
        try store(RevisionMessage(message.properties, naming), OwnedBody(try JSON.fleece(message.text), hasBlobs: true))
    }
}

import BLIP
import DocumentStore
import Fleece
import ReplicationSimulation
import SyncCore
import TestSupport
import Testing

@testable import Replication

/// A session pushes the revisions that a client has pushed to real Sync Gateways, and gets the recorded requests and answers.
@Suite("Replay of recorded Sync Gateway pushes")
struct PushReplayTests {
    @Test("recorded revisions are sent again, recorded blob requests are answered, and recorded replies are handled")
    func replay() throws {
        var count = 0
        var questionCount = 0
        for (_, transcript) in try Transcript.all() {
            for push in transcript.pushes {
                guard let replay = try PushReplay(push, blobs: transcript.blobs) else { continue }
                try replay.run()
                count += 1
                questionCount += push.questions.count
            }
        }
        #expect(count > 40 && questionCount > 10, "\(count) revisions, \(questionCount) questions")
    }
}

/// One revision, in a separate database.
private final class PushReplay {
    private let push: Transcript.Push
    private let replica: TestReplica
    private let server: ScriptedPeer

    /// Nil for revisions that no session would send: invalid names and bodies, deltas, and incompletely recorded ones.
    init?(_ push: Transcript.Push, blobs: [[UInt8]]) throws {
        let properties = push.revision.properties
        guard let id = properties["id"], let revision = properties["rev"].flatMap({ RevisionID($0) }),
            properties["deltaSrc"] == nil, !push.revision.isCutShort,
            let content = try? BodyReader(file: nil).content(json: push.revision.body), case .body(let body) = content,
            !push.revision.text.contains("\"_id\""), push.revision.text.hasPrefix("{")
        else { return nil }
        self.push = push
        replica = try TestReplica()
        for blob in blobs { _ = try replica.database.blobs.store(blob) }
        let history = (properties["history"] ?? "").split(separator: ",").compactMap { RevisionID(String($0)) }
        let raw = OwnedBody(try JSON.fleece(push.revision.text), hasBlobs: body.body.hasBlobs)
        let received = ReceivedRevision(
            documentID: id,
            revision: revision,
            history: history,
            isDeleted: properties["deleted"] == "1",
            body: raw
        )
        _ = try replica.collection().insert([received], remote: nil)
        let options = ActiveOptions(
            remoteURL: "ws://localhost/db/_blipsync",
            push: .oneShot,
            pull: .disabled,
            collections: [CollectionOptions(.default)]
        )
        server = ScriptedPeer(Session.active(replica.database, options) { 1_700_000_000 })
    }

    func run() throws {
        server.respond(to: try server.dequeueOne("getCheckpoint"), error: SyncError(.http, 404, "missing"))
        for proposal in server.dequeue("proposeChanges") { server.respond(to: proposal, [:], "[]") }
        let sent = try server.dequeueOne("rev")
        for name in ["id", "rev", "history", "deleted"] {
            #expect(sent.properties[name] == push.revision.properties[name], "\(push.revision)")
        }
        #expect(sent.properties.boolean("noconflicts"))
        #expect(try canonical(sent.text) == canonical(push.revision.text))
        for question in push.questions { try ask(question) }
        try reply(to: sent)
    }

    private func canonical(_ json: String) throws -> String {
        try JSON.fleece(json).withRoot { try JSON.string($0, form: .canonical) } ?? ""
    }

    private func ask(_ question: Transcript.Message) throws {
        let digest = try #require(question.properties["digest"].flatMap { BlobDigest($0) })
        let token = server.send(question.profile, question.properties, question.body)
        let reply = try #require(server.reply(to: token))
        guard let content = try replica.database.blobs.contents(of: digest) else { return #expect(reply.error != nil) }
        if question.profile == "proveAttachment" {
            #expect(question.body.count == 20)
            let proof = ([20] + question.body + content).withUnsafeBytes { BlobDigest(of: $0) }
            #expect(String(decoding: reply.body, as: UTF8.self) == proof.string)
        } else {
            #expect(reply.body == content)
        }
    }

    private func reply(to sent: IncomingRequest) throws {
        guard push.reply.isError else {
            server.respond(to: sent)
            #expect(server.documents.map(\.error) == [nil])
            #expect(try replica.collection().change(of: sent.properties["id"] ?? "", remote: 1)?.isAtRemote == true)
            return
        }
        let code = try #require(push.reply.properties["Error-Code"].flatMap { Int($0) })
        server.respond(to: sent, error: SyncError(.http, code, push.reply.text))
        // A forbidden revision is sent once more.
        for again in server.dequeue("proposeChanges") { server.respond(to: again, [:], "[]") }
        for again in server.dequeue("rev") { server.respond(to: again, error: SyncError(.http, code, push.reply.text)) }
        #expect(server.documents.last?.error?.code == code, "\(push.reply)")
    }
}

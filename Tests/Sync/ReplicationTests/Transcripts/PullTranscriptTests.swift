import BLIP
import DocumentStore
import Fleece
import ReplicationSimulation
import SyncCore
import TestSupport
import Testing

@testable import Replication

/// The messages that real Sync Gateways have sent to a client are passed to a session, one by one.
@Suite("Replay of recorded Sync Gateway pulls")
struct PullTranscriptTests {
    @Test("every completely recorded pull ends with the sent documents stored")
    func replay() throws {
        var count = 0
        var revisionCount = 0
        for (name, transcript) in try Transcript.all() {
            var replica = try TestReplica()
            var section = ""
            for pull in transcript.pulls {
                if pull.section != section {
                    section = pull.section
                    replica = try TestReplica()
                }
                guard pull.subscription.properties["collection"] == nil,
                    !pull.messages.contains(where: \.isCutShort), pull.answer != nil
                else { continue }
                let replay = try PullReplay(pull, into: replica, protocolName: name.contains("protocol2") ? "2" : "3")
                try replay.run()
                count += 1
                revisionCount += replay.revisionCount
            }
        }
        #expect(count > 30 && revisionCount > 25, "\(count) pulls, \(revisionCount) revisions")
    }
}

/// One pull, by a session that has no state of earlier ones.
private final class PullReplay {
    private let pull: Transcript.Pull
    private let replica: TestReplica
    private let server: ScriptedPeer
    private let isContinuous: Bool
    /// The number of revisions that the session has accepted.
    private(set) var revisionCount = 0
    /// The sequences of revisions that the session wants and has not received.
    private var wanted: [String: String] = [:]
    private var lastSequence: String?

    init(_ pull: Transcript.Pull, into replica: TestReplica, protocolName: String) throws {
        self.pull = pull
        self.replica = replica
        let asked = pull.subscription.properties
        isContinuous = asked["continuous"] == "true"
        var collection = CollectionOptions(.default)
        collection.channels = asked["channels"]?.split(separator: ",").map { String($0) }
        if !pull.subscription.body.isEmpty {
            let ids = try JSON.fleece(pull.subscription.text).withRoot { root -> [String] in
                let list = root.dictionary?.value(for: "docIDs")?.array
                return (0..<(list?.count ?? 0)).compactMap { list?[$0]?.string }
            }
            collection.documentIDs = ids
        }
        let options = ActiveOptions(
            remoteURL: "ws://localhost/db/_blipsync",
            push: .disabled,
            pull: isContinuous ? .continuous : .oneShot,
            collections: [collection]
        )
        let session = Session.active(replica.database, options) { 1_700_000_000 }
        server = ScriptedPeer(session, subprotocol: "BLIP_3+CBMobile_" + protocolName)
    }

    func run() throws {
        server.respond(to: try server.dequeueOne("getCheckpoint"), error: SyncError(.http, 404, "missing"))
        let subscription = try server.dequeueOne("subChanges")
        for name in ["filter", "channels", "continuous"] where pull.subscription.properties["filter"] != "what" {
            #expect(subscription.properties[name] == pull.subscription.properties[name])
        }
        let answer = try #require(pull.answer)
        guard !answer.isError else { return try refuse(subscription, answer) }
        server.respond(to: subscription)
        for message in pull.messages { try play(message) }
        // The server did not send revisions that the recorded client did not request.
        for (sequence, documentID) in wanted {
            server.send("norev", ["id": documentID, "sequence": sequence, "error": "404"], "", isNoReply: true)
        }
        if !pull.messages.contains(where: { $0.text == "null" }) {
            server.send("changes", [:], "null", isNoReply: true)
        }
        try end()
    }

    private func refuse(_ subscription: IncomingRequest, _ answer: Transcript.Message) throws {
        let code = try #require(answer.properties["Error-Code"].flatMap { Int($0) })
        server.respond(to: subscription, error: SyncError(.http, code, answer.text))
        if code == 400 { #expect(server.closure?.code == 4002) }
    }

    private func play(_ message: Transcript.Message) throws {
        if message.profile == "changes" { return try playChanges(message) }
        let sequence = try #require(message.properties["sequence"])
        let key = try #require(RemoteSequence(property: sequence)).json
        guard wanted.removeValue(forKey: key) != nil else { return }
        let token = server.send(message.profile, message.properties, message.text, isNoReply: message.isNoReply)
        try giveBlobs()
        server.advance(by: .milliseconds(20))
        guard message.profile == "rev" else { return }
        if !message.isNoReply { #expect(server.summary(token) == "RES", "\(message)") }
        try checkDocument(message)
        revisionCount += 1
    }

    private func playChanges(_ message: Transcript.Message) throws {
        let token = server.send("changes", message.properties, message.text, isNoReply: message.isNoReply)
        let rows = try ChangeRow.rows(message.body)
        guard !rows.isEmpty else { return }
        let reply = try #require(server.reply(to: token))
        #expect(reply.error == nil)
        let answers = try ChangeAnswer.parse(reply.body, count: rows.count)
        for (row, answer) in zip(rows, answers) {
            lastSequence = row.sequence.json
            if case .wanted = answer {
                #expect(!row.isAccessLost)
                wanted[row.sequence.json] = row.documentID
            } else {
                let current = try replica.collection().change(of: row.documentID, remote: nil)?.revision
                #expect(row.isAccessLost ? current == nil : current == row.revision, "\(row)")
            }
        }
    }

    /// Sends the blobs that the session requests, each for the document with which the recorded client received it.
    private func giveBlobs() throws {
        for request in server.dequeue("getAttachment") {
            let digest = try #require(request.properties["digest"])
            #expect(
                pull.blobs.contains {
                    $0.request.properties["digest"] == digest
                        && $0.request.properties["docID"] == request.properties["docID"]
                }
            )
            // Replies were recorded in the order of their arrival.
            let content = pull.blobs.map(\.reply.body).first { body in
                body.withUnsafeBytes { BlobDigest(of: $0) }.string == digest
            }
            server.respond(to: request, with: OutgoingMessage([:], body: try #require(content)))
        }
    }

    private func checkDocument(_ message: Transcript.Message) throws {
        let id = try #require(message.properties["id"])
        let stored = try replica.collection().change(of: id, remote: 1)
        if message.text == #"{"_removed":true}"# { return #expect(stored == nil) }
        #expect(stored?.revision.description == message.properties["rev"] && stored?.remoteAncestor == stored?.revision)
        #expect(stored?.isDeleted == (message.properties["deleted"] == "1"))
        guard stored?.isDeleted == false else { return }
        let expected = try JSON.fleece(message.text).withRoot { root -> String in
            var encoder = Encoder()
            encoder.beginDictionary()
            for (key, value) in root.dictionary?.pairs ?? [] {
                let name = key.text(.empty) ?? ""
                guard !name.hasPrefix("_") || name == "_attachments" else { continue }
                encoder.writeKey(name)
                encoder.write(value, keys: .other(.empty))
            }
            encoder.endDictionary()
            return try encoder.finishedData().withRoot { try JSON.string($0, form: .canonical) } ?? ""
        }
        #expect(try replica.json(id) == expected)
    }

    private func end() throws {
        if isContinuous {
            #expect(!server.status.isBusy && server.closure == nil)
        }
        if let lastSequence {
            let save = try server.dequeueOne("setCheckpoint")
            #expect(save.text.contains("\"remote\":\(lastSequence)"), "\(save.text)")
            server.respond(to: save, ["rev": "0-1"])
        }
        if isContinuous { server.tell(.stop) }
        #expect(server.closure?.code == 1000)
        #expect(server.disconnect() == nil)
    }
}

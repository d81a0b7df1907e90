import BLIP
import DocumentStore
import Fleece
import ReplicationSimulation
import SyncCore
import Testing

@testable import Replication

/// The replay of a conversation with a session in place of the client.
final class ReplayedClient: ReplayedDatabase {
    /// The checkpoint of the client at the server, and its token.
    private var checkpoint: (token: Int, body: String)?
    /// The number of revisions that the session has sent.
    private(set) var sentCount = 0

    /// - Parameter replacement: The answer to a list of changes to which the original has responded with an error.
    func run(_ block: Conversation.Block, answering replacement: String? = nil) throws {
        let sent = block.exchanges(ofClient: true)
        let theirs = block.exchanges(ofClient: false)
        try edit(sent.map(\.request) + unsent(sent.map(\.request)))
        let profiles = Set(sent.map(\.request.profile))
        var options = ActiveOptions(
            remoteURL: "ws://localhost/db/_blipsync",
            push: profiles.contains("proposeChanges") ? .oneShot : .disabled,
            pull: profiles.contains("subChanges") ? .oneShot : .disabled,
            collections: [CollectionOptions(.default)]
        )
        options.usesDeltas = true
        let peer = ScriptedPeer(
            Session.active(replica.database, options) { 1_795_344_000 },
            subprotocol: Subprotocol.versions
        )
        var revisions: [IncomingRequest] = []
        for _ in 0..<100 {
            peer.advance(by: .milliseconds(50))
            guard !peer.requests.isEmpty else { continue }
            let request = peer.requests.removeFirst()
            switch request.profile {
            case "getCollections":
                #expect(request.properties["uuid"] == sent.first?.request.properties["uuid"])
                let stored = checkpoint.map { #"{"rev":"\#($0.token)-cc",\#($0.body.dropFirst())"# } ?? "{}"
                peer.respond(to: request, [:], "[\(stored)]")
            case "setCheckpoint":
                checkpoint = ((checkpoint?.token ?? 0) + 1, request.text)
                peer.respond(to: request, ["rev": "\(checkpoint?.token ?? 0)-cc"])
            case "proposeChanges":
                let recorded = sent.first { $0.request.profile == "proposeChanges" }
                let mine = try rows(Transcript.Message(request), from: 0, count: 3)
                let rows = try recorded.map { try self.rows($0.request, from: 0, count: 3) } ?? []
                #expect(mine.sorted { $0[0] < $1[0] } == rows.sorted { $0[0] < $1[0] }, "\(block.title)")
                let answers = recorded?.answer
                if !request.isNoReply { peer.respond(to: request, answers?.properties ?? [:], answers?.text ?? "[]") }
            case "subChanges":
                let recorded = sent.first { $0.request.profile == "subChanges" }?.request
                for name in ["versioning", "activeOnly", "batch", "revocations"] {
                    #expect(request.properties[name] == recorded?.properties[name], "\(block.title): \(name)")
                }
                peer.respond(to: request)
                try send(theirs, peer, block, replacement)
            case "rev": revisions.append(request)
            default: Issue.record("unexpected request \(request.profile)")
            }
            // The answers to revisions come when nothing else is left.
            guard peer.requests.isEmpty else { continue }
            let waiting = revisions
            revisions = []
            for request in waiting { try answer(request, sent, peer) }
        }
        #expect(peer.status.counts.refused == 0, "\(block.title)")
        peer.disconnect()
    }

    /// Returns the revisions that were proposed but not sent, because they were conflicts. Their bodies are not known.
    private func unsent(_ requests: [Transcript.Message]) throws -> [Transcript.Message] {
        let sentIDs = Set(requests.filter { $0.profile == "rev" }.compactMap { $0.properties["id"] })
        let proposals = try requests.filter { $0.profile == "proposeChanges" }.flatMap { try rows($0, from: 0, count: 2) }
        return proposals.filter { !sentIDs.contains($0[0]) }.map { row in
            let name = row[1].prefix { $0 != ";" && $0 != "," }
            var message = Transcript.Message()
            message.profile = "rev"
            message.properties["id"] = row[0]
            message.properties["rev"] = String(name)
            message.properties["history"] = String(row[1].dropFirst(name.count + 1).drop { $0 == " " })
            message.body = Array(#"{"unsent":true}"#.utf8)
            return message
        }
    }

    private func answer(_ request: IncomingRequest, _ sent: [Conversation.Exchange], _ peer: ScriptedPeer) throws {
        let match = sent.map(\.request).first { $0.profile == "rev" && adapted($0.properties["rev"] ?? "") == request.properties["rev"] }
        let expected = try #require(match, "\(request.properties)")
        for name in ["id", "history", "deleted", "noconflicts"] {
            #expect(request.properties[name] == expected.properties[name].map(adapted), "\(name) of \(request.properties)")
        }
        if request.properties["deltaSrc"] == expected.properties["deltaSrc"] {
            #expect(try canonical(request.text) == canonical(expected.text))
        }
        sentCount += 1
        peer.respond(to: request)
    }

    /// Sends the changes and the revisions of the recorded server.
    private func send(
        _ theirs: [Conversation.Exchange],
        _ peer: ScriptedPeer,
        _ block: Conversation.Block,
        _ replacement: String?
    ) throws {
        for exchange in theirs {
            let request = exchange.request
            let token = peer.send(request.profile, request.properties, request.body, isNoReply: request.isNoReply)
            peer.advance(by: .milliseconds(50))
            guard !request.isNoReply, let recorded = exchange.answer else { continue }
            let reply = try #require(peer.reply(to: token), "\(block.title): \(request.properties)")
            #expect(reply.error == nil, "\(block.title): \(request.properties)")
            guard request.profile == "changes" else { continue }
            let expected = recorded.isError ? try #require(replacement) : recorded.text
            #expect(try canonical(String(decoding: reply.body, as: UTF8.self)) == canonical(expected), "\(block.title)")
        }
    }
}

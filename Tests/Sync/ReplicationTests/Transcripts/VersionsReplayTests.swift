import BLIP
import DocumentStore
import Fleece
import ReplicationSimulation
import SyncCore
import Testing

@testable import Replication

/// Conversations of Couchbase Lite 4.0.4 with another database and with Sync Gateway 4.0.7 are repeated, with a session of this library in place of
/// either side. It must send what the original has sent (Version vectors 6, 7).
@Suite("Replay of conversations between releases 4")
struct VersionsReplayTests {
    private static let peers = "couchbase-lite-4.0.4-peers"
    private static let gateway = "couchbase-lite-4.0.4-with-sync-gateway-4.0.7"

    @Test("a passive session serves the recorded clients as Couchbase Lite 4.0.4 does")
    func passive() throws {
        let replay = try ReplayedServer("iAFIl53vQ6+0zDp3NGKOeA", standsInForSyncGateway: false)
        for block in try Conversation(ofVersions: Self.peers).blocks { try replay.run(block) }
        #expect(replay.requestCount > 45 && replay.revisionCount == 7, "\(replay.requestCount) \(replay.revisionCount)")
    }

    @Test("a session that stands in for Sync Gateway serves the recorded clients as Sync Gateway 4 does")
    func gatewayServer() throws {
        let replay = try ReplayedServer("EtZNN8MKD3taDRvy5i3FfQ", standsInForSyncGateway: true)
        // In the other blocks, documents were changed in the server in ways that a hub does not have.
        for block in try Conversation(ofVersions: Self.gateway).blocks.prefix(9) { try replay.run(block) }
        #expect(replay.requestCount > 45 && replay.revisionCount == 5, "\(replay.requestCount) \(replay.revisionCount)")
    }

    @Test("an active session replicates with the recorded database as Couchbase Lite 4.0.4 does")
    func active() throws {
        let blocks = try Conversation(ofVersions: Self.peers).blocks
        let (a, c) = (try ReplayedClient("SOJnUHIfRHOOPjTgLjF5sQ"), try ReplayedClient("PKZXpaLkTICsViq9+KA27g"))
        for block in blocks.prefix(4) { try a.run(block) }
        for block in blocks.dropFirst(4) { try c.run(block) }
        #expect(a.sentCount == 4 && c.sentCount == 4, "\(a.sentCount) \(c.sentCount)")
    }

    @Test("an active session replicates with the recorded Sync Gateway as Couchbase Lite 4.0.4 does")
    func gatewayClient() throws {
        let blocks = try Conversation(ofVersions: Self.gateway).blocks
        let (a, b) = (try ReplayedClient("RkCrXdKsR32iLrz5V6ebTQ"), try ReplayedClient("+D2pAPS0RmCNcy4dw8L+qQ"))
        for (index, block) in blocks.prefix(9).enumerated() { try ([0, 1, 4, 6, 7].contains(index) ? a : b).run(block) }
        #expect(a.sentCount == 5 && b.sentCount == 2, "\(a.sentCount) \(b.sentCount)")
        // A client of documents that were revisions of trees before.
        let c = try ReplayedClient("cmc7Z3qISyeB4zZq1iNEGw")
        for block in blocks.dropFirst(11).prefix(2) { try c.run(block) }
        #expect(c.sentCount == 2)
    }
}

/// A database of a recorded conversation.
private class ReplayedDatabase {
    let replica: TestReplica
    let source: SourceID
    /// The time of the last recorded version.
    private static let clock: UInt64 = 0x18EA_583A_6000_0000

    init(_ source: String) throws {
        let id = try #require(RevisionID("1@\(source)")?.version).source
        let replica = try TestReplica(versionsAt: SettableClock(Int64(Self.clock / 1_000_000)))
        try replica.file.transaction { try RawStore.info.set("publicUUID", to: .init(body: id.bytes), in: $0) }
        (self.source, self.replica) = (id, replica)
    }

    var naming: RevisionNaming { RevisionNaming(own: source) }

    /// Stores the revisions that the app of this side has made before they were sent.
    func edit(_ sent: [Transcript.Message]) throws {
        for message in sent where message.profile == "rev" {
            let properties = message.properties
            let revision = try RevisionMessage(properties, naming)
            guard case .version(let version) = revision.revision, version.source.isMe else { continue }
            let stored = try replica.collection().change(of: revision.documentID, remote: 1)
            guard stored?.revision != revision.revision else { continue }
            var json = message.text
            // Of a delta only the number is known.
            if properties["deltaSrc"] != nil, let whole = try replica.json(revision.documentID) {
                json = whole.replacing(/"n":\d+/) { _ in json.dropFirst().dropLast() }
            }
            if stored?.isConflicted == true { return try merge(revision, json) }
            let received = ReceivedRevision(
                documentID: revision.documentID,
                revision: revision.revision,
                history: revision.history,
                mergedCount: revision.mergedCount,
                isDeleted: revision.isDeleted,
                body: try replica.body(json)
            )
            let outcomes = try replica.collection().insert([received], remote: nil)
            guard case .inserted? = outcomes.first else { return #expect(Bool(false), "\(outcomes)") }
        }
    }

    /// The version of a merge that this side has made, in place of the recorded one.
    private(set) var merge: (recorded: String, made: String)?

    private func merge(_ revision: RevisionMessage, _ json: String) throws {
        let conflict = try #require(try replica.collection().conflict(in: revision.documentID))
        let resolved = try replica.collection().resolve(conflict, with: .merged(try replica.body(json)))
        let made = try #require(resolved).revision
        merge = (naming.text(revision.revision), naming.text(made))
    }

    /// Returns a recorded text with the version of the merge that was made.
    func adapted(_ text: String) -> String { merge.map { text.replacing($0.recorded, with: $0.made) } ?? text }

    func canonical(_ json: String) throws -> String {
        try JSON.fleece(json, allowingFragments: true).withRoot { try JSON.string($0, form: .canonical) } ?? ""
    }

    /// The first columns of rows: the sequence in changes, the document and the version; and for proposals the parent.
    func rows(_ message: Transcript.Message, from column: Int, count: Int) throws -> [[String]] {
        try JSON.fleece(message.text.isEmpty ? "[]" : message.text, allowingFragments: true).withRoot { root in
            let rows = root.array
            return (0..<(rows?.count ?? 0)).map { index in
                let row = rows?[index]?.array
                return (column..<column + count).map { column in
                    adapted(row?[column]?.string ?? row?[column]?.int64.map { String($0) } ?? "")
                }
            }
        } ?? []
    }
}

/// The replay of a conversation with a session in place of the server.
private final class ReplayedServer: ReplayedDatabase {
    private let standsInForSyncGateway: Bool
    private(set) var requestCount = 0
    private(set) var revisionCount = 0

    init(_ source: String, standsInForSyncGateway: Bool) throws {
        self.standsInForSyncGateway = standsInForSyncGateway
        try super.init(source)
    }

    func run(_ block: Conversation.Block) throws {
        let mine = block.exchanges(ofClient: false)
        try edit(mine.map(\.request))
        var options = PassiveOptions(collections: [.default])
        options.usesDeltas = !standsInForSyncGateway
        options.standsInForSyncGateway = standsInForSyncGateway
        let peer = ScriptedPeer(Session.passive(replica.database, options), subprotocol: Subprotocol.versions)
        for exchange in block.exchanges(ofClient: true) {
            let request = exchange.request
            var properties = request.properties
            if let since = properties["since"] { properties["since"] = sequences[since] ?? since }
            let token = peer.send(request.profile, properties, request.body, isNoReply: request.isNoReply)
            peer.advance(by: .milliseconds(20))
            requestCount += 1
            if let recorded = exchange.answer { try expect(try #require(peer.reply(to: token)), recorded, to: request, in: block) }
            try serve(peer, mine)
        }
        // All rows and revisions have been sent.
        let rows = try mine.map(\.request).filter { $0.profile == "changes" }.flatMap { try self.rows($0, from: 1, count: 2) }
        #expect(announced == rows.map { [$0[0], Self.current($0[1])] }, "\(block.title)")
        announced = []
        #expect(peer.requests.isEmpty, "\(block.title) \(peer.waiting)")
    }

    private var announced: [[String]] = []
    /// The sequences of the session, by those of the recorded server: Sync Gateway skips some.
    private var sequences: [String: String] = [:]

    private static func current(_ vector: String) -> String { String(vector.prefix { $0 != ";" && $0 != "," }) }

    /// Answers the requests of the session as the recorded client has.
    private func serve(_ peer: ScriptedPeer, _ recorded: [Conversation.Exchange]) throws {
        while let request = peer.requests.first {
            peer.requests.removeFirst()
            switch request.profile {
            case "changes":
                let rows = try rows(Transcript.Message(request), from: 1, count: 2)
                announced += rows
                try noteSequences(of: Transcript.Message(request), recorded)
                guard !request.isNoReply else { continue }
                let answers = try recorded.filter { $0.request.profile == "changes" }.flatMap { try self.answers(to: $0) }
                let body = rows.map { row in answers.last { $0.id == row[0] }?.answer ?? "0" }.joined(separator: ",")
                peer.respond(to: request, ["blobs": "true", "sendReplacementRevs": "1"], "[\(body)]")
            case "rev":
                let match = recorded.map(\.request).first { message in
                    message.profile == "rev" && ["id", "rev"].allSatisfy { message.properties[$0] == request.properties[$0] }
                }
                let expected = try #require(match, "\(request.properties)")
                // Sync Gateway sends the versions in any order, and without blanks.
                let histories = [request.properties["history"] ?? "", expected.properties["history"] ?? ""]
                #expect(Set(histories[0].versions) == Set(histories[1].versions), "\(histories)")
                if !standsInForSyncGateway { #expect(histories[0] == histories[1]) }
                #expect(request.properties.boolean("deleted") == expected.properties.boolean("deleted"))
                if expected.properties["deltaSrc"] == nil { #expect(try canonical(request.text) == canonical(expected.text)) }
                revisionCount += 1
                peer.respond(to: request)
            default: Issue.record("unexpected request \(request.profile)")
            }
        }
    }

    private func noteSequences(of request: Transcript.Message, _ recorded: [Conversation.Exchange]) throws {
        let theirs = try recorded.map(\.request).filter { $0.profile == "changes" }.flatMap { try rows($0, from: 0, count: 3) }
        for row in try rows(request, from: 0, count: 3) {
            guard let match = theirs.first(where: { $0[1] == row[1] && Self.current($0[2]) == row[2] }) else { continue }
            sequences[match[0]] = row[0]
        }
    }

    private func answers(to exchange: Conversation.Exchange) throws -> [(id: String, answer: String)] {
        let rows = try rows(exchange.request, from: 1, count: 1)
        let items = try JSON.fleece(exchange.answer?.text ?? "[]").withRoot { root in
            try (0..<(root.array?.count ?? 0)).map { try root.array?[$0].map { try JSON.string($0, form: .canonical) } ?? "0" }
        }
        return rows.enumerated().map { ($1[0], ($0 < (items?.count ?? 0) ? items?[$0] : nil) ?? "0") }
    }

    private func expect(
        _ reply: IncomingReply,
        _ recorded: Transcript.Message,
        to request: Transcript.Message,
        in block: Conversation.Block
    ) throws {
        let comment = Comment(rawValue: "\(block.title): \(request.profile) \(request.properties) \(request.text)")
        guard !recorded.isError else { return #expect(reply.error?.code == Int(recorded.properties["Error-Code"] ?? ""), comment) }
        #expect(reply.error == nil, comment)
        let text = String(decoding: reply.body, as: UTF8.self)
        #expect(try canonical(text.isEmpty ? "null" : text) == canonical(recorded.text.isEmpty ? "null" : recorded.text), comment)
        for name in ["rev", "blobs", "deltas", "sendReplacementRevs"] where !standsInForSyncGateway || name == "rev" {
            #expect(reply.properties[name] == recorded.properties[name], comment)
        }
    }
}

/// The replay of a conversation with a session in place of the client.
private final class ReplayedClient: ReplayedDatabase {
    /// The checkpoint of the client at the server, and its token.
    private var checkpoint: (token: Int, body: String)?
    /// The number of revisions that the session has sent.
    private(set) var sentCount = 0

    func run(_ block: Conversation.Block) throws {
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
                try send(theirs, peer, block)
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
    private func send(_ theirs: [Conversation.Exchange], _ peer: ScriptedPeer, _ block: Conversation.Block) throws {
        for exchange in theirs {
            let request = exchange.request
            let token = peer.send(request.profile, request.properties, request.body, isNoReply: request.isNoReply)
            peer.advance(by: .milliseconds(50))
            guard !request.isNoReply, let recorded = exchange.answer else { continue }
            let reply = try #require(peer.reply(to: token), "\(block.title): \(request.properties)")
            #expect(reply.error == nil, "\(block.title): \(request.properties)")
            guard request.profile == "changes" else { continue }
            #expect(try canonical(String(decoding: reply.body, as: UTF8.self)) == canonical(recorded.text), "\(block.title)")
        }
    }
}

extension Transcript.Message {
    init(_ request: IncomingRequest) {
        self.init()
        (profile, properties, body) = (request.profile, request.properties, request.body)
    }
}

extension String {
    /// The entries of a history, each with the mark that may follow it.
    fileprivate var versions: [String] { replacing(" ", with: "").replacing(";", with: ",").split(separator: ",").map(String.init) }
}

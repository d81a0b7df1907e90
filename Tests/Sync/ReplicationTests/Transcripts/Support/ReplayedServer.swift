import BLIP
import DocumentStore
import Fleece
import ReplicationSimulation
import SyncCore
import Testing

@testable import Replication

/// The replay of a conversation with a session in place of the server.
final class ReplayedServer: ReplayedDatabase {
    private let standsInForSyncGateway: Bool
    /// Whether the order of the announced changes is not compared: Sync Gateway has stored several revisions at the same time.
    var ignoresOrder = false
    /// The IDs in trees that Sync Gateway has made for versions. This library makes them only for clients with trees.
    var generatedIDs: [String] = []
    private(set) var requestCount = 0
    private(set) var revisionCount = 0

    init(_ source: String, standsInForSyncGateway: Bool, at time: UInt64 = ReplayedDatabase.lastVersion) throws {
        self.standsInForSyncGateway = standsInForSyncGateway
        try super.init(source, at: time)
    }

    func run(_ block: Conversation.Block) throws {
        let mine = block.exchanges(ofClient: false)
        try edit(mine.map(\.request))
        if standsInForSyncGateway { try writeUnsent(mine.map(\.request)) }
        var options = PassiveOptions(collections: [.default])
        options.usesDeltas = !standsInForSyncGateway
        options.standsInForSyncGateway = standsInForSyncGateway
        let peer = ScriptedPeer(Session.passive(replica.database, options), subprotocol: Subprotocol.versions)
        for exchange in block.exchanges(ofClient: true) {
            let request = exchange.request
            var properties = request.properties
            if let since = properties["since"].flatMap({ UInt64($0) }) {
                properties["since"] = String(sequences.filter { $0.recorded <= since }.map(\.made).max() ?? since)
            }
            let token = peer.send(request.profile, properties, request.body, isNoReply: request.isNoReply)
            peer.advance(by: .milliseconds(20))
            requestCount += 1
            if let recorded = exchange.answer { try expect(try #require(peer.reply(to: token)), recorded, to: request, in: block) }
            try serve(peer, mine)
        }
        // All rows and revisions have been sent.
        let lists = try mine.map(\.request).filter { $0.profile == "changes" }.flatMap { try self.rows($0, from: 1, count: 2) }
        var rows = lists.map { [$0[0], Self.current($0[1])] }
        if ignoresOrder {
            announced.sort { $0[0] < $1[0] }
            rows.sort { $0[0] < $1[0] }
        }
        #expect(announced == rows, "\(block.title)")
        announced = []
        #expect(peer.requests.isEmpty, "\(block.title) \(peer.waiting)")
    }

    private var announced: [[String]] = []
    /// The sequences of the session, with those of the recorded server: Sync Gateway skips some.
    private var sequences: [(recorded: UInt64, made: UInt64)] = []

    /// Returns the current version of a vector. For an ID in a tree it is the version that stands for it: Sync Gateway gives one to a revision of a
    /// tree that comes with protocol 4, while this library keeps the tree (Version vectors 7.3, 11).
    private static func current(_ vector: String) -> String {
        let name = String(vector.prefix { $0 != ";" && $0 != "," })
        return RevisionID(name)?.version?.description ?? name
    }

    /// Stores the versions of this side whose revisions were announced, but not sent, because the recorded client has failed. Their bodies are not
    /// known.
    private func writeUnsent(_ recorded: [Transcript.Message]) throws {
        let rows = try recorded.filter { $0.profile == "changes" }.flatMap { try self.rows($0, from: 1, count: 2) }
        for row in rows {
            guard let revision = naming.revision(row[1]), case .version(let version) = revision, version.source.isMe else { continue }
            let stored = try replica.collection().change(of: row[0], remote: nil)?.revision
            guard stored != revision else { continue }
            try store(row[0], row[1], after: stored?.tree?.description ?? "", #"{"unsent":true}"#)
        }
    }

    /// Answers the requests of the session as the recorded client has.
    private func serve(_ peer: ScriptedPeer, _ recorded: [Conversation.Exchange]) throws {
        while let request = peer.requests.first {
            peer.requests.removeFirst()
            switch request.profile {
            case "changes":
                let rows = try rows(Transcript.Message(request), from: 1, count: 2)
                announced += rows.map { [$0[0], Self.current($0[1])] }
                try noteSequences(of: Transcript.Message(request), recorded)
                guard !request.isNoReply else { continue }
                let lists = recorded.filter { $0.request.profile == "changes" }
                if let failure = lists.compactMap(\.answer).first(where: \.isError) {
                    peer.respond(to: request, error: SyncError(.sqlite, 1, failure.text))
                    continue
                }
                let answers = try lists.flatMap { try self.answers(to: $0) }
                let body = rows.map { row in answers.last { $0.id == row[0] }?.answer ?? "0" }.joined(separator: ",")
                peer.respond(to: request, ["blobs": "true", "sendReplacementRevs": "1"], "[\(body)]")
            case "rev":
                let match = recorded.map(\.request).first { message in
                    message.profile == "rev" && message.properties["id"] == request.properties["id"]
                        && Self.current(message.properties["rev"] ?? "") == Self.current(request.properties["rev"] ?? "")
                }
                let expected = try #require(match, "\(request.properties)")
                // Sync Gateway sends the versions in any order, and without blanks.
                let histories = [request.properties["history"] ?? "", expected.properties["history"] ?? ""]
                let entries = histories.map { Set($0.versions.filter { !generatedIDs.contains($0) }.map(Self.current)) }
                #expect(entries[0] == entries[1], "\(histories)")
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
            guard let match = theirs.first(where: { $0[1] == row[1] && Self.current($0[2]) == Self.current(row[2]) }),
                let recorded = UInt64(match[0]), let made = UInt64(row[0])
            else { continue }
            sequences.append((recorded: recorded, made: made))
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

extension String {
    /// The entries of a history, each with the mark that may follow it.
    fileprivate var versions: [String] { replacing(" ", with: "").replacing(";", with: ",").split(separator: ",").map(String.init) }
}

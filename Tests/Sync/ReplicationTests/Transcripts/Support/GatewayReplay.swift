import BLIP
import DocumentStore
import ReplicationSimulation
import SyncCore
import Testing

@testable import Replication

/// The replay of the conversation of a scripted client with Sync Gateway 4.0.7, with a session in place of Sync Gateway.
final class GatewayReplay: ReplayedDatabase {
    private static let a = "EREREREREREREREREREREQ"
    private static let b = "IiIiIiIiIiIiIiIiIiIiIg"
    private static let tree = "1-ca9ad22802b66f662ff171f226211d5c"
    private static let undeleted = "d2 18ea5523ce296000@\(b)"

    /// The answers to lists that differ, by the body of the request.
    static let otherAnswers = [
        // A revision that is new takes the place of a deletion of which it does not know, as in trees (Version vectors 11).
        "[[\"d2\",\"18ea5523ce296000@\(b)\"]]": "[]",
        // A revision of a tree gets a version of this database (Version vectors 7.6); Sync Gateway names the version that stands for the revision.
        "[[\"l2\",\"18ea552aca4c6000@\(a)\"]]": #"[{"rev":"18ea5859d3100002@EtZNN8MKD3taDRvy5i3FfQ","status":409}]"#,
        // A version is refused at once with protocol 3; Sync Gateway refuses it when it comes (Version vectors 7.4).
        "[[\"y1\",\"18ea554212c36000@\(a)\"],[\"d1\",\"18ea554212c36000@\(a)\"]]": "[400,400]",
        // As a peer does, it answers `changes` (Version vectors 6.4).
        "[[1,\"d9\",\"18ea5570a3b16000@\(a)\"],[2,\"d1\",\"18ea5513bd706000@\(a)\"],[3,\"l2\",\"\(tree)\"]]": "[[]]",
    ]

    /// The results of revisions that differ, by the document, or also by the version and its history.
    static let otherResults = [
        undeleted: "",
        // A version that does not include the stored one is in conflict with it (Version vectors 5.1).
        "l2 18ea552aca4c6000@\(a)": "HTTP/409",
        // `*` and a source of another length (Version vectors 2.1).
        "x2": "HTTP/400", "x3": "HTTP/400",
        // What is not a version has the code of other invalid names.
        "x4": "HTTP/400",
        // Times: 0, too high, too low, and too far in the future (Version vectors 2.2, 2.3).
        "x5": "HTTP/400", "x7": "HTTP/400", "x8": "HTTP/400", "x14": "HTTP/400",
        // A source that occurs twice, and two marks (Version vectors 2.7).
        "x9": "HTTP/400", "x10": "HTTP/400", "x11": "HTTP/400",
        // The base of the delta is not known, instead of deltas.
        "dd": "HTTP/409",
    ]

    /// The listed differences that have occurred.
    private(set) var differences: Set<String> = []
    private(set) var answerCount = 0
    private(set) var revisionCount = 0
    /// The number of revisions that Sync Gateway has not sent, because the answer named more than two revisions (Version vectors 6.4).
    private(set) var unrecordedCount = 0
    private(set) var blobCount = 0

    /// The names that this server gives to its revisions, by the recorded ones.
    private var names: [String: String] = [:]
    /// The last revision of a tree that the client has sent of each document.
    private var lastTrees: [String: String] = [:]

    func run(_ connection: RecordedConnection) throws {
        let isTrees = connection.subprotocol != Subprotocol.versions
        if connection.section.hasPrefix("pull"), try replica.json("r1") == nil {
            // Written by REST.
            try store("r1", "18ea5859d31b0000@EtZNN8MKD3taDRvy5i3FfQ", #"{"n":1}"#)
        }
        var options = PassiveOptions(collections: [.default])
        options.standsInForSyncGateway = true
        let peer = ScriptedPeer(Session.passive(replica.database, options), subprotocol: connection.subprotocol)
        for exchange in connection.exchanges { try replay(exchange, peer, isTrees: isTrees) }
        // The client has purged its documents with doubtful names.
        for number in 1...14 { _ = try replica.collection().purge("x\(number)") }
    }

    private func replay(_ exchange: RecordedConnection.Exchange, _ peer: ScriptedPeer, isTrees: Bool) throws {
        let request = exchange.request
        var (properties, text) = (request.properties, request.text)
        if isTrees {
            for (recorded, made) in names {
                text = text.replacing(recorded, with: made)
                if let history = properties["history"] { properties["history"] = history.replacing(recorded, with: made) }
            }
        }
        let token = peer.send(request.profile, properties, text)
        var sent: [String] = []
        while true {
            peer.advance(by: .milliseconds(20))
            guard let question = peer.requests.first else { break }
            peer.requests.removeFirst()
            switch question.profile {
            case "changes": try answerList(question, exchange, peer, isTrees: isTrees)
            case "rev":
                sent.append(question.properties["id"] ?? "")
                try check(question, exchange, peer, isTrees: isTrees)
            case "getAttachment": try giveBlob(question, exchange, peer)
            default: Issue.record("unexpected request \(question.profile)")
            }
        }
        let recorded = exchange.requests("rev").compactMap { $0.properties["id"] }
        if recorded.isEmpty, sent == ["l1"] { unrecordedCount += 1 } else { #expect(sent.sorted() == recorded.sorted()) }
        try compare(try #require(peer.reply(to: token), "\(request.properties) \(request.text)"), to: exchange)
        try note(request)
    }

    // MARK: Answers

    private func compare(_ reply: IncomingReply, to exchange: RecordedConnection.Exchange) throws {
        let recorded = try #require(exchange.reply, "\(exchange.request.properties)")
        answerCount += 1
        let id = exchange.request.properties["id"] ?? ""
        let keys = exchange.request.profile == "rev" ? [Self.key(exchange.request), id] : [exchange.request.text]
        let other = keys.compactMap { key in (Self.otherAnswers[key] ?? Self.otherResults[key]).map { (key: key, result: $0) } }.first
        let mine = try reply.error.map { "\($0.domain.rawValue)/\($0.code)" } ?? summary(String(decoding: reply.body, as: UTF8.self))
        let (domain, code) = (recorded.properties["Error-Domain"] ?? "", recorded.properties["Error-Code"] ?? "")
        let theirs = try recorded.isError ? "\(domain)/\(code)" : summary(recorded.text)
        #expect(mine == other?.result ?? theirs, "\(exchange.request.profile) \(exchange.request.properties) \(exchange.request.text)")
        if let other, mine != theirs { differences.insert(other.key) }
        if exchange.request.profile.hasSuffix("Checkpoint") { #expect(reply.properties["rev"] == recorded.properties["rev"]) }
    }

    private func summary(_ body: String) throws -> String { body.isEmpty ? "" : try canonical(body) }

    private static func key(_ revision: Transcript.Message) -> String {
        ["id", "rev", "history"].compactMap { revision.properties[$0] }.joined(separator: " ")
    }

    /// Notes what a revision of the client has changed.
    private func note(_ request: Transcript.Message) throws {
        guard request.profile == "rev", let id = request.properties["id"], let name = request.properties["rev"] else { return }
        if RevisionID(tree: name) != nil { lastTrees[id] = name }
        guard Self.key(request) == Self.undeleted else { return }
        // Sync Gateway has kept the deletion, which it sends later.
        #expect(try replica.collection().purge(id))
        try store(id, "18ea55217a1d6000@\(Self.a)", isDeleted: true)
    }

    // MARK: Requests

    private func answerList(
        _ request: IncomingRequest,
        _ exchange: RecordedConnection.Exchange,
        _ peer: ScriptedPeer,
        isTrees: Bool
    ) throws {
        let naming = isTrees ? RevisionNaming.trees : self.naming
        let mine = try ChangeRow.rows(request.body, naming)
        guard !mine.isEmpty else { return #expect(request.isNoReply && request.text == "null") }
        let list = try #require(exchange.questions.first { $0.request.profile == "changes" })
        let theirs = try ChangeRow.rows(list.request.body, naming)
        #expect(mine.map(\.documentID) == theirs.map(\.documentID))
        for (row, recorded) in zip(mine, theirs) {
            #expect(row.isDeleted == recorded.isDeleted)
            let (name, other) = (try #require(row.revision), try #require(recorded.revision))
            if isTrees {
                names[other.description] = name.description
                // The tree of the document goes on.
                if lastTrees[row.documentID] != nil { #expect(name.generation == other.generation) }
            } else if other.version?.source.isMe == true {
                names[naming.text(other)] = naming.text(name)
                #expect(name.version?.source.isMe == true)
            } else {
                #expect(name == other, "\(row.documentID)")
            }
        }
        peer.respond(to: request, [:], list.answer?.text ?? "[]")
    }

    private func check(
        _ request: IncomingRequest,
        _ exchange: RecordedConnection.Exchange,
        _ peer: ScriptedPeer,
        isTrees: Bool
    ) throws {
        defer { peer.respond(to: request) }
        let id = request.properties["id"] ?? ""
        guard let recorded = exchange.requests("rev").first(where: { $0.properties["id"] == id }) else { return }
        revisionCount += 1
        let name = recorded.properties["rev"] ?? ""
        #expect(request.properties["rev"] == names[name] ?? name)
        #expect(request.properties.boolean("deleted") == recorded.properties.boolean("deleted"))
        // Versions have no generation that `revpos` could be (Version vectors 6.7).
        #expect(try canonical(request.text) == canonical(recorded.text.replacing(#""revpos":1,"#, with: "")))
        let (mine, theirs) = (HistoryEntries(request.properties["history"]), HistoryEntries(recorded.properties["history"]))
        // The IDs in trees are sent to all clients (Version vectors 3.5, 6.6, 7.6). Sync Gateway sends them to clients that name one; to others, the
        // version that stands for the last one.
        if let tree = lastTrees[id] { #expect(mine.trees.contains(tree), "\(request.properties)") }
        guard !isTrees else { return }
        // A revision of a tree has got a version of this database (Version vectors 7.6).
        let own = lastTrees[id] == nil ? [] : mine.previous.filter { $0.hasSuffix("@EtZNN8MKD3taDRvy5i3FfQ") }
        #expect(own.count <= 1, "\(request.properties)")
        #expect(mine.merged == theirs.merged, "\(request.properties)")
        #expect(mine.previousWithoutTrees.subtracting(own) == theirs.previousWithoutTrees, "\(request.properties)")
    }

    private func giveBlob(_ request: IncomingRequest, _ exchange: RecordedConnection.Exchange, _ peer: ScriptedPeer) throws {
        let recorded = try #require(exchange.questions.first { $0.request.profile == "getAttachment" })
        // A blob without a type is requested uncompressed (Replication 4.9).
        for name in ["digest", "docID"] { #expect(request.properties[name] == recorded.request.properties[name]) }
        blobCount += 1
        peer.respond(to: request, [:], recorded.answer?.text ?? "")
    }
}

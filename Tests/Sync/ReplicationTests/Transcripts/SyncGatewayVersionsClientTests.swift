import BLIP
import ReplicationSimulation
import Testing

@testable import Replication

/// Sessions replicate with what Sync Gateway 4.0.7 has sent to a scripted client with protocol 4 (Version vectors 6, 7).
@Suite("Replication with a recorded Sync Gateway 4 on protocol 4")
struct SyncGatewayVersionsClientTests {
    private static let a = "EREREREREREREREREREREQ"
    private static let b = "IiIiIiIiIiIiIiIiIiIiIg"
    private static let c = "RERERERERERERERERERERA"
    private static let trees = ["2-c5557c751fcbfe4cd1f7221085d9ff70", "1-ca9ad22802b66f662ff171f226211d5c"]
    private let connections: [RecordedConnection]

    init() throws { connections = try Transcript.ofVersions("sync-gateway-4.0.7-protocol4").connections }

    /// The connections of a part with a subscription on protocol 4.
    private func pulls(_ section: String) -> [RecordedConnection] {
        connections.filter { connection in
            connection.section.hasPrefix(section) && connection.subprotocol == Subprotocol.versions
                && connection.exchanges.contains { $0.request.profile == "subChanges" }
        }
    }

    /// The revisions of a document that the client has sent.
    private func pushed(_ documentID: String) -> [Transcript.Message] {
        connections.flatMap(\.exchanges).map(\.request).filter { $0.profile == "rev" && $0.properties["id"] == documentID }
    }

    // MARK: Pull

    @Test("what Sync Gateway sends is stored with its history, is not requested again, and is followed by what another client changes")
    func pull() throws {
        let client = try GatewayClient("AAECAwQFBgcICQoLDA0ODw")
        let recorded = pulls("pull")
        #expect(recorded.count == 9)
        #expect(try client.pull(recorded[0]) == "[[],[],[],[],[]]")
        // In the others of these, the client has asked for other ways to name revisions.
        for connection in recorded[1...2] { #expect(try client.pull(connection) == "[]") }
        let later = try #require(pulls("the same documents").first)
        #expect(try client.pull(later) == "[0,0,0,0,[\"18ea551f26116000@\(Self.c)\"],[]]")
        let withBlob = try #require(pulls("attachments").first)
        #expect(try client.pull(withBlob) == "[0,0,0,0,0,0,[]]")
    }

    @Test("the answers name the revisions that the recorded client has named, and the revision is no conflict")
    func knownRevisions() throws {
        let recorded = pulls("pull")
        let version = "18ea5513bd706000@\(Self.a)"
        let trees = Self.trees
        let states: [(index: Int, store: (GatewayClient) throws -> Void)] = [
            (3, { try $0.store("l1", version) }),
            (5, { try $0.store("l1", trees[1]) }),
            (
                6,
                {
                    try $0.store("l1", trees[1], remote: 1)
                    try $0.store("l1", trees[0], after: trees[1])
                }
            ),
            (
                7,
                {
                    try $0.store("l1", trees[0], after: trees[1], remote: 1)
                    try $0.store("l1", version, after: trees[0])
                }
            ),
        ]
        for state in states {
            let client = try GatewayClient("AAECAwQFBgcICQoLDA0ODw")
            try client.storePulled(recorded[0], except: "l1")
            try state.store(client)
            let exchange = try #require(recorded[state.index].exchanges.last)
            let answer = try #require(exchange.questions.first?.answer)
            // The answers to the last rows, which are not wanted, can be left out.
            let expected = answer.text.replacing(",0,0]", with: "]")
            #expect(try client.pull(recorded[state.index]) == expected && expected != answer.text)
            #expect(try client.replica.collection().conflictedDocuments() == [])
        }
    }

    // MARK: Push

    @Test("versions, updates, merges and deletions are proposed and sent as recorded, and conflicts are reported")
    func push() throws {
        let (first, second, merged) = (
            "18ea5513bd706000@\(Self.a)", "18ea551953f36000@\(Self.b)", "18ea551f26116000@\(Self.c)"
        )
        let sent = pushed("d1")
        let a = try GatewayClient(Self.a)
        try a.store("d1", first, #"{"n":1}"#)
        #expect(try a.push(proposing: [["d1", first, ""]], sending: [sent[0]]) == [])

        let b = try GatewayClient(Self.b)
        try b.store("d1", first, #"{"n":1}"#, remote: 1)
        try b.store("d1", second, after: first, #"{"n":2}"#)
        #expect(try b.push(proposing: [["d1", "\(second); \(first)", first]], sending: [sent[1]]) == [])

        let unrelated = "18ea551cd2056000@\(Self.c)"
        let c = try GatewayClient(Self.c)
        try c.store("d1", unrelated, #"{"n":9}"#)
        let conflict = #"[{"status":409,"rev":"\#(second)"}]"#
        #expect(try c.push(proposing: [["d1", unrelated, ""]], answered: conflict) == [409])

        let merging = try GatewayClient(Self.c)
        let history = "\(unrelated), \(second); \(first)"
        try merging.store("d1", second, after: first, #"{"n":2}"#, remote: 1)
        try merging.store("d1", merged, after: history, #"{"n":3}"#)
        let merge = try #require(sent.last { $0.text == #"{"n":3}"# })
        #expect(try merging.push(proposing: [["d1", "\(merged), \(history)", second]], sending: [merge]) == [])
    }

    @Test("a deletion is sent as recorded, and a new document over it is a conflict")
    func deletion() throws {
        let (created, deleted, other) = (
            "18ea552050176000@\(Self.a)", "18ea55217a1d6000@\(Self.a)", "18ea5523ce296000@\(Self.b)"
        )
        let sent = pushed("d2")
        let a = try GatewayClient(Self.a)
        try a.store("d2", created)
        #expect(try a.push(proposing: [["d2", created, ""]], sending: [sent[0]]) == [])
        try a.store("d2", deleted, isDeleted: true)
        #expect(try a.push(proposing: [["d2", deleted, created]], sending: [sent[1]]) == [])

        let b = try GatewayClient(Self.b)
        try b.store("d2", other, #"{"again":true}"#)
        let conflict = #"[{"status":409,"rev":"\#(deleted)"}]"#
        #expect(try b.push(proposing: [["d2", other, ""]], answered: conflict) == [409])
    }

    @Test("revisions of trees are sent as recorded, and the first version after one with the last ID of the tree")
    func treesAndVersions() throws {
        let version = "18ea552aca4c6000@\(Self.a)"
        let (sent, other) = (pushed("l1"), pushed("l2"))
        let a = try GatewayClient(Self.a)
        try a.store("l1", Self.trees[0], after: Self.trees[1], #"{"n":2}"#)
        try a.store("l2", Self.trees[1], #"{"n":1}"#)
        let proposals = [["l1", Self.trees[0], ""], ["l2", Self.trees[1], ""]]
        #expect(try a.push(proposing: proposals, sending: [sent[0], other[0]]) == [])

        try a.store("l1", version, after: Self.trees[0], #"{"n":3}"#)
        var next = sent[1]
        #expect(next.properties["history"] == Self.trees.joined(separator: ", "))
        // Of the former tree, only the last revision is kept (Version vectors 3.5).
        next.properties["history"] = Self.trees[0]
        #expect(try a.push(proposing: [["l1", version, Self.trees[0]]], sending: [next]) == [])
    }

    @Test("a revision with an attachment is sent as recorded, and its blob is delivered and proven while it is sent")
    func attachment() throws {
        let sent = pushed("att")
        #expect(sent.count == 2)
        let a = try GatewayClient(Self.a)
        var parent = ""
        for message in sent {
            try a.storeWithBlob(message)
            let version = message.properties["rev"] ?? ""
            #expect(try a.push(proposing: [["att", version, parent]], sending: [message], serving: { try a.proveBlob(to: $0) }) == [])
            parent = version
        }
    }
}

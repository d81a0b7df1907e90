import BLIP
import DocumentStore
import Fleece
import ReplicationSimulation
import SQLiteEngine
import SyncCore
import Synchronization
import Testing

@testable import Replication

@Suite("Passive sessions with limited access")
struct LimitedAccessTests {
    /// A client that may read the documents without the property `secret`.
    private final class Rights: Sendable {
        let seesAll = Atomic(false)

        func options(likeSyncGateway: Bool = false) -> PassiveOptions {
            var options = PassiveOptions(collections: [.default])
            options.usesDeltas = true
            options.standsInForSyncGateway = likeSyncGateway
            options.checkpointPrefix = "sync:anna:"
            options.access = PassiveAccess(
                mayRead: { [self] in seesAll.load(ordering: .relaxed) || !Self.isSecret($1) },
                storing: { [self] _ in Storing(seesAll: seesAll.load(ordering: .relaxed)) },
                feed: { collection, _ in OpenFeed(try SubscriptionFeed(collection, Subscription())) }
            )
            return options
        }

        fileprivate static func isSecret(_ revision: FilteredRevision) -> Bool {
            revision.body.withRoot { $0.dictionary?.value(for: "secret", sharedKeys: revision.sharedKeys) != nil } ?? false
        }
    }

    private struct Storing: StoringRights {
        let seesAll: Bool
        let mayUseAllContent = false

        func mayStore(_ new: FilteredRevision, over current: FilteredRevision?) -> Bool {
            seesAll || !Rights.isSecret(new) && (current.map { !Rights.isSecret($0) } ?? true)
        }

        func tombstone(_ new: OwnedBody, over _: FilteredRevision) -> OwnedBody { new }
    }

    private let rights = Rights()
    private let digest = "sha1-ArH2IhJgRp/90GRqSAdAfa750BE="

    private func current(_ id: String, _ client: ScriptedClient) throws -> String? {
        try client.database.replica.collection(.default)?.change(of: id, remote: nil)?.revision.description
    }

    @Test("the content of a blob of a hidden document is neither sent nor proved", arguments: [false, true])
    func blobs(likeSyncGateway: Bool) throws {
        let client = try ScriptedClient(rights.options(likeSyncGateway: likeSyncGateway))
        let blob = try client.database.blob(Array("Hello, blob!".utf8))
        try client.database.save("hidden", #"{"secret":1,"note":\#(blob)}"#)
        try client.database.save("open", #"{"n":1}"#)
        let refusal = likeSyncGateway ? "HTTP/403" : "LiteCore/7"
        for id in ["hidden", "open", "none"] {
            #expect(client.ask("getAttachment", ["digest": digest, "docID": id]) == refusal)
            #expect(client.ask("proveAttachment", ["digest": digest, "docID": id], "nonce") == refusal)
        }
        #expect(client.ask("getAttachment", ["digest": digest]) == refusal)
    }

    @Test("a revision that refers to the blob of another document is stored only after the client has sent the content")
    func stolenBlob() throws {
        let client = try ScriptedClient(rights.options())
        let blob = try client.database.blob(Array("Hello, blob!".utf8))
        try client.database.save("hidden", #"{"secret":1,"note":\#(blob)}"#)
        let token = client.send("rev", ["id": "mine", "rev": "1-aa", "noconflicts": "1"], #"{"note":\#(blob)}"#)
        let request = try client.dequeueOne("getAttachment")
        #expect(request.properties["docID"] == "mine")
        client.respond(to: request, error: SyncError(.http, 404, "none"))
        #expect(client.summary(token) == "HTTP/404")
        #expect(try current("mine", client) == nil)
    }

    @Test("a delta is not applied to a revision that the client may not read")
    func deltaOfHiddenBase() throws {
        let client = try ScriptedClient(rights.options())
        try client.database.save("a", #"{"secret":"yes","n":1}"#)
        let base = try #require(try current("a", client))
        let properties: Properties = ["id": "a", "rev": "2-bb", "history": base, "deltaSrc": base, "noconflicts": "1"]
        #expect(client.ask("rev", properties, #"{"secret":[]}"#) == "HTTP/409")
        #expect(try current("a", client) == base)
    }

    @Test("a document that the client may not read anymore when it is requested is sent as removed", arguments: [false, true])
    func lostMeanwhile(isDelta: Bool) throws {
        let client = try ScriptedClient(rights.options())
        rights.seesAll.store(true, ordering: .relaxed)
        try client.database.save("a", #"{"secret":"the secret"}"#)
        client.ask("subChanges")
        let list = try #require(client.dequeue("changes").first)
        rights.seesAll.store(false, ordering: .relaxed)
        client.respond(to: list, isDelta ? ["deltas": "true", "blobs": "true"] : [:], "[[]]")
        let revision = try client.dequeueOne("rev")
        #expect(revision.text == #"{"_removed":true}"#)
        #expect(revision.properties["sequence"] == "1")
    }

    @Test("a damaged document in a list keeps the client from nothing else, and a revision of it is refused because it is damaged")
    func damaged() throws {
        let client = try ScriptedClient(rights.options())
        for id in ["a", "b"] { try client.database.save(id, #"{"n":1}"#) }
        let connection = try Connection(path: client.database.bundle + "/db.sqlite3", mode: .readWrite)
        try connection.execute("UPDATE kv_default SET version = x'00000000' WHERE key = 'a'")
        try connection.close()
        let answer = client.ask("proposeChanges", [:], #"[["a","2-bb","1-aa"],["b","2-cc","1-ff"]]"#)
        #expect(answer.hasSuffix(" [0,409]"), "\(answer)")
        let token = client.send("rev", ["id": "a", "rev": "2-bb", "history": "1-aa", "noconflicts": "1"], "{}")
        client.advance(by: .milliseconds(20))
        #expect(client.summary(token) == "LiteCore/5")
    }

    @Test("clients with different rights do not share checkpoints")
    func checkpoints() throws {
        let client = try ScriptedClient(rights.options(likeSyncGateway: true))
        #expect(client.ask("setCheckpoint", ["client": "cp"], #"{"remote":3}"#) == "RES rev=0-1")
        #expect(client.ask("getCheckpoint", ["client": "cp"]) == #"RES rev=0-1 {"remote":3}"#)
        var options = rights.options()
        options.checkpointPrefix = "sync:bert:"
        let other = ScriptedClient(of: client.database, options)
        #expect(other.ask("getCheckpoint", ["client": "cp"]) == "HTTP/404")
        #expect(other.ask("getCheckpoint", ["client": "sync:anna:cp"]) == "HTTP/404")
    }

    @Test("a body with a reserved property is refused by a session that stands in for Sync Gateway")
    func reserved() throws {
        let client = try ScriptedClient(rights.options(likeSyncGateway: true))
        for (body, answer) in [
            (#"{"_id":"x"}"#, "HTTP/404"), (#"{"a":1,"_rev":"1-x"}"#, "HTTP/404"), (#"{"_purged":true}"#, "HTTP/400"),
            (#"{"_foo":1,"a":{"_id":1}}"#, "RES"),
        ] {
            #expect(client.ask("rev", ["id": "d", "rev": "1-aa", "noconflicts": "1"], body) == answer, "\(body)")
        }
    }
}

import BLIP
import DocumentStore
import Foundation
import Replication
import ReplicationSimulation
import SyncCore
import Testing

@Suite("Passive puller")
struct PassivePullerTests {
    private let client: ScriptedClient

    init() throws {
        client = try ScriptedClient()
    }

    /// Sends a revision, and returns the answer.
    private func put(
        _ id: String,
        _ revision: String,
        history: String? = nil,
        deleted: Bool = false,
        noconflicts: Bool = true,
        _ body: String = #"{"v":1}"#,
        to client: ScriptedClient? = nil
    ) -> String {
        var properties: Properties = ["id": id, "rev": revision, "sequence": "1"]
        properties["history"] = history
        if deleted { properties["deleted"] = "1" }
        if noconflicts { properties["noconflicts"] = "1" }
        let client = client ?? self.client
        let token = client.send("rev", properties, body)
        // The revision may wait for other expected ones.
        client.advance(by: .milliseconds(20))
        return client.summary(of: client.reply(to: token))
    }

    private func current(_ id: String) throws -> String? {
        try client.database.collection().document(id, includingDeleted: true)?.revision.description
    }

    // MARK: Lists

    @Test("every proposal gets a status, and a conflict has the current revision if conflictIncludesRev is set")
    func proposals() throws {
        #expect(put("d", "1-aa") == "RES")
        let rows = #"[["new","1-aa"],["d","1-aa"],["d","1-cc",""],["other","1-aa","",20]]"#
        let abilities = "RES maxHistory=50 blobs=true "
        #expect(
            client.ask("proposeChanges", ["conflictIncludesRev": "true"], rows)
                == abilities + #"[0,304,{"status":409,"rev":"1-aa"}]"#
        )
        #expect(client.ask("proposeChanges", [:], rows) == abilities + "[0,304,409]")
        #expect(client.ask("proposeChanges", [:], #"[["d","2-bb","1-aa"]]"#) == abilities + "[]")
        #expect(
            client.ask("proposeChanges", [:], #"[["d","3-cc","2-bb"],["d","xyz"],["",  "1-aa"]]"#) == abilities
                + "[409,400,400]"
        )
    }

    @Test("a first revision proposed for a deleted document is accepted")
    func resurrection() throws {
        #expect(put("d", "1-aa") == "RES")
        #expect(put("d", "2-dd", history: "1-aa", deleted: true, "{}") == "RES")
        #expect(client.ask("proposeChanges", [:], #"[["d","1-ee",""]]"#).hasSuffix(" []"))
        #expect(put("d", "1-ee") == "RES")
        #expect(try client.database.json("d") == #"{"v":1}"#)
    }

    @Test("an empty proposeChanges message is answered")
    func emptyProposals() {
        #expect(client.ask("proposeChanges", [:], "[]") == "RES maxHistory=50 blobs=true []")
        #expect(client.reply(to: client.send("proposeChanges", [:], "[]", isNoReply: true)) == nil)
        #expect(client.ask("proposeChanges", [:], #"[["doc"#) == "HTTP/400")
    }

    @Test("the reply to proposeChanges offers deltas when deltas are enabled")
    func offersDeltas() throws {
        var options = PassiveOptions(collections: [.default])
        options.usesDeltas = true
        let client = ScriptedClient(of: client.database, options)
        #expect(client.ask("proposeChanges", [:], #"[["d","1-aa"]]"#) == "RES maxHistory=50 blobs=true deltas=true []")
    }

    @Test("a changes message with rows is refused in favor of proposeChanges")
    func changes() throws {
        let token = client.send("changes", [:], #"[[1,"d","1-aa"]]"#)
        #expect(client.reply(to: token)?.error == SyncError(.blip, 409, "Use 'proposeChanges' instead"))
        for body in ["[]", "null", ""] { #expect(client.ask("changes", [:], body) == "RES") }
        #expect(client.ask("changes", [:], "{") == "HTTP/400")
    }

    @Test("where conflicts are allowed, a changes message is answered with ancestors, or 409 for a conflict")
    func changesWithConflicts() throws {
        var options = PassiveOptions(collections: [.default])
        options.allowsConflicts = true
        let client = ScriptedClient(of: client.database, options)
        #expect(put("d", "1-aa", to: client) == "RES")
        #expect(
            client.ask(
                "changes",
                [:],
                #"[[1,"new","1-aa"],[2,"d","1-aa"],[3,"d","2-bb"],[4,"d","1-cc"],[5,"x","y-z"]]"#
            )
                == #"RES maxHistory=50 blobs=true [[],0,["1-aa"],409,400]"#
        )
        #expect(put("d", "1-cc", to: client) == "LiteCore/8")
        #expect(put("d", "1-cc", noconflicts: false, to: client) == "RES")
        #expect(try client.database.replica.collection(.default)?.conflictedDocuments() == ["d"])
    }

    @Test("a changes message of a Sync Gateway is answered where conflicts are not allowed, and a conflicting revision is refused")
    func changesOfGateway() throws {
        var options = PassiveOptions(collections: [.default])
        options.standsInForSyncGateway = true
        let client = ScriptedClient(of: client.database, options)
        #expect(put("d", "1-aa", to: client) == "RES")
        let rows = #"[[1,"new","1-aa"],[2,"d","1-aa"],[3,"d","2-bb"],[4,"d","1-cc"],[5,"x","y-z"]]"#
        #expect(client.ask("changes", [:], rows) == "HTTP/409")
        #expect(client.ask("changes", ["ignoreNoConflicts": "false"], rows) == "HTTP/409")
        let answer = client.ask("changes", ["ignoreNoConflicts": "true"], rows)
        #expect(answer == #"RES maxHistory=50 blobs=true [[],0,["1-aa"],[]]"#)
        #expect(put("d", "1-cc", to: client) == "HTTP/409")
        #expect(put("d", "2-bb", history: "1-aa", to: client) == "RES")
        #expect(try client.database.replica.collection(.default)?.conflictedDocuments() == [])
    }

    // MARK: Revisions

    @Test("new, repeated, conflicting, changed and deleted revisions of a document get the right replies")
    func life() throws {
        #expect(put("d", "1-aa") == "RES")
        #expect(put("d", "1-aa") == "RES")
        #expect(put("d", "1-cc") == "LiteCore/8")
        #expect(try current("d") == "1-aa")
        #expect(put("d", "2-bb", history: "1-aa") == "RES")
        #expect(put("d", "3-dd", history: "2-bb,1-aa", deleted: true, "{}") == "RES")
        #expect(try client.database.json("d") == nil)
        #expect(try current("d") == "3-dd")
    }

    @Test("a conflicting revision is refused even without the noconflicts property")
    func refusesConflicts() throws {
        #expect(put("d", "1-aa") == "RES")
        #expect(put("d", "1-cc", noconflicts: false) == "LiteCore/8")
        #expect(try client.database.replica.collection(.default)?.conflictedDocuments() == [])
    }

    @Test("a pushed revision history with gaps is served unchanged to a puller")
    func history() throws {
        #expect(put("d", "3-cc", history: "2-bb,1-aa") == "RES")
        #expect(put("d", "7-ff", history: "5-ee,3-cc,2-bb") == "RES")
        client.ask("subChanges")
        let list = try #require(client.dequeue("changes").first)
        client.respond(to: list, ["maxHistory": "50", "blobs": "true"], "[[]]")
        let rev = try #require(client.dequeue("rev").first)
        #expect(rev.properties["rev"] == "7-ff")
        #expect(rev.properties["history"] == "5-ee,3-cc,2-bb,1-aa")
    }

    @Test("the first revision of a document may be a tombstone")
    func firstTombstone() throws {
        #expect(put("d", "1-dd", deleted: true, "{}") == "RES")
        #expect(try current("d") == "1-dd")
    }

    @Test(
        "an invalid revision is refused, and other revisions are still stored",
        arguments: [
            (["rev": "1-aa"], "{}", "HTTP/400"), (["id": "d"], "{}", "HTTP/400"),
            (["id": "d", "rev": "xyz"], "{}", "HTTP/400"),
            (["id": "d", "rev": "1-aa", "history": "1-bb"], "{}", "LiteCore/4"),
            (["id": "d", "rev": "2-aa", "history": "nonsense"], "{}", "HTTP/400"),
            (["id": "_d", "rev": "1-aa"], "{}", "HTTP/400"),
            (["id": "d", "rev": "2-aa", "history": "1-zz", "deltaSrc": "1-zz"], "{}", "HTTP/400"),
            (["id": "d", "rev": "2-aa", "history": "1-bb", "deltaSrc": "1-bb"], "{}", "HTTP/409"),
        ] as [(Properties, String, String)]
    )
    func refused(properties: Properties, body: String, answer: String) throws {
        var properties = properties
        properties["noconflicts"] = "1"
        #expect(client.ask("rev", properties, body) == answer)
        #expect(put("other", "1-aa") == "RES")
        #expect(try client.database.collection().count() == 1)
    }

    @Test("a body that is not a JSON object is refused", arguments: ["[1,2]", "7", "{nope", "\"x\"", "null"])
    func badBody(body: String) throws {
        let answer = put("d", "1-aa", body)
        #expect(answer.hasPrefix("LiteCore/") || answer.hasPrefix("HTTP/"))
        #expect(try current("d") == nil)
    }

    @Test("top-level properties that begin with an underscore are not stored")
    func underscores() throws {
        #expect(put("d", "1-aa", #"{"_foo":1,"a":2}"#) == "RES")
        #expect(try client.database.json("d") == #"{"a":2}"#)
    }

    @Test("a revision that the client reports with norev is not expected any longer")
    func norev() throws {
        client.ask("proposeChanges", [:], #"[["a","1-aa"],["b","1-bb"]]"#)
        client.send("norev", ["id": "a", "rev": "1-aa", "sequence": "1", "error": "404"], isNoReply: true)
        #expect(put("b", "1-bb") == "RES")
        #expect(client.ask("rev", ["id": "c", "rev": "1-cc", "error": "500"]) == "RES")
        #expect(try client.database.collection().count() == 1)
    }

    @Test("expected revisions are stored in one batch and wait at most 20 milliseconds for each other")
    func batches() throws {
        let rows = (0..<3).map { #"["doc\#($0)","1-aa"]"# }.joined(separator: ",")
        client.ask("proposeChanges", [:], "[\(rows)]")
        let first = client.send("rev", ["id": "doc0", "rev": "1-aa", "noconflicts": "1"], "{}")
        #expect(client.reply(to: first) == nil)
        #expect(client.status.isBusy)
        let second = client.send("rev", ["id": "doc1", "rev": "1-aa", "noconflicts": "1"], "{}")
        #expect(client.reply(to: second) == nil)
        client.advance(by: .milliseconds(20))
        #expect(client.summary(of: client.reply(to: first)) == "RES")
        #expect(client.summary(of: client.reply(to: second)) == "RES")
        #expect(!client.status.isBusy)
        // The last revision has no others to wait for.
        #expect(client.ask("rev", ["id": "doc2", "rev": "1-aa", "noconflicts": "1"], "{}") == "RES")
    }

    @Test("document IDs may contain special and non-ASCII characters and have at most 240 bytes")
    func identifiers() throws {
        for suffix in ["-é☃", "-日本語", "-😀", "-a b", "-q?x=1&y#z", "-sl/ash", "-quo\"te\\"] {
            #expect(put("d" + suffix, "1-aa", #"{"n":[1.5,-1e30,123456789012345,true,null,{"ü":""}]}"#) == "RES")
            #expect(try client.database.json("d" + suffix) == #"{"n":[1.5,-1e+30,123456789012345,true,null,{"ü":""}]}"#)
        }
        #expect(put(String(repeating: "x", count: 240), "1-aa") == "RES")
        #expect(put(String(repeating: "x", count: 241), "1-aa") == "HTTP/400")
    }

    // MARK: Deltas and blobs

    @Test("a delta is applied to its base revision, and an invalid delta is answered with HTTP 422")
    func delta() throws {
        var options = PassiveOptions(collections: [.default])
        options.usesDeltas = true
        let client = ScriptedClient(of: client.database, options)
        #expect(put("d", "1-aa", #"{"a":1,"b":2}"#, to: client) == "RES")
        let properties: Properties = [
            "id": "d", "rev": "2-bb", "history": "1-aa", "deltaSrc": "1-aa", "noconflicts": "1",
        ]
        #expect(client.ask("rev", properties, #"{"a":["x",0,7]}"#) == "HTTP/422")
        #expect(client.ask("rev", properties, #"{"a":[]}"#) == "RES")
        #expect(try client.database.json("d") == #"{"b":2}"#)
    }

    @Test("a missing blob is fetched once, before its revision is acknowledged")
    func blobs() throws {
        let digest = "sha1-ArH2IhJgRp/90GRqSAdAfa750BE="
        let body = #"{"note":{"@type":"blob","content_type":"text/plain","digest":"\#(digest)","length":12}}"#
        let token = client.send("rev", ["id": "d", "rev": "1-aa", "noconflicts": "1"], body)
        let question = try #require(client.dequeue("getAttachment").first)
        #expect(question.properties["digest"] == digest)
        #expect(question.properties["docID"] == "d")
        #expect(client.reply(to: token) == nil)
        #expect(client.status.isBusy)
        client.respond(to: question, [:], "Hello, blob!")
        #expect(client.summary(of: client.reply(to: token)) == "RES")
        #expect(put("d", "2-bb", history: "1-aa", body) == "RES")
        #expect(put("other", "1-aa", body) == "RES")
        #expect(client.dequeue("getAttachment").isEmpty)
        #expect(client.ask("getAttachment", ["digest": digest, "docID": "d"]) == "RES Hello, blob!")
    }

    @Test("a revision whose blob is missing or corrupt is refused", arguments: ["wrong content", nil])
    func missingBlob(content: String?) throws {
        let body = #"{"note":{"@type":"blob","digest":"sha1-ArH2IhJgRp/90GRqSAdAfa750BE=","length":12}}"#
        let token = client.send("rev", ["id": "d", "rev": "1-aa", "noconflicts": "1"], body)
        let question = try #require(client.dequeue("getAttachment").first)
        if let content {
            client.respond(to: question, [:], content)
        } else {
            client.respond(to: question, error: SyncError(.http, 404, "none"))
        }
        #expect(client.reply(to: token)?.error != nil)
        #expect(try current("d") == nil)
        #expect(client.closure == nil)
        #expect(put("d", "1-aa") == "RES")
    }

    @Test("revisions are refused while too many revisions or bytes are pending", arguments: [(1, 1000), (50, 20)])
    func tooManyUnanswered(count: Int, size: Int) throws {
        var options = PassiveOptions(collections: [.default])
        options.maximumUnanswered = (count, size)
        let client = ScriptedClient(of: client.database, options)
        let digest = "sha1-ArH2IhJgRp/90GRqSAdAfa750BE="
        let body = #"{"note":{"@type":"blob","content_type":"text/plain","digest":"\#(digest)","length":12}}"#
        let token = client.send("rev", ["id": "waits", "rev": "1-aa", "noconflicts": "1"], body)
        #expect(put("d", "1-aa", to: client) == "HTTP/503")
        #expect(client.closure == nil && client.status.counts.refused == 1)
        client.respond(to: try #require(client.dequeue("getAttachment").first), [:], "Hello, blob!")
        #expect(client.summary(of: client.reply(to: token)) == "RES")
        #expect(put("d", "1-aa", to: client) == "RES")
    }

    @Test("a pushed document above the size limit is refused, and a local document may be larger")
    func tooLarge() throws {
        var options = PassiveOptions(collections: [.default])
        options.maximumDocumentSize = 10_000
        let client = ScriptedClient(of: client.database, options)
        func document(_ size: Int) -> String { #"{"text":""# + String(repeating: "x", count: size) + #""}"# }
        let (fits, long) = (document(9900), document(10_001))
        func put(_ id: String, _ body: String) -> String {
            client.ask("rev", ["id": id, "rev": "1-aa", "noconflicts": "1"], body)
        }
        #expect(put("long", long) == "HTTP/413")
        let token = client.send("rev", ["id": "longer", "rev": "1-aa"], long)
        #expect(client.reply(to: token)?.error == SyncError(.http, 413, "Document too large!"))
        #expect(client.status.counts.refused == 2)
        #expect(put("fits", fits) == "RES")
        #expect(try current("long") == nil && current("fits") != nil)
        try client.database.save("saved", long)
        #expect(try current("saved") != nil)
        #expect(client.closure == nil)
    }

    @Test("revisions pushed to one collection do not appear in another")
    func collections() throws {
        let ids = try ["a", "b"].map { try CollectionID(name: $0) }
        let client = try ScriptedClient(PassiveOptions(collections: ids))
        client.ask("getCollections", [:], #"{"checkpoint_ids":["p","q"],"collections":["b","a"]}"#)
        for (number, name) in ["b", "a"].enumerated() {
            let properties: Properties = [
                "collection": "\(number)", "id": "doc-\(name)", "rev": "1-aa", "noconflicts": "1",
            ]
            #expect(client.ask("rev", properties, #"{"in":"\#(name)"}"#) == "RES")
        }
        #expect(try client.database.json("doc-a", in: ids[0]) == #"{"in":"a"}"#)
        #expect(try client.database.json("doc-b", in: ids[1]) == #"{"in":"b"}"#)
        #expect(try client.database.json("doc-a", in: ids[1]) == nil)
    }
}

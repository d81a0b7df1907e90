import BLIP
import DocumentStore
import Foundation
import ReplicationSimulation
import SyncCore
import Testing

@testable import Replication

@Suite("Passive pusher")
struct PassivePusherTests {
    private let client: ScriptedClient

    init() throws {
        client = try ScriptedClient()
    }

    private func saveDocuments(_ count: Int) throws {
        for number in 0..<count { try client.database.save("doc\(number)", #"{"n":\#(number)}"#) }
    }

    /// Answers every list: requests all rows, or answers each row with `answer`.
    private func answerLists(_ properties: Properties = ["blobs": "true"], _ answer: (String) -> String = { _ in "[]" }) {
        while true {
            let lists = client.take("changes").filter { !$0.isNoReply }
            if lists.isEmpty { return }
            for list in lists {
                client.respond(to: list, properties, "[" + list.rows.map(answer).joined(separator: ",") + "]")
            }
        }
    }

    private func revision(_ id: String) throws -> String {
        try #require(try client.database.collection().document(id, includingDeleted: true)).revision.description
    }

    // MARK: Lists

    @Test("an empty feed is announced once by a message that expects no reply")
    func nothing() throws {
        #expect(client.ask("subChanges") == "RES")
        let lists = client.take("changes")
        #expect(lists.map(\.text) == ["[]"])
        #expect(lists.map(\.isNoReply) == [true])
        #expect(!client.status.isBusy)
    }

    @Test("unanswered lists and unacknowledged revisions count for the memory of the connection")
    func memoryOfChanges() throws {
        try saveDocuments(100)
        let session = Session.passive(client.database.replica, PassiveOptions(collections: [.default]))
        let memory = try #require(session.memory)
        let client = ScriptedPeer(session)
        client.ask("subChanges")
        let list = try #require(client.take("changes").first)
        let announced = memory.used
        client.respond(to: list, ["blobs": "true"], "[" + Array(repeating: "[]", count: 100).joined(separator: ",") + "]")
        let revisions = client.take("rev")
        #expect(revisions.count == 100)
        let sent = memory.used
        for revision in revisions { client.respond(to: revision) }
        #expect(announced - memory.used > 25_000 && sent - memory.used > 25_000)
    }

    @Test(
        "one list at a time is unanswered while the connection, or all connections together, are short of memory",
        arguments: [false, true]
    )
    func shortMemory(ofAll: Bool) throws {
        try saveDocuments(20)
        var blip = BLIPOptions()
        let budget = MemoryBudget(limit: 8 << 20)
        let other = MemoryAccount(budget, limit: .max)
        if ofAll {
            blip.memoryBudget = budget
            try other.reserve(5 << 20)
        } else {
            // The decompressor takes more than half of it.
            blip.maximumMemory = 200_000
        }
        let client = ScriptedPeer(Session.passive(client.database.replica, PassiveOptions(collections: [.default]), blip: blip))
        client.ask("subChanges", ["batch": "5"])
        for _ in 0..<4 {
            let lists = client.take("changes")
            #expect(lists.map(\.rows.count) == [5])
            client.respond(to: try #require(lists.first), ["blobs": "true"], "[[],[],[],[],[]]")
            let revisions = client.take("rev")
            #expect(revisions.count == 5)
            for revision in revisions { client.respond(to: revision) }
        }
        #expect(client.take("changes").map(\.text) == ["[]"] && client.closure == nil)
        #expect(other.used == (ofAll ? 5 << 20 : 0))
    }

    @Test("the selected documents of a subscription count for the memory of the connection")
    func memoryOfSubscription() throws {
        let session = Session.passive(client.database.replica, PassiveOptions(collections: [.default]))
        let memory = try #require(session.memory)
        let client = ScriptedPeer(session)
        let before = memory.used
        let ids = (0..<5000).map { "\"document \($0)\"" }.joined(separator: ",")
        #expect(client.ask("subChanges", ["continuous": "true"], #"{"docIDs":[\#(ids)]}"#) == "RES")
        #expect(memory.used - before > 5000 * 128)
        client.disconnect(ChannelClosure(code: 1000, isByPeer: true))
        #expect(memory.used < 5000 * 128)
    }

    @Test("revisions that were in flight when a client ended its subscription take no room from those of the next one")
    func subscribedAgain() throws {
        var options = PassiveOptions(collections: [.default])
        options.standsInForSyncGateway = true
        let client = try ScriptedClient(options)
        let text = String(repeating: "x", count: 20_000)
        for number in 0..<20 { try client.database.save("doc\(number)", #"{"s":"\#(text)"}"#) }
        let counts = try (0..<2).map { _ in
            client.ask("subChanges", ["continuous": "true"])
            let list = try #require(client.take("changes").first { !$0.isNoReply })
            client.respond(to: list, ["blobs": "true"], "[" + Array(repeating: "[]", count: 20).joined(separator: ",") + "]")
            let revisions = client.take("rev")
            #expect(client.ask("unsubChanges") == "RES")
            for revision in revisions { client.respond(to: revision) }
            return revisions.count
        }
        #expect(counts[0] == 10 && counts[1] >= 10)
    }

    @Test("a changes message lists sequence, revision and size, and a flag for tombstones")
    func rows() throws {
        try saveDocuments(2)
        try client.database.delete("doc0")
        client.ask("subChanges")
        let list = try #require(client.take("changes").first)
        #expect(list.isUrgent)
        #expect(!list.isNoReply)
        let rows = list.rows
        try #require(rows.count == 2)
        #expect(rows[0].hasPrefix(#"2,"doc1","\#(try revision("doc1"))",false,"#))
        #expect(rows[1].hasPrefix(#"3,"doc0","\#(try revision("doc0"))",true"#))
    }

    @Test("changes messages have the requested batch size, and at most five are unanswered")
    func batches() throws {
        try saveDocuments(45)
        client.ask("subChanges", ["batch": "5"])
        let lists = client.take("changes")
        #expect(lists.map(\.rows.count) == [5, 5, 5, 5, 5])
        client.respond(to: lists[0], [:], "[]")
        #expect(client.take("changes").map(\.rows.count) == [5])
        for list in lists.dropFirst() { client.respond(to: list, [:], "[]") }
        let more = client.take("changes")
        #expect(more.map(\.rows.count) == [5, 5, 5])
        #expect(!more.contains { $0.isNoReply })
    }

    /// A feed that returns a few changes at a time, because others between them are not for the client.
    private struct ShortFeed: PassiveFeed {
        var feed: ChangesFeed

        mutating func next() throws -> PassiveSlice {
            let slice = try feed.next()
            let changes = slice.changes.map { AnnouncedChange($0) }
            return PassiveSlice(changes: changes, examinedCount: slice.examinedCount + 2, isEnd: slice.isEnd)
        }
    }

    @Test("a session that stands in for Sync Gateway sends full lists, except for the last one, also if the feed returns fewer changes")
    func fullLists() throws {
        var options = PassiveOptions(collections: [.default])
        options.standsInForSyncGateway = true
        options.access = PassiveAccess(
            mayRead: { _, _ in true },
            mayStore: { _, _, _ in true },
            tombstone: { _, new, _ in OwnedBody(new.body, keys: new.sharedKeys) },
            feed: { collection, _ in
                var subscription = Subscription()
                subscription.batchSize = 3
                return ShortFeed(feed: try ChangesFeed(collection, subscription))
            }
        )
        let client = try ScriptedClient(options)
        for number in 0..<19 { try client.database.save("doc\(number)", "{}") }
        client.ask("subChanges", ["batch": "8", "continuous": "true"])
        let lists = client.take("changes")
        #expect(lists.map(\.rows.count) == [8, 8, 3])
        for list in lists { client.respond(to: list, [:], "[]") }
        #expect(client.take("changes").map(\.text) == ["null"])
        try client.database.save("later", "{}")
        client.tell(.databaseChanged([.default]))
        #expect(client.take("changes").map(\.rows.count) == [1])
    }

    @Test("a short changes message does not overtake a long one")
    func order() throws {
        let padding = String(repeating: "x", count: 200)
        for number in 0..<401 { try client.database.save("\(padding)\(number)", "{}") }
        client.ask("subChanges")
        #expect(client.take("changes").map { Int($0.rows[0].prefix { $0 != "," }) } == [1, 201, 401])
    }

    @Test("the end of the feed is announced after the last changes message is answered, even with an error")
    func caughtUp() throws {
        try saveDocuments(3)
        client.ask("subChanges")
        let list = try #require(client.take("changes").first)
        #expect(client.take("changes").isEmpty)
        client.respond(to: list, error: SyncError(.http, 500, "no"))
        #expect(client.take("changes").map(\.text) == ["[]"])
        #expect(client.take("rev").isEmpty)
        #expect(client.ask("getCheckpoint", ["client": "x"]) == "HTTP/404")
    }

    @Test("a subscription to 450 of 500 documents gets batches of 200, 200 and 50 rows")
    func chosenBatches() throws {
        try client.database.file.transaction { _ in try saveDocuments(500) }
        let ids = (0..<450).map { "\"doc\($0)\"" }.joined(separator: ",")
        client.ask("subChanges", ["batch": "200"], #"{"docIDs":[\#(ids)]}"#)
        let lists = client.take("changes")
        #expect(lists.map(\.rows.count) == [200, 200, 50])
        for list in lists { client.respond(to: list) }
        #expect(client.take("changes").map(\.text) == ["[]"])
    }

    @Test("a subscription returns only the changes after its since sequence")
    func since() throws {
        try saveDocuments(2)
        client.ask("subChanges", ["since": "2"])
        #expect(client.take("changes").map(\.text) == ["[]"])
        client.ask("subChanges", ["since": "1"])
        #expect(client.take("changes").flatMap(\.rows).count == 1)
    }

    @Test("a since sequence above the last sequence restarts the feed from the beginning")
    func sinceLater() throws {
        try saveDocuments(2)
        client.ask("subChanges", ["since": "17"])
        #expect(client.take("changes").flatMap(\.rows).count == 2)
    }

    @Test("a subscription with activeOnly gets no tombstones in its first changes message")
    func activeOnly() throws {
        try saveDocuments(3)
        try client.database.delete("doc1")
        client.ask("subChanges", ["activeOnly": "true", "continuous": "true"])
        #expect(client.take("changes").flatMap(\.rows).count == 2)
        // Not yet: the first list has not been answered, although everything has been read.
        try client.database.delete("doc2")
        client.tell(.databaseChanged([.default]))
        answerLists()
        let later = client.take("changes")
        #expect(later.isEmpty || later.allSatisfy { $0.text == "[]" })
    }

    @Test("a feed of unwanted tombstones is read in parts and still ends with an empty changes message")
    func manyTombstones() throws {
        try client.database.file.transaction { _ in
            try saveDocuments(2500)
            for number in 0..<2499 { try client.database.delete("doc\(number)") }
        }
        client.ask("subChanges", ["activeOnly": "true"])
        let lists = client.take("changes")
        #expect(lists.map(\.rows.count) == [1])
        for list in lists { client.respond(to: list, [:], "[]") }
        // The rest of the feed has not been read.
        #expect(client.status.isBusy && client.take("changes").isEmpty)
        client.advance(by: .zero)
        #expect(client.take("changes").map(\.text) == ["[]"])
    }

    @Test("a continuous subscription to chosen documents gets only changes of those documents")
    func continuousChosen() throws {
        try saveDocuments(3)
        client.ask("subChanges", ["continuous": "true"], #"{"docIDs":["doc1","doc7"]}"#)
        answerLists()
        _ = client.take("rev").map { client.respond(to: $0) }
        _ = client.take("changes")
        for id in ["doc0", "doc1", "doc7"] { try client.database.save(id, "{}") }
        client.tell(.databaseChanged([.default]))
        let rows = client.take("changes").flatMap(\.rows)
        #expect(rows.count == 2)
        #expect(rows[0].contains("doc1"))
        #expect(rows[1].contains("doc7"))
    }

    @Test("a one-shot subscription is not notified of later changes")
    func oneShot() throws {
        try saveDocuments(1)
        client.ask("subChanges")
        answerLists { _ in "0" }
        _ = client.take("changes")
        try client.database.save("later", "{}")
        client.tell(.databaseChanged([.default]))
        #expect(client.take("changes").isEmpty)
        #expect(!client.status.isBusy)
    }

    @Test("a continuous subscription has at most one unanswered changes message after the initial feed")
    func continuous() throws {
        client.ask("subChanges", ["continuous": "true"])
        #expect(client.take("changes").map(\.text) == ["[]"])
        #expect(!client.status.isBusy)
        try client.database.save("a", "{}")
        client.tell(.databaseChanged([.default]))
        let list = try #require(client.take("changes").first)
        #expect(list.rows.count == 1)
        #expect(client.status.isBusy)
        for id in ["b", "c"] {
            try client.database.save(id, "{}")
            client.tell(.databaseChanged([.default]))
        }
        #expect(client.take("changes").isEmpty)
        client.respond(to: list, [:], "[0]")
        let next = try #require(client.take("changes").first)
        #expect(next.rows.count == 2)
        client.respond(to: next, [:], "[0,0]")
        #expect(!client.status.isBusy)
    }

    @Test("a second subChanges is refused while a subscription is active")
    func twice() throws {
        try saveDocuments(1)
        client.ask("subChanges")
        #expect(client.ask("subChanges") == "LiteCore/501")
        answerLists { _ in "0" }
        _ = client.take("changes")
        #expect(client.ask("subChanges", ["continuous": "true"]) == "RES")
        answerLists { _ in "0" }
        #expect(client.ask("subChanges") == "LiteCore/501")
    }

    @Test("a refused subscription does not block a later subscription")
    func refused() throws {
        #expect(client.ask("subChanges", ["filter": "what"]) == "LiteCore/19")
        #expect(client.ask("subChanges", ["since": "garbage"]) == "HTTP/400")
        #expect(client.ask("subChanges", ["versioning": "version-vectors"]) == "LiteCore/501")
        #expect(client.ask("subChanges") == "RES")
    }

    @Test("the reply to subChanges contains the last sequence when the client requests it")
    func lastSequence() throws {
        for number in 1...3 { try client.database.save("doc\(number)", "{}") }
        #expect(client.ask("subChanges", ["lastSequence": "true"]) == "RES lastSequence=3")
    }

    // MARK: Revisions

    @Test("a requested revision is sent with the sequence of its row and expects a reply")
    func rev() throws {
        try saveDocuments(1)
        client.ask("subChanges")
        answerLists()
        let rev = try #require(client.take("rev").first)
        #expect(
            rev.properties
                == ["Profile": "rev", "id": "doc0", "rev": try revision("doc0"), "sequence": "1"]
        )
        #expect(rev.text == #"{"n":0}"#)
        #expect(!rev.isNoReply)
        #expect(client.status.isBusy)
        client.respond(to: rev)
        #expect(!client.status.isBusy)
    }

    @Test("a tombstone is sent with the deleted flag and an empty body")
    func tombstone() throws {
        try saveDocuments(1)
        try client.database.delete("doc0")
        client.ask("subChanges")
        answerLists()
        let rev = try #require(client.take("rev").first)
        #expect(rev.properties["deleted"] == "1")
        #expect(rev.text == "{}")
    }

    @Test("a revision history ends at a known revision or at the client's maximum")
    func history() throws {
        var revisions: [String] = []
        for number in 1...5 {
            try client.database.save("a", #"{"n":\#(number)}"#)
            revisions.append(try revision("a"))
        }
        for (properties, known, expected) in [
            (["blobs": "true"], "[]", [3, 2, 1, 0]), (["blobs": "true"], #"["\#(revisions[2])"]"#, [3, 2]),
            (["blobs": "true", "maxHistory": "3"], "[]", [3, 2]), (["maxHistory": "1"], "[]", []),
        ] as [(Properties, String, [Int])] {
            client.ask("subChanges")
            answerLists(properties) { _ in known }
            let rev = try #require(client.take("rev").first)
            let history = expected.map { revisions[$0] }.joined(separator: ",")
            #expect(rev.properties["history"] == (expected.isEmpty ? nil : history))
            client.respond(to: rev)
            _ = client.take("changes")
        }
    }

    @Test(
        "revisions that the client does not request are not sent",
        arguments: ["[0,0,0]", "[]", "[null,0]", "[409,403,500]", "", "null", "{}", "[["]
    )
    func unwanted(answer: String) throws {
        try saveDocuments(3)
        client.ask("subChanges")
        client.respond(to: try #require(client.take("changes").first), [:], answer)
        #expect(client.take("rev").isEmpty)
        #expect(client.take("changes").map(\.text) == ["[]"])
    }

    @Test("a requested revision that is replaced or purged is answered with norev")
    func norev() throws {
        try saveDocuments(3)
        let old = try revision("doc0")
        client.ask("subChanges", ["continuous": "true"])
        try client.database.save("doc0", "{}")
        let collection = try client.database.collection()
        _ = try client.database.file.transaction { try collection.purge("doc1", in: $0) }
        client.tell(.databaseChanged([.default]))
        let lists = client.take("changes")
        // The newer revision has a row of its own.
        #expect(lists.map(\.rows.count) == [3, 1])
        #expect(lists[1].rows[0].hasPrefix("4,\"doc0\""))
        client.respond(to: lists[0], [:], "[[],[],[]]")
        let missing = client.take("norev")
        #expect(missing.allSatisfy { $0.isNoReply })
        #expect(missing.map { $0.properties["id"] } == ["doc0", "doc1"])
        #expect(missing.map { $0.properties["rev"] }.first == old)
        #expect(missing.map { $0.properties["sequence"] } == ["1", "2"])
        #expect(missing.map { $0.properties["error"] } == ["410", "404"])
        #expect(client.take("rev").map { $0.properties["id"] } == ["doc2"])
    }

    @Test("unanswered revisions are limited by the send window")
    func backPressure() throws {
        let body = String(repeating: "x", count: 10_000)
        try client.database.file.transaction { _ in
            for number in 0..<1000 { try client.database.save("doc\(number)", #"{"s":"\#(body)"}"#) }
        }
        client.ask("subChanges")
        answerLists()
        var revisions = client.take("rev")
        #expect((10...30).contains(revisions.count))
        var total = revisions.count
        while !revisions.isEmpty {
            for revision in revisions { client.respond(to: revision) }
            answerLists()
            revisions = client.take("rev")
            total += revisions.count
        }
        #expect(total == 1000)
    }

    // MARK: Deltas and blobs

    @Test("deltas are sent when both sides support them, and the full body follows a rejected delta")
    func delta() throws {
        var options = PassiveOptions(collections: [.default])
        options.usesDeltas = true
        let client = ScriptedClient(of: client.database, options)
        let text = String(repeating: "long ", count: 100)
        try client.database.save("a", #"{"n":1,"s":"\#(text)"}"#)
        let base = try revision("a")
        // The bodies of revisions that a remote has are kept.
        let known = try #require(RevisionID(base))
        try client.database.replica.collection(.default)?.markSynced([("a", known)], remote: 1)
        try client.database.save("a", #"{"n":2,"s":"\#(text)"}"#)
        client.ask("subChanges")
        let list = try #require(client.take("changes").first)
        client.respond(to: list, ["deltas": "true", "blobs": "true"], #"[["\#(base)"]]"#)
        let delta = try #require(client.take("rev").first)
        #expect(delta.properties["deltaSrc"] == base)
        #expect(delta.text == #"{"n":2}"#)
        client.respond(to: delta, error: SyncError(.http, 422, "what base?"))
        let whole = try #require(client.take("rev").first)
        #expect(whole.properties["deltaSrc"] == nil)
        #expect(whole.properties["sequence"] == delta.properties["sequence"])
        #expect(whole.text.hasPrefix(#"{"n":2,"s":"long "#))
        client.respond(to: whole, error: SyncError(.http, 422, "still"))
        #expect(client.take("rev").isEmpty)
        #expect(!client.status.isBusy)
    }

    @Test("the full body is sent when deltas are disabled locally")
    func noDelta() throws {
        let text = String(repeating: "long ", count: 100)
        try client.database.save("a", #"{"n":1,"s":"\#(text)"}"#)
        let base = try revision("a")
        try client.database.save("a", #"{"n":2,"s":"\#(text)"}"#)
        client.ask("subChanges")
        answerLists(["deltas": "true", "blobs": "true"]) { _ in #"["\#(base)"]"# }
        #expect(client.take("rev").map { $0.properties["deltaSrc"] } == [nil])
    }

    @Test("a client can fetch a blob before and after its revision is acknowledged")
    func blobs() throws {
        let blob = try client.database.blob(Array("Hello, blob!".utf8))
        try client.database.save("a", #"{"note":\#(blob)}"#)
        client.ask("subChanges")
        answerLists()
        let rev = try #require(client.take("rev").first)
        #expect(!rev.text.contains("_attachments"))
        let digest = "sha1-ArH2IhJgRp/90GRqSAdAfa750BE="
        #expect(client.ask("getAttachment", ["digest": digest, "docID": "a", "compress": "true"]) == "RES Hello, blob!")
        client.respond(to: rev)
        #expect(client.ask("getAttachment", ["digest": digest]) == "RES Hello, blob!")
        #expect(client.ask("getAttachment", ["digest": "sha1-9Z8YoI6cEYJ3rZlV3gTCG+NAG90="]) == "LiteCore/7")
        #expect(client.ask("getAttachment", ["digest": "sha1-x"]) == "LiteCore/9")
        let nonce = String(decoding: (0..<20).map { UInt8($0) }, as: UTF8.self)
        #expect(client.ask("proveAttachment", ["digest": digest], nonce) == "RES sha1-9Z8YoI6cEYJ3rZlV3gTCG+NAG90=")
    }

    @Test("a client that has refused a revision can fetch its blobs only by the document that has them")
    func blobsOfRefused() throws {
        let blob = try client.database.blob(Array("Hello, blob!".utf8))
        try client.database.save("a", #"{"note":\#(blob)}"#)
        client.ask("subChanges")
        answerLists()
        client.respond(to: try #require(client.take("rev").first), error: SyncError(.http, 403, "no"))
        let digest = "sha1-ArH2IhJgRp/90GRqSAdAfa750BE="
        #expect(client.ask("getAttachment", ["digest": digest]) == "LiteCore/7")
        #expect(client.ask("getAttachment", ["digest": digest, "docID": "a"]) == "RES Hello, blob!")
        try client.database.save("a", "{}")
        #expect(client.ask("getAttachment", ["digest": digest, "docID": "a"]) == "LiteCore/7")
    }

    @Test("a client cannot fetch blobs of unserved collections, nor blobs that its document does not refer to")
    func foreignBlobs() throws {
        let hidden = try CollectionID(name: "hidden")
        _ = try client.database.collection(hidden)
        let secret = try client.database.blob(Array("secret".utf8))
        let open = try client.database.blob(Array("Hello, blob!".utf8))
        try client.database.save("a", #"{"note":\#(secret)}"#, in: hidden)
        try client.database.save("b", #"{"note":\#(open)}"#)
        let (secretDigest, openDigest) = (BlobDigest(of: Array("secret".utf8)), BlobDigest(of: Array("Hello, blob!".utf8)))
        for profile in ["getAttachment", "proveAttachment"] {
            #expect(client.ask(profile, ["digest": secretDigest.string], "n") == "LiteCore/7")
            #expect(client.ask(profile, ["digest": secretDigest.string, "docID": "a"], "n") == "LiteCore/7")
            #expect(client.ask(profile, ["digest": secretDigest.string, "docID": "b"], "n") == "LiteCore/7")
            #expect(client.ask(profile, ["digest": openDigest.string], "n") == "LiteCore/7")
            #expect(client.ask(profile, ["digest": openDigest.string, "docID": "b"], "n").hasPrefix("RES"))
        }
    }

    @Test("a client without the blobs ability receives _attachments entries")
    func attachments() throws {
        let blob = try client.database.blob(Array("Hello, blob!".utf8))
        try client.database.save("a", #"{"note":\#(blob)}"#)
        client.ask("subChanges")
        answerLists([:])
        let rev = try #require(client.take("rev").first)
        #expect(rev.text.contains(#""_attachments":{"blob_/note":"#))
    }

    // MARK: Collections

    @Test("every message contains its collection index")
    func collections() throws {
        let names = ["a", "b"]
        let ids = try names.map { try CollectionID(name: $0) }
        let client = try ScriptedClient(PassiveOptions(collections: ids))
        for id in ids { try client.database.save("doc", #"{"in":"\#(id.name)"}"#, in: id) }
        client.ask("getCollections", [:], #"{"checkpoint_ids":["p","q"],"collections":["b","a"]}"#)
        client.ask("subChanges", ["collection": "1"])
        client.ask("subChanges", ["collection": "0"])
        let lists = client.take("changes")
        #expect(lists.map { $0.properties["collection"] } == ["1", "0"])
        for list in lists { client.respond(to: list, ["blobs": "true"], "[[]]") }
        let revisions = client.take("rev")
        #expect(revisions.map { $0.properties["collection"] } == ["1", "0"])
        #expect(revisions.map(\.text) == [#"{"in":"a"}"#, #"{"in":"b"}"#])
        #expect(client.take("changes").map { $0.properties["collection"] }.sorted { $0! < $1! } == ["0", "1"])
    }
}

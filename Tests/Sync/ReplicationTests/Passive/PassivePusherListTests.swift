import BLIP
import DocumentStore
import ReplicationSimulation
import SyncCore
import Testing

@testable import Replication

@Suite("Lists of changes for clients")
struct PassivePusherListTests {
    private let client: ScriptedClient

    init() throws {
        client = try ScriptedClient()
    }

    @Test("an empty feed is announced once by a message that expects no reply")
    func nothing() throws {
        #expect(client.ask("subChanges") == "RES")
        let lists = client.dequeue("changes")
        #expect(lists.map(\.text) == ["[]"])
        #expect(lists.map(\.isNoReply) == [true])
        #expect(!client.status.isBusy)
    }

    @Test("each changes message to a Sync Gateway says that it may be sent", arguments: [true, false])
    func gateway(isGateway: Bool) throws {
        try client.saveDocuments(1)
        var options = PassiveOptions(collections: [.default])
        options.standsInForSyncGateway = true
        options.isForSyncGateway = isGateway
        let client = ScriptedClient(of: client.database, options)
        client.ask("subChanges")
        let list = try #require(client.dequeue("changes").first)
        client.respond(to: list, [:], "[0]")
        let end = try #require(client.dequeue("changes").first)
        #expect(end.text == "null")
        #expect([list, end].map { $0.properties["ignoreNoConflicts"] } == (isGateway ? ["true", "true"] : [nil, nil]))
    }

    @Test("a changes message lists sequence, revision and size, and a flag for tombstones")
    func rows() throws {
        try client.saveDocuments(2)
        try client.database.delete("doc0")
        client.ask("subChanges")
        let list = try #require(client.dequeue("changes").first)
        #expect(list.isUrgent)
        #expect(!list.isNoReply)
        let rows = list.rows
        try #require(rows.count == 2)
        #expect(rows[0].hasPrefix(#"2,"doc1","\#(try client.revision("doc1"))",false,"#))
        #expect(rows[1].hasPrefix(#"3,"doc0","\#(try client.revision("doc0"))",true"#))
    }

    @Test("changes messages have the requested batch size, and at most five are unanswered")
    func batches() throws {
        try client.saveDocuments(45)
        client.ask("subChanges", ["batch": "5"])
        let lists = client.dequeue("changes")
        #expect(lists.map(\.rows.count) == [5, 5, 5, 5, 5])
        client.respond(to: lists[0], [:], "[]")
        #expect(client.dequeue("changes").map(\.rows.count) == [5])
        for list in lists.dropFirst() { client.respond(to: list, [:], "[]") }
        let more = client.dequeue("changes")
        #expect(more.map(\.rows.count) == [5, 5, 5])
        #expect(!more.contains { $0.isNoReply })
    }

    /// A feed that returns a few changes at a time, because others between them are not for the client.
    private struct AllRights: StoringRights {
        let mayUseAllContent = true

        func mayStore(_: FilteredRevision, over _: FilteredRevision?) -> Bool { true }

        func tombstone(_ new: OwnedBody, over _: FilteredRevision) -> OwnedBody { new }
    }

    private struct ShortFeed: PassiveFeed {
        var feed: SubscriptionFeed

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
            storing: { _ in AllRights() },
            feed: { collection, _ in
                var subscription = Subscription()
                subscription.batchSize = 3
                return ShortFeed(feed: try SubscriptionFeed(collection, subscription))
            }
        )
        let client = try ScriptedClient(options)
        for number in 0..<19 { try client.database.save("doc\(number)", "{}") }
        client.ask("subChanges", ["batch": "8", "continuous": "true"])
        let lists = client.dequeue("changes")
        #expect(lists.map(\.rows.count) == [8, 8, 3])
        for list in lists { client.respond(to: list, [:], "[]") }
        #expect(client.dequeue("changes").map(\.text) == ["null"])
        try client.database.save("later", "{}")
        client.tell(.databaseChanged([.default]))
        #expect(client.dequeue("changes").map(\.rows.count) == [1])
    }

    @Test("a short changes message does not overtake a long one")
    func order() throws {
        let padding = String(repeating: "x", count: 200)
        for number in 0..<401 { try client.database.save("\(padding)\(number)", "{}") }
        client.ask("subChanges")
        #expect(client.dequeue("changes").map { Int($0.rows[0].prefix { $0 != "," }) } == [1, 201, 401])
    }

    @Test("the end of the feed is announced after the last changes message is answered, even with an error")
    func caughtUp() throws {
        try client.saveDocuments(3)
        client.ask("subChanges")
        let list = try #require(client.dequeue("changes").first)
        #expect(client.dequeue("changes").isEmpty)
        client.respond(to: list, error: SyncError(.http, 500, "no"))
        #expect(client.dequeue("changes").map(\.text) == ["[]"])
        #expect(client.dequeue("rev").isEmpty)
        #expect(client.ask("getCheckpoint", ["client": "x"]) == "HTTP/404")
    }

    @Test("a subscription to 450 of 500 documents gets batches of 200, 200 and 50 rows")
    func chosenBatches() throws {
        try client.database.file.transaction { _ in try client.saveDocuments(500) }
        let ids = (0..<450).map { "\"doc\($0)\"" }.joined(separator: ",")
        client.ask("subChanges", ["batch": "200"], #"{"docIDs":[\#(ids)]}"#)
        let lists = client.dequeue("changes")
        #expect(lists.map(\.rows.count) == [200, 200, 50])
        for list in lists { client.respond(to: list) }
        #expect(client.dequeue("changes").map(\.text) == ["[]"])
    }

    @Test("a feed of unwanted tombstones is read in parts and still ends with an empty changes message")
    func manyTombstones() throws {
        try client.database.file.transaction { _ in
            try client.saveDocuments(2500)
            for number in 0..<2499 { try client.database.delete("doc\(number)") }
        }
        client.ask("subChanges", ["activeOnly": "true"])
        let lists = client.dequeue("changes")
        #expect(lists.map(\.rows.count) == [1])
        for list in lists { client.respond(to: list, [:], "[]") }
        // The rest of the feed has not been read.
        #expect(client.status.isBusy && client.dequeue("changes").isEmpty)
        client.advance(by: .zero)
        #expect(client.dequeue("changes").map(\.text) == ["[]"])
    }

    @Test("every message contains its collection index")
    func collections() throws {
        let names = ["a", "b"]
        let ids = try names.map { try CollectionID(name: $0) }
        let client = try ScriptedClient(PassiveOptions(collections: ids))
        for id in ids { try client.database.save("doc", #"{"in":"\#(id.name)"}"#, in: id) }
        client.ask("getCollections", [:], #"{"checkpoint_ids":["p","q"],"collections":["b","a"]}"#)
        client.ask("subChanges", ["collection": "1"])
        client.ask("subChanges", ["collection": "0"])
        let lists = client.dequeue("changes")
        #expect(lists.map { $0.properties["collection"] } == ["1", "0"])
        for list in lists { client.respond(to: list, ["blobs": "true"], "[[]]") }
        let revisions = client.dequeue("rev")
        #expect(revisions.map { $0.properties["collection"] } == ["1", "0"])
        #expect(revisions.map(\.text) == [#"{"in":"a"}"#, #"{"in":"b"}"#])
        #expect(client.dequeue("changes").map { $0.properties["collection"] }.sorted { $0! < $1! } == ["0", "1"])
    }
}

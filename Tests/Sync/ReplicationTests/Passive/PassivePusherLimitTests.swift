import BLIP
import DocumentStore
import ReplicationSimulation
import SyncCore
import Testing

@testable import Replication

@Suite("Limits for what is sent to clients")
struct PassivePusherLimitTests {
    private let client: ScriptedClient

    init() throws {
        client = try ScriptedClient()
    }

    @Test("unanswered lists and unacknowledged revisions count for the memory of the connection")
    func memoryOfChanges() throws {
        try client.saveDocuments(100)
        let session = Session.passive(client.database.replica, PassiveOptions(collections: [.default]))
        let memory = try #require(session.memory)
        let client = ScriptedPeer(session)
        client.ask("subChanges")
        let list = try #require(client.dequeue("changes").first)
        let announced = memory.used
        client.respond(to: list, ["blobs": "true"], "[" + Array(repeating: "[]", count: 100).joined(separator: ",") + "]")
        let revisions = client.dequeue("rev")
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
        try client.saveDocuments(20)
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
            let lists = client.dequeue("changes")
            #expect(lists.map(\.rows.count) == [5])
            client.respond(to: try #require(lists.first), ["blobs": "true"], "[[],[],[],[],[]]")
            let revisions = client.dequeue("rev")
            #expect(revisions.count == 5)
            for revision in revisions { client.respond(to: revision) }
        }
        #expect(client.dequeue("changes").map(\.text) == ["[]"] && client.closure == nil)
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
            let list = try #require(client.dequeue("changes").first { !$0.isNoReply })
            client.respond(to: list, ["blobs": "true"], "[" + Array(repeating: "[]", count: 20).joined(separator: ",") + "]")
            let revisions = client.dequeue("rev")
            #expect(client.ask("unsubChanges") == "RES")
            for revision in revisions { client.respond(to: revision) }
            return revisions.count
        }
        #expect(counts[0] == 10 && counts[1] >= 10)
    }

    @Test("unanswered revisions are limited by the send window")
    func backPressure() throws {
        let body = String(repeating: "x", count: 10_000)
        try client.database.file.transaction { _ in
            for number in 0..<1000 { try client.database.save("doc\(number)", #"{"s":"\#(body)"}"#) }
        }
        var revisions = client.pull()
        #expect((10...30).contains(revisions.count))
        var total = revisions.count
        while !revisions.isEmpty {
            for revision in revisions { client.respond(to: revision) }
            client.answerLists()
            revisions = client.dequeue("rev")
            total += revisions.count
        }
        #expect(total == 1000)
    }
}

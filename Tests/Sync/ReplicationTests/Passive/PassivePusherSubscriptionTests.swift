import BLIP
import DocumentStore
import ReplicationSimulation
import Testing

@testable import Replication

@Suite("Subscriptions of clients")
struct PassivePusherSubscriptionTests {
    private let client: ScriptedClient

    init() throws {
        client = try ScriptedClient()
    }

    @Test("a subscription returns only the changes after its since sequence")
    func since() throws {
        try client.saveDocuments(2)
        client.ask("subChanges", ["since": "2"])
        #expect(client.dequeue("changes").map(\.text) == ["[]"])
        client.ask("subChanges", ["since": "1"])
        #expect(client.dequeue("changes").flatMap(\.rows).count == 1)
    }

    @Test("a since sequence above the last sequence restarts the feed from the beginning")
    func sinceLater() throws {
        try client.saveDocuments(2)
        client.ask("subChanges", ["since": "17"])
        #expect(client.dequeue("changes").flatMap(\.rows).count == 2)
    }

    @Test("a subscription with activeOnly gets no tombstones in its first changes message")
    func activeOnly() throws {
        try client.saveDocuments(3)
        try client.database.delete("doc1")
        client.ask("subChanges", ["activeOnly": "true", "continuous": "true"])
        #expect(client.dequeue("changes").flatMap(\.rows).count == 2)
        // Not yet: the first list has not been answered, although everything has been read.
        try client.database.delete("doc2")
        client.tell(.databaseChanged([.default]))
        client.answerLists()
        let later = client.dequeue("changes")
        #expect(later.isEmpty || later.allSatisfy { $0.text == "[]" })
    }

    @Test("a continuous subscription to chosen documents gets only changes of those documents")
    func continuousChosen() throws {
        try client.saveDocuments(3)
        client.ask("subChanges", ["continuous": "true"], #"{"docIDs":["doc1","doc7"]}"#)
        client.answerLists()
        _ = client.dequeue("rev").map { client.respond(to: $0) }
        _ = client.dequeue("changes")
        for id in ["doc0", "doc1", "doc7"] { try client.database.save(id, "{}") }
        client.tell(.databaseChanged([.default]))
        let rows = client.dequeue("changes").flatMap(\.rows)
        #expect(rows.count == 2)
        #expect(rows[0].contains("doc1"))
        #expect(rows[1].contains("doc7"))
    }

    @Test("a one-shot subscription is not notified of later changes")
    func oneShot() throws {
        try client.saveDocuments(1)
        #expect(client.pull { _ in "0" }.isEmpty)
        _ = client.dequeue("changes")
        try client.database.save("later", "{}")
        client.tell(.databaseChanged([.default]))
        #expect(client.dequeue("changes").isEmpty)
        #expect(!client.status.isBusy)
    }

    @Test("a continuous subscription has at most one unanswered changes message after the initial feed")
    func continuous() throws {
        client.ask("subChanges", ["continuous": "true"])
        #expect(client.dequeue("changes").map(\.text) == ["[]"])
        #expect(!client.status.isBusy)
        try client.database.save("a", "{}")
        client.tell(.databaseChanged([.default]))
        let list = try #require(client.dequeue("changes").first)
        #expect(list.rows.count == 1)
        #expect(client.status.isBusy)
        for id in ["b", "c"] {
            try client.database.save(id, "{}")
            client.tell(.databaseChanged([.default]))
        }
        #expect(client.dequeue("changes").isEmpty)
        client.respond(to: list, [:], "[0]")
        let next = try #require(client.dequeue("changes").first)
        #expect(next.rows.count == 2)
        client.respond(to: next, [:], "[0,0]")
        #expect(!client.status.isBusy)
    }

    @Test("a second subChanges is refused while a subscription is active")
    func twice() throws {
        try client.saveDocuments(1)
        client.ask("subChanges")
        #expect(client.ask("subChanges") == "LiteCore/501")
        client.answerLists { _ in "0" }
        _ = client.dequeue("changes")
        #expect(client.ask("subChanges", ["continuous": "true"]) == "RES")
        client.answerLists { _ in "0" }
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
}

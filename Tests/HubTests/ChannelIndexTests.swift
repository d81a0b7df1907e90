#if Replication
import DocumentStore
import ExactStrings
import Foundation
import Testing
import TestTraits

@testable import Hub

@Suite("The index of the channels of documents", .ownThreads)
struct ChannelIndexTests {
    @Test("a document counts as older than the loss of a channel if it was stored before, even if it was indexed later")
    func times() throws {
        let hub = try StoppedHub()
        let users = HubUsers(hub.databases.own, iterations: 10)
        #expect(try users.add("anna", password: "secret", channels: ["b"]))
        #expect(try users.rights(of: "anna")?.history.current == 0)
        let indexes = ChannelIndexes(in: hub.databases.own.file)
        let index = try indexes.index(of: hub.keyspace.id, in: hub.keyspace.database)
        try indexes.update()
        try store("pushed", in: hub)
        #expect(try users.change("anna", channels: []))
        try indexes.update()
        try store("later", in: hub)
        try indexes.update()
        let history = try #require(try users.rights(of: "anna")).history
        #expect(history.current == 1)
        let earlier = history.earlier(since: 0)
        #expect(earlier.ends == [ExactString("!"): .max, ExactString("b"): 1])
        #expect(try earlier.shared(index.presence(of: "pushed", in: ["b"])) == ["b"])
        #expect(try earlier.shared(index.presence(of: "later", in: ["b"])) == [])
        // What was read before a restart is used after it.
        let restarted = try ChannelIndexes(in: hub.databases.own.file).index(of: hub.keyspace.id, in: hub.keyspace.database)
        try store("last", in: hub)
        _ = try restarted.update(hub.keyspace.replica)
        #expect(try restarted.presence(of: "last", in: ["b"]).channels == [EnteredChannel(name: "b", time: 1)])
        hub.databases.close()
    }

    @Test("after the loss of a channel only those entries are read whose documents are in channels that the user has had")
    func entries() throws {
        let hub = try StoppedHub()
        let users = HubUsers(hub.databases.own, iterations: 10)
        #expect(try users.add("anna", password: "secret", channels: ["a", "b"]))
        #expect(try users.rights(of: "anna") != nil)
        let index = try ChannelIndexes(in: hub.databases.own.file).index(of: hub.keyspace.id, in: hub.keyspace.database)
        try store("in-b", in: hub)
        try store("in-c", channel: "c", in: hub)
        #expect(try index.update(hub.keyspace.replica).isComplete)
        #expect(try users.change("anna", channels: ["a"]))
        // It cannot be read.
        try write("damaged", key(of: hub) + "/in-c", in: hub)
        var feed = try AccessFeed(hub.keyspace.replica, index, since: FeedPosition("2"), AccessFeed.Options()) {
            try #require(try users.rights(of: "anna"))
        }
        let page = try feed.next(100)
        #expect(page.examinedCount == 2)
        #expect(page.items.map(\.lostChannels) == [["b"]])
        hub.databases.close()
    }

    @Test("the history of a user's channels is written only if it changes")
    func unchangedHistory() throws {
        let hub = try StoppedHub()
        let users = HubUsers(hub.databases.own, iterations: 10)
        try users.setRole("staff", channels: ["b"])
        #expect(try users.add("anna", password: "secret", channels: ["a"], roles: ["staff"]))
        let history = try #require(try users.rights(of: "anna")).history
        // The same, with a mark that is lost when it is written.
        let marked = try String(decoding: JSONEncoder().encode(history), as: UTF8.self) + " "
        try write(marked, "user/anna", in: hub)
        let stored = { try hub.databases.own.file.read { try RawStore.channels.document("user/anna", on: $0) }?.body }
        #expect(try users.change("anna", password: "other"))
        try users.setRole("staff", channels: ["b"])
        #expect(try stored() == Array(marked.utf8))
        try users.setRole("staff", channels: ["c"])
        #expect(try stored() != Array(marked.utf8))
        #expect(try users.rights(of: "anna")?.history.current == 1)
        hub.databases.close()
    }

    /// The key of the index of the hub's collection.
    private func key(of hub: StoppedHub) throws -> String {
        try hub.keyspace.database.file.ensuredPrivateUUID().map { String(format: "%02x", $0) }.joined() + "/" + hub.keyspace.id.fullName
    }

    /// Changes what the hub has stored.
    private func write(_ text: String, _ key: String, in hub: StoppedHub) throws {
        try hub.databases.own.file.transaction { try RawStore.channels.set(key, to: .init(body: Array(text.utf8)), in: $0) }
    }

    private func store(_ id: String, channel: String = "b", in hub: StoppedHub) throws {
        let input = DocumentInput(json: Array(#"{"channels":["\#(channel)"]}"#.utf8))
        _ = try DocumentWriting(keyspace: hub.keyspace, access: { .guest }).store(input, as: id, base: nil)
    }
}
#endif

#if Replication
import ExactStrings
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

    private func store(_ id: String, in hub: StoppedHub) throws {
        let input = DocumentInput(json: Array(#"{"channels":["b"]}"#.utf8))
        _ = try DocumentWriting(keyspace: hub.keyspace, access: { .guest }).store(input, as: id, base: nil)
    }
}
#endif

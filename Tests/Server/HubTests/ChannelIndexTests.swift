#if Replication
import CouchbaseLiteSwift
import DocumentStore
import Base
import Foundation
import Replication
import SQLiteEngine
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
        indexes.update()
        try store("pushed", in: hub.keyspace)
        #expect(try users.change("anna", channels: []))
        indexes.update()
        try store("later", in: hub.keyspace)
        indexes.update()
        let history = try #require(try users.rights(of: "anna")).history
        #expect(history.current == 1)
        let earlier = history.earlier(since: 0)
        #expect(earlier.ends == [ExactString("!"): .max, ExactString("b"): 1])
        #expect(try earlier.shared(index.presence(of: "pushed", in: ["b"])) == ["b"])
        #expect(try earlier.shared(index.presence(of: "later", in: ["b"])) == [])
        // What was read before a restart is used after it.
        let restarted = try ChannelIndexes(in: hub.databases.own.file).index(of: hub.keyspace.id, in: hub.keyspace.database)
        try store("last", in: hub.keyspace)
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
        try store("in-b", in: hub.keyspace)
        try store("in-c", channel: "c", in: hub.keyspace)
        #expect(try index.update(hub.keyspace.replica).isComplete)
        #expect(try users.change("anna", channels: ["a"]))
        // It cannot be read.
        try write("damaged", key(of: hub.keyspace) + "/in-c", in: hub)
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
        #expect(try users.change("anna", password: "other"))
        try users.setRole("staff", channels: ["b"])
        #expect(try stored("user/anna", in: hub) == Array(marked.utf8))
        try users.setRole("staff", channels: ["c"])
        #expect(try stored("user/anna", in: hub) != Array(marked.utf8))
        #expect(try users.rights(of: "anna")?.history.current == 1)
        hub.databases.close()
    }

    @Test("the documents of an older state of a database do not count as newer than they are if the hub is restarted while it reads them")
    func olderState() throws {
        // More than are added in one step.
        let hub = try StoppedHub { database in
            let collection = try database.defaultCollection()
            try database.inBatch {
                for number in 0...1000 {
                    let document = MutableDocument(id: "d\(number)")
                    try document.setJSON(#"{"channels":["b"]}"#)
                    try collection.save(document: document)
                }
            }
        }
        let own = hub.databases.own
        let users = HubUsers(own, iterations: 10)
        #expect(try users.add("anna", password: "secret", channels: ["b"]))
        #expect(try users.rights(of: "anna") != nil)
        #expect(try users.change("anna", channels: []))
        #expect(try AccessClock.now(in: own.file) == 1)
        // What an index has stored in a later state of the database.
        try write("5000", key(of: hub.keyspace), in: hub)
        try write("1", "clock/" + key(of: hub.keyspace), in: hub)
        for isRestarted in [false, true] {
            let index = try ChannelIndexes(in: own.file).index(of: hub.keyspace.id, in: hub.keyspace.database)
            #expect(try index.update(hub.keyspace.replica).isComplete == isRestarted)
            guard isRestarted else { continue }
            #expect(try index.presence(of: "d1000", in: ["b"]).channels == [EnteredChannel(name: "b", time: 0)])
        }
        hub.databases.close()
    }

    @Test("an index that cannot be read does not keep others from being updated")
    func damaged() throws {
        let hub = try StoppedHub { _ = try $0.createCollection(name: "other") }
        let keyspaces = [hub.keyspace, try #require(try hub.databases.keyspace("db.other"))]
        let indexes = ChannelIndexes(in: hub.databases.own.file)
        for keyspace in keyspaces { _ = try indexes.index(of: keyspace.id, in: keyspace.database) }
        // The order of the updates is not known.
        for (damaged, other) in [(keyspaces[0], keyspaces[1]), (keyspaces[1], keyspaces[0])] {
            let id = "damaged-in-\(damaged.id.name)"
            for keyspace in keyspaces { try store(id, in: keyspace) }
            try write("damaged", key(of: damaged) + "/" + id, in: hub)
            indexes.update()
            #expect(try stored(key(of: other) + "/" + id, in: hub) != nil)
            #expect(try stored(key(of: damaged) + "/" + id, in: hub) == Array("damaged".utf8))
            try write(nil, key(of: damaged) + "/" + id, in: hub)
        }
        hub.databases.close()
    }

    @Test("damaged documents are left out of the index and of feeds, which contain all others")
    func damagedDocuments() throws {
        let hub = try StoppedHub()
        let users = HubUsers(hub.databases.own, iterations: 10)
        #expect(try users.add("anna", password: "secret", channels: ["b"]))
        let index = try ChannelIndexes(in: hub.databases.own.file).index(of: hub.keyspace.id, in: hub.keyspace.database)
        for id in ["a", "b", "c", "d"] { try store(id, channel: id == "b" ? "b" : "x", in: hub.keyspace) }
        let connection = try Connection(path: hub.keyspace.database.file.bundle.sqliteFile, mode: .readWrite)
        try connection.execute("UPDATE kv_default SET version = x'00000000' WHERE key IN ('a', 'd')")
        try connection.close()
        let progress = try index.update(hub.keyspace.replica)
        #expect(progress.isComplete && progress.sequence == 4)
        func ids(since position: FeedPosition) throws -> (ids: [String], position: FeedPosition) {
            var feed = try AccessFeed(hub.keyspace.replica, index, since: position, AccessFeed.Options()) {
                try #require(try users.rights(of: "anna"))
            }
            var ids: [String] = []
            for _ in 0..<10 {
                let page = try feed.next(100)
                ids += page.items.map(\.announced.change.documentID)
                if page.isEnd { return (ids, feed.position) }
            }
            Issue.record("the feed has no end")
            return (ids, feed.position)
        }
        let first = try ids(since: FeedPosition())
        #expect(first.ids == ["b"])
        // The documents are examined again for the new channel.
        #expect(try users.change("anna", channels: ["b", "x"]))
        #expect(try ids(since: first.position).ids == ["c"])
        hub.databases.close()
    }

    /// The key of the index of a collection.
    private func key(of keyspace: Keyspace) throws -> String {
        try keyspace.database.file.ensuredPrivateUUID().map { String(format: "%02x", $0) }.joined() + "/" + keyspace.id.fullName
    }

    /// Returns what the hub has stored.
    private func stored(_ key: String, in hub: StoppedHub) throws -> [UInt8]? {
        try hub.databases.own.file.read { try RawStore.channels.document(key, on: $0) }?.body
    }

    /// Changes what the hub has stored.
    private func write(_ text: String?, _ key: String, in hub: StoppedHub) throws {
        try hub.databases.own.file.transaction { try RawStore.channels.set(key, to: text.map { .init(body: Array($0.utf8)) }, in: $0) }
    }

    private func store(_ id: String, channel: String = "b", in keyspace: Keyspace) throws {
        let input = try DocumentInput(json: Array(#"{"channels":["\#(channel)"]}"#.utf8))
        _ = try DocumentWriting(keyspace: keyspace, access: { .guest }).store(input, as: id, base: nil)
    }
}
#endif

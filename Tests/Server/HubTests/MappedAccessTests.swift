#if Replication
import CouchbaseLiteSwift
import Foundation
import Hub
import TestSupport
import TestTraits
import Testing

@Suite("Access to the documents of collections with a mapping of channels", .ownThreads)
struct MappedAccessTests {
    private func mapping(_ text: String) throws -> ChannelMapping { try ChannelMapping(json: Array(text.utf8)) }

    /// Adds the users `root` and `anna`, who has the channel `a`.
    private func prepare(_ hub: RunningHub) throws {
        #expect(try hub.hub.users.add("root", password: "secret", channels: ["*"]))
        #expect(try hub.hub.users.add("anna", password: "secret", channels: ["a", "user-anna"]))
    }

    /// Stores a document over its current revision, and returns the status.
    private func put(
        _ hub: RunningHub,
        _ id: String,
        _ body: String,
        user: String = "root",
        _ keyspace: String = "db"
    ) async throws -> Int {
        let current = try await hub.send("GET", "/\(keyspace)/\(id)", user: "root")
        let revision = (current.object["_rev"] as? String).map { "?rev=\($0)" } ?? ""
        return try await hub.send("PUT", "/\(keyspace)/\(id)\(revision)", body, user: user).status
    }

    @Test("requests, feeds and sync use the mapped property, and readers learn about deletions")
    func access() async throws {
        let mapping = try mapping(
            #"{"db":{"_default._default":{"property":"meta.team"},"travel.hotels":{"property":"owner","prefix":"user-"}}}"#
        )
        try await withHub {
            $0.channelMapping = mapping
        } _: { hub in
            try prepare(hub)
            #expect(try await put(hub, "x", #"{"meta":{"team":["a","b"]}}"#) == 201)
            #expect(try await put(hub, "y", #"{"meta":{"team":"b"},"channels":"a"}"#) == 201)
            #expect(try await put(hub, "h", #"{"owner":"anna"}"#, "db.travel.hotels") == 201)
            #expect(try await put(hub, "i", #"{"owner":"bert","channels":"a"}"#, "db.travel.hotels") == 201)
            #expect(try await hub.send("GET", "/db/x", user: "anna").status == 200)
            #expect(try await hub.send("GET", "/db/y", user: "anna").status == 403)
            #expect(try await hub.send("GET", "/db.travel.hotels/_all_docs", user: "anna").object["total_rows"] as? Int == 1)
            #expect(try await put(hub, "z", #"{"meta":{"team":"b"},"channels":"a"}"#, user: "anna") == 403)
            #expect(try await put(hub, "z", #"{"meta":{"team":"a"}}"#, user: "anna") == 201)
            let client = try SyncingClient(hub, user: "anna", names: ["hotels"])
            #expect(try await client.sync() == nil)
            #expect(try client.ids() == ["x", "z"])
            #expect(try client.ids(1) == ["h"])
            // One is deleted by REST, one by sync, and one leaves the channel.
            let revision = try await hub.send("GET", "/db/z", user: "anna").object["_rev"] as? String ?? ""
            #expect(try await hub.send("DELETE", "/db/z?rev=\(revision)", user: "anna").status == 200)
            #expect(try await put(hub, "x", #"{"meta":{"team":["b"]}}"#) == 201)
            let hotel = try #require(try client.collections[1].document(id: "h"))
            try client.collections[1].delete(document: hotel)
            #expect(try await client.sync() == nil)
            #expect(try client.ids() == [] && client.events.all.contains("-x"))
            let hotels = try await hub.send("GET", "/db.travel.hotels/_changes", user: "anna").text
            #expect(hotels.contains(#""deleted":true"#), "\(hotels)")
        }
    }

    @Test("all documents of a collection are in fixed channels")
    func fixed() async throws {
        let mapping = try mapping(#"{"db":{"_default._default":{"channels":["a"]}}}"#)
        try await withHub {
            $0.channelMapping = mapping
        } _: { hub in
            try prepare(hub)
            #expect(try await put(hub, "x", #"{"n":1}"#) == 201)
            #expect(try await put(hub, "y", #"{"n":1}"#, user: "anna") == 201)
            let client = try SyncingClient(hub, user: "anna")
            #expect(try await client.sync() == nil)
            #expect(try client.ids() == ["x", "y"])
        }
    }

    @Test("after a change of the mapping, clients lose and receive documents accordingly, and the feed starts over once")
    func change() async throws {
        var hub = try RunningHub()
        try prepare(hub)
        #expect(try await put(hub, "stays", #"{"channels":"a","team":"a"}"#) == 201)
        #expect(try await put(hub, "lost", #"{"channels":"a","team":"b"}"#) == 201)
        #expect(try await put(hub, "gained", #"{"channels":"b","team":"a"}"#) == 201)
        #expect(try await put(hub, "never", #"{"channels":"b","team":"b"}"#) == 201)
        let client = try SyncingClient(hub, user: "anna")
        #expect(try await client.sync() == nil)
        #expect(try client.ids() == ["lost", "stays"])
        let since = try await hub.send("GET", "/db/_changes", user: "anna").object["last_seq"] as? String ?? ""
        await hub.stop()
        let mapping = try mapping(#"{"db":{"_default._default":{"property":"team"}}}"#)
        for _ in 1...2 {
            hub = try RunningHub(restarting: hub) { $0.channelMapping = mapping }
            let feed = try await hub.send("GET", "/db/_changes?since=\(since)", user: "anna")
            #expect(feed.text.contains(#""id":"gained""#) && feed.text.contains(#""id":"lost","removed":["a"]"#), "\(feed.text)")
            #expect(!feed.text.contains("never"))
            let next = feed.object["last_seq"] as? String ?? ""
            let rest = try await hub.send("GET", "/db/_changes?since=\(next)", user: "anna")
            #expect((rest.object["results"] as? [Any])?.isEmpty == true)
            #expect(try await client.sync() == nil)
            #expect(try client.ids() == ["gained", "stays"])
            let count = client.events.all.count
            #expect(try await client.sync() == nil)
            #expect(client.events.all.count == count)
            await hub.stop()
        }
        #expect(client.events.all.count { $0 == "-lost" } == 1)
        // Without the mapping, everything is as before.
        hub = try RunningHub(restarting: hub)
        #expect(try await client.sync() == nil)
        #expect(try client.ids() == ["lost", "stays"])
        await hub.stop()
    }

    @Test("a mapping for a database that does not exist is refused")
    func unknownDatabase() throws {
        let mapping = try mapping(#"{"bd":{"_default._default":{"channels":["a"]}}}"#)
        let error = #expect(throws: ChannelMappingError.self) { try RunningHub { $0.channelMapping = mapping } }
        #expect(error?.place == #""bd""#)
    }
}
#endif

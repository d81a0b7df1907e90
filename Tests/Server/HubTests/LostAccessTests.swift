#if Replication
import CouchbaseLiteSwift
import Foundation
import Hub
import TestSupport
import Testing
import TestTraits

@Suite("Lost and gained access in sync with a hub", .ownThreads)
struct LostAccessTests {
    /// Adds the users `root`, and `anna` with the channel `a` and the role `staff`, which has the channel `b`; and a document in each of the
    /// channels `a`, `b`, `c` and in both `a` and `b`.
    private func prepare(_ hub: RunningHub) async throws {
        try hub.hub.users.setRole("staff", channels: ["b"])
        #expect(try hub.hub.users.add("root", password: "secret", channels: ["*"]))
        #expect(try hub.hub.users.add("anna", password: "secret", channels: ["a"], roles: ["staff"]))
        for (id, channels) in [("in-a", "a"), ("in-b", "b"), ("in-c", "c")] { try await put(hub, id, channels) }
        try await put(hub, "in-ab", "a", "b")
    }

    /// Stores a document in channels, over its current revision.
    private func put(_ hub: RunningHub, _ id: String, _ channels: String..., collection: String = "db") async throws {
        let current = try await hub.send("GET", "/\(collection)/\(id)", user: "root")
        let revision = (current.object["_rev"] as? String).map { "?rev=\($0)" } ?? ""
        let list = channels.map { "\"\($0)\"" }.joined(separator: ",")
        let stored = try await hub.send("PUT", "/\(collection)/\(id)\(revision)", "{\"channels\":[\(list)]}", user: "root")
        #expect(stored.status == 201, "\(stored.text)")
    }

    @Test(
        "a client that was offline purges documents of a lost role and receives those of a gained channel, once",
        arguments: [false, true]
    )
    func offline(restarts: Bool) async throws {
        var hub = try RunningHub()
        try await prepare(hub)
        let client = try SyncingClient(hub, user: "anna")
        #expect(try await client.sync() == nil)
        #expect(try client.ids() == ["in-a", "in-ab", "in-b"])
        try hub.hub.users.setRole("staff", channels: ["c"])
        if restarts {
            await hub.stop()
            hub = try RunningHub(restarting: hub)
        }
        #expect(try await client.sync() == nil)
        #expect(try client.ids() == ["in-a", "in-ab", "in-c"])
        let count = client.events.all.count
        #expect(client.events.all.suffix(2).sorted() == ["-in-b", "in-c"])
        #expect(try await client.sync() == nil)
        #expect(client.events.all.count == count)
        // What was lost comes back.
        #expect(try hub.hub.users.change("anna", channels: ["a", "b"], roles: []))
        #expect(try await client.sync() == nil)
        #expect(try client.ids() == ["in-a", "in-ab", "in-b"])
        await hub.stop()
    }

    @Test("a document that leaves the channels of a user is purged, also if it is changed again before the client connects")
    func documents() async throws {
        try await withHub { hub in
            try await prepare(hub)
            let (first, second) = (try SyncingClient(hub, user: "anna"), try SyncingClient(hub, user: "anna"))
            for client in [first, second] { #expect(try await client.sync() == nil) }
            try await put(hub, "in-a", "c")
            #expect(try await first.sync() == nil)
            #expect(try first.ids() == ["in-ab", "in-b"])
            // Still in a channel of the user.
            try await put(hub, "in-ab", "b")
            try await put(hub, "other", "a")
            try await put(hub, "in-a", "c", "d")
            for client in [first, second] {
                #expect(try await client.sync() == nil)
                #expect(try client.ids() == ["in-ab", "in-b", "other"])
                #expect(client.events.all.count { $0 == "-in-a" } == 1)
            }
            try await put(hub, "in-a", "a")
            #expect(try await first.sync() == nil)
            #expect(try first.ids() == ["in-a", "in-ab", "in-b", "other"])
        }
    }

    @Test("connected clients of a user learn at once about lost and gained channels, in each collection")
    func connected() async throws {
        try await withHub { hub in
            try await prepare(hub)
            try await put(hub, "hotel-b", "b", collection: "db.travel.hotels")
            try await put(hub, "hotel-c", "c", collection: "db.travel.hotels")
            let clients = try (0..<2).map { _ in try SyncingClient(hub, user: "anna", names: ["hotels"]) }
            for client in clients {
                await client.start()
                _ = await client.events.reaches { Set($0).isSuperset(of: ["in-a", "in-ab", "in-b", "hotel-b"]) }
            }
            #expect(try hub.hub.users.change("anna", channels: ["c"], roles: []))
            for client in clients {
                let all = ["-in-a", "-in-ab", "-in-b", "-hotel-b", "in-c", "hotel-c"]
                #expect(await client.events.reaches { Set($0).isSuperset(of: all) })
                #expect(try client.ids() == ["in-c"])
                #expect(try client.ids(1) == ["hotel-c"])
            }
            try await put(hub, "in-c", "d")
            try await put(hub, "new", "c")
            for client in clients {
                #expect(await client.events.reaches { Set($0).isSuperset(of: ["-in-c", "new"]) })
                #expect(try client.ids() == ["new"])
                await client.stop()
            }
        }
    }

    @Test("without automatic purging a client keeps the documents, and is told which it lost")
    func withoutPurging() async throws {
        try await withHub { hub in
            try await prepare(hub)
            let client = try SyncingClient(hub, user: "anna") { $0.enableAutoPurge = false }
            #expect(try await client.sync() == nil)
            #expect(try hub.hub.users.change("anna", channels: ["a"], roles: []))
            try await put(hub, "in-a", "c")
            #expect(try await client.sync() == nil)
            #expect(try client.ids() == ["in-a", "in-ab", "in-b"])
            #expect(client.events.all.filter { $0.hasPrefix("-") }.sorted() == ["-in-a", "-in-b"])
        }
    }

    @Test("the changes feed lists removed documents, and on request those of lost channels")
    func feed() async throws {
        try await withHub { hub in
            try await prepare(hub)
            let last = try await hub.send("GET", "/db/_changes", user: "anna").object["last_seq"] as? String ?? ""
            #expect(last == "4")
            try await put(hub, "in-a", "c")
            let removed = try await hub.send("GET", "/db/_changes?since=\(last)&include_docs=true", user: "anna")
            #expect(removed.text.contains(#""seq":5,"id":"in-a","removed":["a"]"#))
            #expect(removed.text.contains(#""_removed":true"#))
            #expect(!removed.text.contains(#""channels""#))
            #expect(try hub.hub.users.change("anna", roles: []))
            let path = "/db/_changes?since=\(removed.object["last_seq"] as? String ?? "")"
            #expect(try await !hub.send("GET", path, user: "anna").text.contains("in-b"))
            let revoked = try await hub.send("GET", path + "&revocations=true", user: "anna")
            #expect(revoked.text.contains(#""id":"in-b","removed":["b"],"revoked":true"#))
            // A feed that waits notices the change of the user.
            let end = revoked.object["last_seq"] as? String ?? ""
            async let waiting = hub.send("GET", "/db/_changes?feed=longpoll&heartbeat=60000&since=\(end)", user: "anna")
            #expect(try hub.hub.users.change("anna", channels: ["a", "b"]))
            #expect(try await waiting.text.contains(#""id":"in-b""#))
        }
    }

    @Test("the changes feed does not list documents that came into a lost channel later", arguments: ["b", "*"])
    func laterDocuments(lost: String) async throws {
        try await withHub { hub in
            try await prepare(hub)
            #expect(try hub.hub.users.add("bert", password: "secret", channels: ["a", lost]))
            let last = try await hub.send("GET", "/db/_changes", user: "bert").object["last_seq"] as? String ?? ""
            #expect(last == "4")
            #expect(try hub.hub.users.change("bert", channels: ["a"]))
            // Also brings the index of channels up to date, so that each change is noticed for itself.
            _ = try await hub.send("GET", "/db/_changes", user: "root")
            for id in ["new", "in-b", "moved", "twice"] { try await put(hub, id, "b") }
            for id in ["moved", "twice", "twice"] {
                _ = try await hub.send("GET", "/db/_changes", user: "root")
                try await put(hub, id, "c", "of-\(id)")
            }
            let end = try await hub.send("GET", "/db/", user: "root").object["update_seq"] as? Int ?? 0
            #expect(end == 11)
            for since in ["0", "0:1", last, "0:\(end - 1)", "0:\(end)"] {
                let changes = try await hub.send("GET", "/db/_changes?since=\(since)&revocations=true", user: "bert")
                let rows = changes.object["results"] as? [[String: Any]] ?? []
                let listed = rows.filter { $0["removed"] != nil }.compactMap { $0["id"] as? String }
                #expect(listed.sorted() == (lost == "b" ? ["in-b"] : ["in-b", "in-c"]), "\(since): \(changes.text)")
                #expect(!changes.text.contains("of-"))
            }
        }
    }

    @Test("a disabled user is disconnected, and keeps the documents")
    func disabled() async throws {
        try await withHub { hub in
            try await prepare(hub)
            let client = try SyncingClient(hub, user: "anna")
            await client.start()
            _ = await client.events.reaches { Set($0).isSuperset(of: ["in-a", "in-ab", "in-b"]) }
            #expect(try hub.hub.users.change("anna", isDisabled: true))
            await client.stop()
            #expect(try client.ids() == ["in-a", "in-ab", "in-b"])
            #expect((try await client.sync() as NSError?)?.code == CBLError.httpAuthRequired)
            #expect(try hub.hub.users.change("anna", isDisabled: false))
            #expect(try await client.sync() == nil)
            #expect(try client.ids() == ["in-a", "in-ab", "in-b"])
        }
    }
}
#endif

#if Replication
import CouchbaseLiteSwift
import Foundation
import Hub
import Inspector
import TestSupport
import Testing
import TestTraits

/// A browser that has access to the inspector of a hub.
private struct InspectorClient {
    let hub: RunningHub
    let port: Int
    let cookie: String

    /// Sends a request as the page does. `path` begins after that of the inspector.
    func send(_ method: String, _ path: String, _ body: String? = nil) async throws -> RunningHub.Answer {
        let headers = ["Cookie": cookie, "Origin": "http://127.0.0.1:\(port)"]
        return try await hub.send(method, "/_inspect" + path, body, headers: headers, port: port)
    }

    /// Waits until the counters of the database `db` satisfy a condition. The hub counts after the client has been answered.
    func counters(_ isEnough: ([String: Int]) -> Bool) async throws {
        while true {
            let counters = try await send("GET", "/db/api/counters").object["replication"] as? [String: Int]
            if isEnough(try #require(counters)) { return }
        }
    }
}

@Suite("The inspector of a hub", .ownThreads)
struct HubInspectorTests {
    private func withInspector(_ body: (RunningHub, InspectorClient) async throws -> Void) async throws {
        var inspector: Inspector?
        try await withHub {
            $0.adminPort = 0
        } inspector: { databases, _ in
            let made = Inspector(databases.map { Self.source($0) }, below: Hub.inspectorPath)
            inspector = made
            return made
        } _: { hub in
            let port = try #require(hub.hub.adminPort)
            let link = try #require(inspector?.makeLink(port: port))
            let target = try #require(link.firstRange(of: "/_inspect/").map { String(link[$0.lowerBound...]) })
            let opened = try await hub.send("GET", target, port: port)
            #expect(opened.status == 303)
            let cookie = String(try #require(opened.headers["set-cookie"]).prefix { $0 != ";" })
            try await body(hub, InspectorClient(hub: hub, port: port, cookie: cookie))
        }
    }

    private static func source(_ served: ServedDatabase) -> InspectedSource {
        var source = InspectedSource(name: served.name) { try served.openFile() }
        source.tombstone = { try served.tombstone(of: $0, in: $1) }
        source.observeReplication = { served.observeSyncCount($0) }
        source.replication = {
            let count = served.syncCount
            return ReplicationCounters(
                clients: count.clients,
                sent: count.sent,
                received: count.received,
                refused: count.refused,
                failures: count.failures
            )
        }
        return source
    }

    @Test("the inspector is at the port for administration only, and needs its token although REST needs no password there")
    func access() async throws {
        try await withInspector { hub, browser in
            let page = try await browser.send("GET", "/db/")
            #expect(page.text.contains("<title>Inspector</title>"))
            #expect(try await browser.send("GET", "/other/api/database").object["name"] as? String == "other")
            for path in ["/_inspect/", "/_inspect/db/", "/_inspect/db/page/app.js", "/_inspect/db/api/database", "/_inspect/none/"] {
                #expect(try await hub.send("GET", path, port: browser.port).status == 401, "\(path)")
                #expect(try await hub.send("GET", path, headers: ["Cookie": browser.cookie]).status == 404, "\(path)")
            }
            #expect(try await hub.send("GET", "/db/", port: browser.port).status == 200)
            #expect(try await browser.send("GET", "/_hub/").status == 404)
        }
    }

    @Test("the port for administration refuses requests for parts of a page, so that the page cannot run attachments as scripts")
    func parts() async throws {
        try await withInspector { hub, browser in
            _ = try await hub.send("PUT", "/db/x", "{}", port: browser.port)
            for (destination, status) in [("script", 403), ("empty", 403), ("image", 403), ("document", 200)] {
                let headers = ["Sec-Fetch-Dest": destination]
                #expect(try await hub.send("GET", "/db/x", headers: headers, port: browser.port).status == status, "\(destination)")
            }
            #expect(try await hub.send("GET", "/db/x", headers: ["Sec-Fetch-Dest": "empty"]).status == 200)
        }
    }

    @Test("what the inspector changes reaches the feed of changes and connected clients, and a deletion reaches readers of the document")
    func changes() async throws {
        try await withInspector { hub, browser in
            #expect(try hub.hub.users.add("anna", password: "secret", channels: ["a"]))
            let client = try SyncingClient(hub, user: "anna")
            await client.start()
            async let feed = hub.send("GET", "/db/_changes?feed=longpoll&since=0", user: "anna")
            let document = "/db/api/document?collection=_default._default&id=x"
            let saved = try await browser.send("PUT", document, #"{"channels":["a"],"n":1}"#)
            #expect(saved.status == 200)
            #expect((try await feed.object["results"] as? [[String: Any]])?.first?["id"] as? String == "x")
            _ = await client.events.reaches { $0 == ["x"] }
            #expect(try client.collections[0].document(id: "x")?.int(forKey: "n") == 1)
            let update = #"{"text":"UPDATE _ SET n = 2","write":true}"#
            #expect(try await browser.send("POST", "/db/api/query", update).object["changed"] as? Int == 1)
            _ = await client.events.reaches { $0 == ["x", "x"] }
            let current = try await browser.send("GET", document).revision
            let deleted = try await browser.send("DELETE", document + "&rev=\(current)")
            #expect(deleted.status == 200)
            // Without channels, the tombstone would be announced as a document that has left the user's channels.
            _ = await client.events.reaches { $0.count == 3 }
            #expect(client.events.all == ["x", "x", "x"])
            #expect(try client.collections[0].document(id: "x") == nil)
            await client.stop()
        }
    }

    @Test("the inspector and the metrics show connected clients, and the documents that were sent, received and refused")
    func counters() async throws {
        try await withInspector { hub, browser in
            #expect(try hub.hub.users.add("anna", password: "secret", channels: ["a"]))
            for id in ["1", "2"] {
                #expect(try await hub.send("PUT", "/db/\(id)", #"{"channels":["a"]}"#, port: browser.port).status == 201)
            }
            let client = try SyncingClient(hub, user: "anna")
            try client.collections[0].save(document: MutableDocument(id: "own", json: #"{"channels":["a"]}"#))
            try client.collections[0].save(document: MutableDocument(id: "foreign", json: #"{"channels":["b"]}"#))
            await client.start()
            // A replicator pushes a forbidden document a second time, after the others.
            try await browser.counters {
                $0 == ["clients": 1, "sent": 2, "received": 1, "refused": 2, "failures": 0]
            }
            let metrics = try await hub.send("GET", "/_metrics", port: browser.port).text
            #expect(metrics.contains("hub_sync_clients 1\n"))
            #expect(metrics.contains("hub_sync_documents_sent_total{database=\"db\"} 2\n"))
            #expect(metrics.contains("hub_sync_documents_received_total{database=\"db\"} 1\n"))
            #expect(metrics.contains("hub_sync_documents_refused_total{database=\"db\"} 2\n"))
            #expect(metrics.contains("hub_sync_failures_total{database=\"other\"} 0\n"))
            await client.stop()
            try await browser.counters { $0["clients"] == 0 && $0["failures"] == 0 }
            let list = try await browser.send("GET", "/api/databases").object["databases"] as? [[String: Any]]
            #expect(list?.compactMap { $0["name"] as? String } == ["db", "other"])
            #expect((list?.first?["replication"] as? [String: Int])?["sent"] == 2)
        }
    }
}
#endif

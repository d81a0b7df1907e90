#if Replication
import CouchbaseLiteSwift
import CouchbaseLiteTestSupport
import Foundation
import Hub
import PeerSupport
import TestSupport
import Testing
import TestTraits

@Suite("Sync with a hub", .ownThreads)
struct SyncTests {
    /// Replicates once, and returns the error.
    private func replicate(
        _ database: Database,
        _ hub: RunningHub,
        user: String? = nil,
        password: String = "secret"
    ) async throws -> (any Error)? {
        let url = try #require(URL(string: "ws://127.0.0.1:\(hub.port)/db"))
        let config = try ReplicatorConfiguration(
            collections: [CollectionConfiguration(collection: database.defaultCollection())],
            target: URLEndpoint(url: url)
        )
        if let user { config.authenticator = BasicAuthenticator(username: user, password: password) }
        let replicator = Replicator(config: config)
        let stopped = Recorder<(any Error)?>()
        let token = replicator.addChangeListener { change in
            if change.status.activity == .stopped { stopped.append(change.status.error) }
        }
        replicator.start()
        _ = await stopped.reaches { !$0.isEmpty }
        token.remove()
        return stopped.all.first ?? nil
    }

    private func save(_ id: String, _ json: String, in database: Database) throws {
        let document = MutableDocument(id: id)
        try document.setJSON(json)
        try database.defaultCollection().save(document: document)
    }

    @Test("documents and blobs pass between REST and a replicator, in both directions")
    func bothDirections() async throws {
        try await withHub { hub in
            let data = Data("from REST".utf8).base64EncodedString()
            let body = #"{"n":1,"_attachments":{"f":{"content_type":"text/plain","data":"\#(data)"}}}"#
            #expect(try await hub.send("PUT", "/db/rest", body).status == 201)
            let local = try TemporaryDatabase()
            let collection = try local.database.defaultCollection()
            let document = MutableDocument(id: "app")
            document.setBlob(Blob(contentType: "text/plain", data: Data("from the app".utf8)), forKey: "file")
            try collection.save(document: document)
            #expect(try await replicate(local.database, hub) == nil)
            #expect(try collection.document(id: "rest")?.int(forKey: "n") == 1)
            #expect(try await hub.send("GET", "/db/app/blob_%2Ffile").text == "from the app")
            let revision = try await hub.send("GET", "/db/rest").object["_rev"] as? String ?? ""
            #expect(try await hub.send("DELETE", "/db/rest?rev=\(revision)").status == 200)
            #expect(try await replicate(local.database, hub) == nil)
            #expect(try collection.document(id: "rest") == nil)
        }
    }

    @Test("a user pulls only documents in the user's channels, and cannot push to others")
    func channels() async throws {
        try await withHub { hub in
            #expect(try hub.hub.users.add("root", password: "secret", channels: ["*"]))
            #expect(try hub.hub.users.add("anna", password: "secret", channels: ["a"]))
            for (id, body) in [("x", #"{"channels":["a"]}"#), ("y", #"{"channels":["b"]}"#), ("z", "{}")] {
                #expect(try await hub.send("PUT", "/db/\(id)", body, user: "root").status == 201)
            }
            let local = try TemporaryDatabase()
            let collection = try local.database.defaultCollection()
            try save("mine", #"{"channels":["a"]}"#, in: local.database)
            try save("foreign", #"{"channels":["b"]}"#, in: local.database)
            try save("y", #"{"channels":["a"],"stolen":true}"#, in: local.database)
            _ = try await replicate(local.database, hub, user: "anna")
            #expect(try collection.document(id: "x") != nil)
            #expect(try collection.document(id: "z") == nil)
            #expect(try await hub.send("GET", "/db/mine", user: "root").status == 200)
            #expect(try await hub.send("GET", "/db/foreign", user: "root").status == 404)
            #expect(try await hub.send("GET", "/db/y", user: "root").object["stolen"] == nil)
            // A deletion reaches the other readers.
            try collection.delete(document: try #require(try collection.document(id: "x")))
            _ = try await replicate(local.database, hub, user: "anna")
            #expect(try await hub.send("GET", "/db/_changes", user: "anna").text.contains(#""id":"x","deleted":true"#))
        }
    }

    @Test("a client without a user or with a wrong password is refused")
    func refusal() async throws {
        try await withHub { hub in
            #expect(try hub.hub.users.add("anna", password: "secret", channels: ["a"]))
            let local = try TemporaryDatabase()
            for (user, password) in [(nil, ""), ("anna", "wrong"), ("nobody", "secret")] as [(String?, String)] {
                let error = try await replicate(local.database, hub, user: user, password: password) as NSError?
                #expect(error?.code == CBLError.httpAuthRequired)
            }
        }
    }

    /// The checks of Sync Gateway's behaviour that do not apply to a hub (Replication 9.1).
    private static let differences: Set<String> = [
        "framing: property block without final NUL", "framing: odd number of property strings",
        "framing: property length beyond the message", "framing: property block of 200 kB", "pull: one document", "pull: unknown filter",
        "push: proposeChanges decisions, conflictIncludesRev", "push: malformed JSON",
        "push: whole history at once, then a child that skips generations", "push: rejected by the sync function",
        "push: body is an array", "push: empty body", "push: unasked delta", "push: id of 250 bytes; of 251",
        "blob: known digest under another name: proof asked", "blob: proof refused falls back to getAttachment",
    ]

    @Test("a hub answers an independent client as Sync Gateway does, except for the documented differences")
    func conformance() async throws {
        try await withHub { hub in
            let url = "ws://127.0.0.1:\(hub.port)"
            let answer = try await IndependentPeer.run(["conformance", "\(url)/db", "--profile", "sync-gateway"])
            let object = try JSONSerialization.jsonObject(with: Data(answer.json.utf8)) as? [String: Any]
            let failures = Set(object?["failures"] as? [String] ?? [])
            let expected = Set(Self.differences.flatMap { ["[3] \($0)", "[2] \($0)"] })
            #expect(failures == expected, "\(failures.symmetricDifference(expected).sorted()) \(answer.log)")
            #expect((object?["passed"] as? Int ?? 0) + failures.count == 210)
        }
    }

    @Test("a stop of the hub ends the connections of its clients")
    func stop() async throws {
        let hub = try RunningHub()
        let local = try TemporaryDatabase()
        let url = try #require(URL(string: "ws://127.0.0.1:\(hub.port)/db"))
        let config = try ReplicatorConfiguration(
            collections: [CollectionConfiguration(collection: local.database.defaultCollection())],
            target: URLEndpoint(url: url)
        )
        config.continuous = true
        let replicator = Replicator(config: config)
        let levels = Recorder<Replicator.ActivityLevel>()
        let token = replicator.addChangeListener { levels.append($0.status.activity) }
        replicator.start()
        _ = await levels.reaches { $0.contains(.idle) }
        #expect(hub.hub.syncCount == 1)
        await hub.stop()
        #expect(hub.hub.syncCount == 0)
        // A client does not connect again after the server has ended (Replication 1.8).
        _ = await levels.reaches { $0.contains(.stopped) }
        #expect((replicator.status.error as NSError?)?.code == 11_001)
        token.remove()
    }
}
#endif

#if Replication
import CouchbaseLiteSwift
import CouchbaseLiteTestSupport
import Foundation
import Hub
import PeerSupport
import TestSupport
import TestTraits
import Testing

@Suite("A hub with version vectors", .ownThreads)
struct VersionVectorsTests {
    /// Runs `body` with a hub whose database `db` has version vectors.
    private func withVectors(_ body: (RunningHub) async throws -> Void) async throws {
        let prepare = { (options: inout HubOptions) in
            let config = DatabaseConfiguration()
            config.directory = options.directory
            do {
                let database = try Database(name: "db", config: config)
                try database.upgradeToVersionVectors()
                try database.close()
            } catch {
                Issue.record(error)
            }
        }
        try await withHub(prepare) { try await body($0) }
    }

    private func client(_ hub: RunningHub, _ versioning: DatabaseConfiguration.Versioning) throws -> SyncingClient {
        try SyncingClient(port: hub.port, user: "root", versioning: versioning)
    }

    private func save(_ id: String, _ json: String, in client: SyncingClient) throws {
        let collection = client.collections[0]
        let document = try collection.document(id: id)?.toMutable() ?? MutableDocument(id: id)
        try collection.save(document: try document.setJSON(json))
    }

    private func json(_ id: String, _ client: SyncingClient) throws -> String? { try client.collections[0].document(id: id)?.toJSON() }

    @Test("a hub serves a client with revision trees, one with version vectors, and REST with the same documents")
    func bothKinds() async throws {
        try await withVectors { hub in
            #expect(try hub.hub.users.add("root", password: "secret", channels: ["*"]))
            let (old, new) = (try client(hub, .trees), try client(hub, .versionVectors))
            func sync() async throws {
                for client in [old, new, old] { #expect(try await client.sync() == nil) }
            }
            try save("old", #"{"n":1}"#, in: old)
            try save("new", #"{"n":1}"#, in: new)
            let stored = try await hub.send("PUT", "/db/rest", #"{"n":1}"#, user: "root")
            #expect(stored.status == 201 && stored.revision.hasPrefix("1-"))
            try await sync()
            for client in [old, new] { #expect(try client.ids() == ["new", "old", "rest"]) }
            // Each changes a document of another one.
            try save("new", #"{"n":2}"#, in: old)
            try save("rest", #"{"n":2}"#, in: new)
            let read = try await hub.send("GET", "/db/old", user: "root")
            let revision = try #require(read.object["_rev"] as? String)
            #expect(try await hub.send("PUT", "/db/old?rev=\(revision)", #"{"n":2}"#, user: "root").status == 201)
            try await sync()
            for client in [old, new] {
                for id in ["new", "old", "rest"] { #expect(try json(id, client) == #"{"n":2}"#, "\(id)") }
            }
            let changes = try await hub.send("GET", "/db/_changes?include_docs=true", user: "root").object["results"] as? [[String: Any]]
            #expect(changes?.count == 3)
            for row in changes ?? [] {
                let id = try #require(row["id"] as? String)
                let listed = ((row["changes"] as? [[String: Any]])?.first?["rev"]) as? String
                #expect(listed == (row["doc"] as? [String: Any])?["_rev"] as? String)
                #expect(listed == old.collections[0].revision(of: id), "\(id)")
            }
            // A deletion by REST, and one by each client.
            let last = try await hub.send("GET", "/db/rest", user: "root").object["_rev"] as? String ?? ""
            #expect(try await hub.send("DELETE", "/db/rest?rev=\(last)", user: "root").status == 200)
            try old.collections[0].delete(document: try #require(try old.collections[0].document(id: "old")))
            try new.collections[0].delete(document: try #require(try new.collections[0].document(id: "new")))
            try await sync()
            for client in [old, new] { #expect(try client.ids() == []) }
            #expect(try await hub.send("GET", "/db/_all_docs", user: "root").object["total_rows"] as? Int == 0)
        }
    }

    @Test("REST shows revisions as those of trees, and their versions on request, and takes either as the one that is changed")
    func versions() async throws {
        try await withVectors { hub in
            let first = try await hub.send("PUT", "/db/a", #"{"n":1}"#)
            let version = try #require(first.object["cv"] as? String)
            #expect(version.contains("@") && !version.contains("*"))
            let read = try await hub.send("GET", "/db/a?show_cv=true").object
            #expect(read["_cv"] as? String == version && read["_rev"] as? String == first.revision)
            #expect(try await hub.send("GET", "/db/a").object["_cv"] == nil)
            let encoded = try #require(version.addingPercentEncoding(withAllowedCharacters: .alphanumerics))
            #expect(try await hub.send("GET", "/db/a?rev=\(encoded)").object["n"] as? Int == 1)
            let second = try await hub.send("PUT", "/db/a?rev=\(encoded)", #"{"n":2}"#)
            #expect(second.status == 201 && second.revision.hasPrefix("2-"))
            for base in [encoded, first.revision, "1-aa"] {
                #expect(try await hub.send("PUT", "/db/a?rev=\(base)", #"{"n":3}"#).status == 409)
            }
            #expect(try await hub.send("PUT", "/db/a?rev=nonsense", "{}").status == 400)
            let history = try await hub.send("GET", "/db/a?revs=true").object["_revisions"] as? [String: Any]
            #expect(history?["start"] as? Int == 2)
            #expect(history?["ids"] as? [String] == [second.revision, first.revision].map { String($0.dropFirst(2)) })
            let documents = #"{"docs":[{"_id":"b","n":1},{"_id":"a","_rev":"\#(second.revision)"}]}"#
            let bulk = try await hub.send("POST", "/db/_bulk_docs", documents)
            #expect(bulk.array.allSatisfy { $0["ok"] as? Bool == true && $0["cv"] is String })
        }
    }

    @Test("a client of CouchDB pushes revisions with their history, and is told which ones are missing")
    func couchClients() async throws {
        try await withVectors { hub in
            func push(_ ids: [String], _ generation: Int) async throws -> RunningHub.Answer {
                let list = ids.map { #""\#($0)""# }.joined(separator: ",")
                let revisions = #""_revisions":{"start":\#(generation),"ids":[\#(list)]}"#
                let document = #"{"_id":"a","n":\#(generation),"_rev":"\#(generation)-\#(ids[0])",\#(revisions)}"#
                return try await hub.send("POST", "/db/_bulk_docs", #"{"new_edits":false,"docs":[\#(document)]}"#)
            }
            #expect(try await push(["bb", "aa"], 2).array.first?["ok"] as? Bool == true)
            #expect(try await hub.send("GET", "/db/a").object["_rev"] as? String == "2-bb")
            let answer = try await hub.send("POST", "/db/_revs_diff", #"{"a":["1-aa","2-bb","3-cc"]}"#)
            let difference = answer.object as? [String: [String: [String]]]
            #expect(difference == ["a": ["missing": ["3-cc"], "possible_ancestors": ["2-bb"]]])
            #expect(try await push(["cc", "bb"], 3).array.first?["ok"] as? Bool == true)
            #expect(try await push(["dd", "bb"], 3).array.first?["status"] as? Int == 409)
            #expect(try await push(["cc", "bb"], 3).array.first?["ok"] as? Bool == true)
            #expect(try await hub.send("GET", "/db/a").object["n"] as? Int == 3)
        }
    }

    @Test("a hub answers an independent client of protocol 4 as Sync Gateway 4 does")
    func conformance() async throws {
        try await withVectors { hub in
            let url = "ws://127.0.0.1:\(hub.port)/db"
            let answer = try await IndependentPeer.run(["conformance", url, "--profile", "sync-gateway", "--protocol", "4"])
            #expect(answer.isGood, "\(answer.log)")
            #expect(answer.number("passed") ?? 0 > 20)
        }
    }

    @Test("one app syncs a database with a server of protocol 3, and another one with a server of protocol 4")
    func oneApp() async throws {
        try await withHub { trees in
            try await withVectors { vectors in
                let clients = [(trees, DatabaseConfiguration.Versioning.trees), (vectors, .versionVectors)]
                for (hub, _) in clients { #expect(try hub.hub.users.add("root", password: "secret", channels: ["*"])) }
                let databases = try clients.map { try client($0.0, $0.1) }
                for (number, database) in databases.enumerated() {
                    try save("mine", #"{"n":\#(number)}"#, in: database)
                    #expect(try await clients[number].0.send("PUT", "/db/theirs", #"{"n":\#(number)}"#, user: "root").status == 201)
                    await database.start()
                }
                for (number, database) in databases.enumerated() {
                    #expect(await database.events.reaches { $0.contains("theirs") })
                    #expect(try json("theirs", database) == #"{"n":\#(number)}"#)
                    await database.stop()
                    #expect(try await database.sync() == nil)
                    let pushed = try await clients[number].0.send("GET", "/db/mine?show_cv=true", user: "root").object
                    #expect(pushed["n"] as? Int == number && (pushed["_cv"] != nil) == (number == 1))
                    let revision = try #require(try database.collections[0].document(id: "theirs")?.revisionID)
                    #expect(revision.contains("@") == (number == 1))
                }
            }
        }
    }

    @Test("the hub of an app's tests has version vectors if they are requested")
    func testHub() async throws {
        let hub = try TestHub(versioning: .versionVectors)
        let local = try TemporaryDatabase()
        try local.database.upgradeToVersionVectors()
        let collection = try local.database.defaultCollection()
        try collection.save(document: MutableDocument(id: "a").setInt(1, forKey: "n"))
        let config = ReplicatorConfiguration(target: URLEndpoint(url: hub.url()))
        config.addCollection(collection)
        let replicator = Replicator(config: config)
        let stopped = Recorder<(any Error)?>()
        let token = replicator.addChangeListener { if $0.status.activity == .stopped { stopped.append($0.status.error) } }
        replicator.start()
        _ = await stopped.reaches { !$0.isEmpty }
        token.remove()
        #expect(stopped.all.first ?? nil == nil)
        #expect(try !replicator.isDocumentPending("a", collection: collection))
        await hub.stop()
    }
}

extension Collection {
    /// The ID of the current revision of a document or of its deletion.
    fileprivate func revision(of id: String) -> String? { try? document(id: id)?.revisionID }
}
#endif

#if Replication
import CouchbaseLiteSwift
import CouchbaseLiteTestSupport
import Foundation
import TestSupport
import Testing

@Suite("Test hub")
struct TestHubTests {
    private func replicate(_ database: Database, _ hub: TestHub) async throws -> NSError? {
        let config = try ReplicatorConfiguration(
            collections: [CollectionConfiguration(collection: database.defaultCollection())],
            target: URLEndpoint(url: hub.url())
        )
        config.authenticator = BasicAuthenticator(username: "anna", password: "secret")
        config.maxAttempts = 1
        config.pinnedServerCertificate = hub.certificate
        let replicator = Replicator(config: config)
        let stopped = Recorder<NSError?>()
        let token = replicator.addChangeListener { change in
            if change.status.activity == .stopped { stopped.append(change.status.error as NSError?) }
        }
        replicator.start()
        _ = await stopped.reaches { !$0.isEmpty }
        token.remove()
        return stopped.all.first ?? nil
    }

    @Test("a hub with TLS syncs with a replicator that pins its certificate, with the channels of a role")
    func encryption() async throws {
        let hub = try TestHub(usesTLS: true)
        try hub.addRole("staff", channels: ["a"])
        try hub.addUser("anna", password: "secret", channels: [], roles: ["staff"])
        #expect(hub.url().scheme == "wss" && hub.restURL().scheme == "https")
        let (first, second) = (try TemporaryDatabase(), try TemporaryDatabase())
        try first.database.defaultCollection().save(document: MutableDocument(id: "x", data: ["channels": "a"]))
        for database in [first, second] { #expect(try await replicate(database.database, hub) == nil) }
        #expect(try second.database.defaultCollection().document(id: "x") != nil)
        await hub.stop()
    }

    @Test("a hub has the collections that it was given, in the default scope and in others")
    func collections() async throws {
        let hub = try TestHub(collections: ["notes", "shop.orders"])
        try hub.addUser("anna", password: "secret", channels: ["a"])
        let (first, second) = (try TemporaryDatabase(), try TemporaryDatabase())
        for database in [first.database, second.database] {
            let config = ReplicatorConfiguration(target: URLEndpoint(url: hub.url()))
            config.authenticator = BasicAuthenticator(username: "anna", password: "secret")
            for (name, scope) in [("notes", "_default"), ("orders", "shop")] {
                let collection = try database.createCollection(name: name, scope: scope)
                if database === first.database { try collection.save(document: MutableDocument(id: name, data: ["channels": "a"])) }
                config.addCollection(collection)
            }
            try await Replicator(config: config).run()
        }
        #expect(try second.database.collection(name: "notes")?.document(id: "notes") != nil)
        #expect(try second.database.collection(name: "orders", scope: "shop")?.document(id: "orders") != nil)
        await hub.stop()
    }

    @Test("two databases exchange documents through a hub, unless it refuses requests")
    func exchange() async throws {
        let hub = try TestHub()
        try hub.addUser("anna", password: "wrong", channels: [])
        try hub.addUser("anna", password: "secret", channels: ["a"])
        let (first, second) = (try TemporaryDatabase(), try TemporaryDatabase())
        let document = MutableDocument(id: "x")
        document.setString("a", forKey: "channels")
        try first.database.defaultCollection().save(document: document)
        hub.fault = .refuse(status: 503)
        #expect(try await replicate(first.database, hub)?.code == CBLError.httpServiceUnavailable)
        hub.fault = .delay(seconds: 0.05)
        #expect(try await replicate(first.database, hub) == nil)
        hub.fault = .none
        #expect(try await replicate(second.database, hub) == nil)
        #expect(try second.database.defaultCollection().document(id: "x") != nil)
        hub.cutConnections()
        #expect(hub.restURL().absoluteString == "http://127.0.0.1:\(hub.port)/test")
        await hub.stop()
        #expect(hub.connectionCount == 0)
    }
}
#endif

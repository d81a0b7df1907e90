#if Replication
import CouchbaseLiteSwift
import CouchbaseLiteTestSupport
import Foundation
import TestSupport
import TestTraits
import Testing

@Suite("The guide to testing", .ownThreads)
struct TestingYourAppGuideTests {
    @Test("two devices that were offline agree on a task")
    func devicesAgree() async throws {
        let (phone, tablet) = (try TemporaryDatabase(), try TemporaryDatabase())
        let tasks = try phone.database.defaultCollection()
        let theirTasks = try tablet.database.defaultCollection()
        try tasks.load(json: #"{"t1": {"title": "Write", "done": false}}"#)

        let link = try TestLink(phone.database, tablet.database)
        try await link.sync()

        link.isPartitioned = true
        try phone.database.execute("UPDATE _ SET done = true")
        try tablet.database.execute("UPDATE _ SET title = 'Write a test'")
        await #expect(throws: (any Error).self) { try await link.sync() }

        link.isPartitioned = false
        try await link.sync()
        try link.expectSynced()
        #expect(try tasks.document(id: "t1")?.toJSON() == theirTasks.document(id: "t1")?.toJSON())
    }

    @Test("the examples of the guide to testing load documents, wait for results and replicate over a bad network")
    func works() async throws {
        let printed = Recorder<String>()
        @Sendable func print(_ item: String) { printed.append(item) }

        let temporary = try TemporaryDatabase()
        let database = temporary.database
        let tasks = try database.defaultCollection()
        try tasks.load(
            json: """
                [
                    {"_id": "t1", "done": false, "title": "Write"},
                    {"_id": "t2", "done": true, "title": "Read"}
                ]
                """
        )

        let query = try database.query("SELECT title FROM _ WHERE done = \(true)")
        let results = query.results()
        try database.execute("UPDATE _ SET done = true WHERE title = 'Write'")
        for try await rows in results where rows.allResults().count == 2 {
            print("both are done")
            break
        }
        #expect(printed.all == ["both are done"])

        let server = try TemporaryDatabase(name: "server")
        let clock = TestClock()
        let link = try TestLink(database, server.database, clock: clock, seed: 42)
        link.latency = .milliseconds(200)
        link.lossRate = 0.01

        let ticking = Task {
            while !Task.isCancelled {
                clock.advance(by: .milliseconds(50))
                await Task.yield()
            }
        }
        let resolving = CollectionConfiguration(collection: tasks)
        try await link.sync(attempts: 100, collection: resolving)
        ticking.cancel()
        try link.expectSynced()
    }

    @Test("the example with a hub in the guide to testing replicates after the hub has refused")
    func hub() async throws {
        let printed = Recorder<String>()
        @Sendable func print(_ item: String) { printed.append(item) }

        /// Syncs a database with the hub once.
        func sync(_ database: Database, _ url: URL) async throws {
            let config = try ReplicatorConfiguration(
                collections: [CollectionConfiguration(collection: database.defaultCollection())],
                target: URLEndpoint(url: url)
            )
            config.authenticator = BasicAuthenticator(
                username: "anna",
                password: "secret"
            )
            config.maxAttempts = 1
            let report = try await Replicator(config: config).run()
            if let refusal = report.refused.first.first { throw refusal.error }
        }

        let hub = try TestHub(databases: ["app"])
        try hub.addUser("anna", password: "secret", channels: ["news"])
        let (phone, tablet) = (try TemporaryDatabase(), try TemporaryDatabase())
        try phone.database.defaultCollection().load(
            json: #"{"n1": {"channels": ["news"], "text": "hello"}}"#
        )

        hub.fault = .refuse(status: 503)
        do {
            try await sync(phone.database, hub.url(of: "app"))
        } catch {
            print("The hub does not serve")
        }

        hub.fault = .none
        for device in [phone, tablet] {
            try await sync(device.database, hub.url(of: "app"))
        }
        let received = try tablet.database.defaultCollection().document(id: "n1")
        print(received?.string(forKey: "text") ?? "missing")
        await hub.stop()
        #expect(printed.all == ["The hub does not serve", "hello"])
    }
}
#endif

#if Replication
import CouchbaseLiteSwift
import Foundation
import TestTraits
import TestSupport
import Testing

@Suite("The guide to testing", .ownThreads, .timeLimit(.minutes(5)))
struct TestingYourAppGuideTests {
    @Test("the examples of the guide to testing make databases, wait for results and sync without a server")
    func works() async throws {
        let printed = Recorder<String>()
        @Sendable func print(_ items: Any...) { printed.append(items.map { "\($0)" }.joined(separator: " ")) }

        func makeDatabase(named name: String = "test") throws -> Database {
            let configuration = DatabaseConfiguration()
            configuration.directory = FileManager.default.temporaryDirectory.path
            let uniqueName = "\(name)-\(UUID().uuidString)"
            return try Database(name: uniqueName, config: configuration)
        }

        let database = try makeDatabase()
        defer { try? database.delete() }

        let tasks = try database.defaultCollection()
        try tasks.save(
            document: MutableDocument(
                id: "t1",
                json: #"{"done": false, "title": "Write"}"#
            )
        )

        let query = try database.createQuery("SELECT title FROM _ WHERE done = true")
        let results = query.results()
        let stored = try tasks.document(id: "t1")
        try tasks.save(document: stored!.toMutable().setBoolean(true, forKey: "done"))
        for try await rows in results {
            let done = rows.allResults()
            if done.isEmpty { continue }
            print(done.count, "done")
            break
        }

        let server = try makeDatabase(named: "server")
        defer { try? server.delete() }
        let config = ReplicatorConfiguration(target: DatabaseEndpoint(database: server))
        config.addCollection(tasks)
        let replicator = Replicator(config: config)
        let statuses = replicator.statusChanges()
        replicator.start()
        for await status in statuses where status.activity == .stopped {
            if let error = status.error { throw error }
            break
        }
        print(try server.defaultCollection().count, "on the server")

        #expect(printed.all == ["1 done", "1 on the server"])
    }
}
#endif

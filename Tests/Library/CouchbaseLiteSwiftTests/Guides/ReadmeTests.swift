import CouchbaseLiteSwift
import Foundation
import TestSupport
import Testing

@Suite("Examples of the README")
struct ReadmeTests {
    @Test("the example of the README prints the expected row")
    func exampleWorks() throws {
        let folder = try DefaultFolder()
        var printed: [String] = []
        func print(_ items: Any...) { printed.append(items.map { "\($0)" }.joined(separator: " ")) }
        func Database(name: String) throws -> Database { try folder.database(name: name) }

        let database = try Database(name: "travel")
        let airports = try database.defaultCollection()

        let laPaz = MutableDocument(id: "airport_LPB")
            .setString("airport", forKey: "type")
            .setString("El Alto", forKey: "name")
            .setString("La Paz", forKey: "city")
            .setInt(13355, forKey: "altitude")
            .setBlob(
                Blob(contentType: "text/plain", data: Data("Take it slowly.".utf8)),
                forKey: "advice"
            )
        try airports.save(document: laPaz)

        try airports.createIndex(
            withName: "byAltitude",
            config: ValueIndexConfiguration(["altitude"])
        )

        let least = 10_000
        let query = try database.query(
            """
            SELECT name, city, altitude FROM _
            WHERE altitude >= \(least) ORDER BY altitude DESC
            """
        )
        for row in try query.execute() {
            print(
                row.string(forKey: "name") ?? "?",
                row.string(forKey: "city") ?? "?",
                row.int(forKey: "altitude")
            )
        }
        try database.close()

        #expect(printed == ["El Alto La Paz 13355"])
    }

    #if Replication
    @Test("the list of the README shows what this device and another one change")
    func listIsLive() async throws {
        let folder = try DatabaseFolder()
        let printed = Recorder<String>()
        func print(_ items: Any...) { printed.append(items.map { "\($0)" }.joined(separator: " ")) }
        func Database(name: String) throws -> Database { try folder.open(name) }
        let server = try ServedDatabase(folder, collection: "todos")
        let url = server.url
        let changes = server.collection.changes()
        let otherDevice = Task { [server = server.database] in
            for await _ in changes {
                return try await server.async.execute("UPDATE todos SET isDone = TRUE").changedCount
            }
            return 0
        }

        struct Todo: Codable, Identifiable {
            @DocumentID var id: String?
            var title: String
            var isDone = false
        }

        let database = try Database(name: "todos")
        let todos = try database.createCollection(name: "todos").models(Todo.self)
        try todos.save(Todo(title: "Water the plants"))

        let config = ReplicatorConfiguration(
            collections: [CollectionConfiguration(collection: todos.collection)],
            target: URLEndpoint(url: url)
        )
        config.continuous = true
        Replicator(config: config).start()

        let open = todos.query(where: #Predicate { !$0.isDone })
        for try await list in open.live() {
            print(list.map(\.title))
            if list.isEmpty { break }
        }
        #expect(printed.all == [#"["Water the plants"]"#, "[]"])
        #expect(try await otherDevice.value == 1)
        try database.close()
        #expect(server.collection.count == 1)
    }
    #endif
}

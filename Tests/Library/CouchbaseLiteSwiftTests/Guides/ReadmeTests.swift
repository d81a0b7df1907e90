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
    @Test("the replication example of the README pushes a document")
    func syncs() async throws {
        let folder = try DatabaseFolder()
        let server = try ServedDatabase(folder)
        let airports = try folder.open("travel").defaultCollection()
        try airports.save(document: MutableDocument(id: "airport_LPB"))
        let url = server.url

        let config = ReplicatorConfiguration(target: URLEndpoint(url: url))
        config.addCollection(airports)
        config.continuous = true
        let replicator = Replicator(config: config)
        replicator.start()

        #expect(await replicator.waitUntilDone().error == nil)
        #expect(try server.collection.document(id: "airport_LPB") != nil)
        replicator.stop()
    }
    #endif
}

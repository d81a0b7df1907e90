import CouchbaseLiteSwift
import Foundation
import Testing

@Suite("The guide for those who come from Firebase")
struct ComingFromFirebaseGuideTests {
    struct City: Codable, Identifiable {
        @DocumentID var id: String?
        var name: String
        var state: String?
        var population: Int
    }

    @Test("the examples of the guide save, find, observe, change and delete cities")
    func works() throws {
        let config = try DatabaseFolder().config

        let database = try Database(name: "geography", config: config)
        let cities = try database.createCollection(name: "cities").models(City.self)
        try cities.save(
            City(id: "LA", name: "Los Angeles", state: "CA", population: 3_900_000)
        )
        let city = try cities.get("LA")

        let large = cities.query(
            where: #Predicate { $0.state == "CA" && $0.population > 1_000_000 },
            orderBy: [SortDescriptor(\.population)]
        )
        let found = try large.all()
        let registration = Task {
            for try await current in large.live() { print(current.count) }
        }

        try database.execute(
            "UPDATE cities SET population = 3850000 WHERE meta().id = 'LA'"
        )
        try cities.query(where: #Predicate { $0.id == "LA" }).delete()
        #expect(city?.name == "Los Angeles" && found.map(\.id) == ["LA"])
        #expect(try cities.query().count() == 0)
        registration.cancel()
    }

    #if Replication
    @Test("the replicator of the guide pushes a city to a server with a password")
    func syncs() async throws {
        let folder = try DatabaseFolder()
        let password = "secret"
        let server = try ServedDatabase(folder, collection: "cities") {
            $0.authenticator = ListenerPasswordAuthenticator { $0 == "anna" && $1 == "secret" }
        }
        let url = server.url
        let cities = try folder.open("geography").createCollection(name: "cities").models(City.self)
        try cities.save(City(id: "LA", name: "Los Angeles", state: "CA", population: 3_900_000))

        let sync = ReplicatorConfiguration(
            collections: [CollectionConfiguration(collection: cities.collection)],
            target: URLEndpoint(url: url)
        )
        sync.continuous = true
        sync.authenticator = BasicAuthenticator(username: "anna", password: password)
        let replicator = Replicator(config: sync)
        replicator.start()

        #expect(await replicator.waitUntilDone().error == nil)
        #expect(try server.collection.document(id: "LA") != nil)
        replicator.stop()
    }
    #endif
}

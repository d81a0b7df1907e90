import CouchbaseLiteSwift

// declarations
// block: 1

// program
let config = try DatabaseFolder().config
// block: 2
check(city?.name == "Los Angeles" && found.map(\.id) == ["LA"])
check(try cities.query().count() == 0)
registration.cancel()

// program that needs Replication
let folder = try DatabaseFolder()
let password = "secret"
let server = try ServedDatabase(folder, collection: "cities", password: password)
let url = server.url
let cities = try folder.open("geography").createCollection(name: "cities").models(City.self)
try cities.save(City(id: "LA", name: "Los Angeles", state: "CA", population: 3_900_000))
// block: 3
await replicator.waitUntilDone()
check(server.collection.count == 1)
replicator.stop()

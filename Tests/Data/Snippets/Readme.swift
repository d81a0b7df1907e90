import CouchbaseLiteSwift

// program
// block: 1
try await expectPrinted("El Alto La Paz 13355")

// program that needs Replication
let folder = try DatabaseFolder()
let server = try ServedDatabase(folder, collection: "airports")
let airports = try folder.open("travel").createCollection(name: "airports")
try airports.save(document: MutableDocument(id: "airport_LPB"))
let url = server.url
// block: 2
await replicator.waitUntilDone()
check(server.collection.count == 1)
replicator.stop()

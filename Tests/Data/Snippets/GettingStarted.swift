import CouchbaseLiteSwift

// program that needs Replication
let folder = try DatabaseFolder()
let server = try ServedDatabase(folder, collection: "notes")
let url = server.url
let directory = folder.url.path
// block: 1
// block: 2
// block: 3
// block: 4
// block: 5
try await expectPrinted("Buy milk false")
try await expectPrinted("synced: 100 pushed, 0 pulled")
check(server.collection.count == 100)

import CouchbaseLiteSwift

// program that needs Replication
let folder = try DatabaseFolder()
let server = try ServedDatabase(folder, collection: "todos")
let url = server.url
let changes = server.collection.changes()
let otherDevice = Task.detached { [server = server.database] in
    for await _ in changes { return try server.execute("UPDATE todos SET isDone = TRUE").changedCount }
    return 0
}
// block: 1
try await expectPrinted("Water the plants")
try await expectPrinted("[]")
try database.close()

// program
// block: 2
try await expectPrinted("El Alto La Paz 13355")

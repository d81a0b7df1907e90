import CouchbaseLiteSwift

// program that needs Replication
let database = try DatabaseFolder().open("db")
guard let url = URL(string: "ws://localhost:4984/db") else { fatalError("not a URL") }
// block: 1
try await expectPrinted("notes")

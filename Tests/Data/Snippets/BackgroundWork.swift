import CouchbaseLiteSwift

// declarations
#if Replication
// block: 1
#endif

// apple: BackgroundTasks, SwiftUI, UIKit
// block: 2
// block: 3
// block: 4
// block: 5

// program that needs Replication
let folder = try DatabaseFolder()
let server = try ServedDatabase(folder, collection: nil)
let notes = try folder.open("client")
try server.collection.save(document: MutableDocument(id: "note-1"))
try await syncOnce(notes, with: server.url)
check(try notes.defaultCollection().document(id: "note-1") != nil)

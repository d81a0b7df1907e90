import CouchbaseLiteSwift

// program that needs Replication
let folder = try DatabaseFolder()
let server = try ServedDatabase(folder, collection: "notes", password: "letmein")
let (url, password) = (server.url, "letmein")
let notes = try folder.open("client").createCollection(name: "notes")
let queue = DispatchQueue(label: "guide")
try notes.save(document: MutableDocument(id: "note-1").setString("Hello", forKey: "text"))
try server.collection.save(document: MutableDocument(id: "note-2").setString("Hi", forKey: "text"))
// block: 1
// block: 3
try await save(MutableDocument(id: "note-4"))
check(try server.collection.document(id: "note-4") != nil)
// block: 4
// block: 5
// block: 7
check(waiting.isEmpty && server.collection.count == 3)
// The listener may have been added after the replicator became idle for the first time.
try notes.save(document: MutableDocument(id: "note-3"))
try await expectPrinted("idle")
replicator.stop()

// program that needs Replication
let folder = try DatabaseFolder()
let server = try ServedDatabase(folder, collection: "notes")
let notes = try folder.open("client").createCollection(name: "notes")
try notes.save(document: MutableDocument(id: "a").setBoolean(true, forKey: "draft"))
try notes.save(document: MutableDocument(id: "b"))
let url = server.url
// block: 6
config.replicatorType = .push
let replicator = Replicator(config: config)
replicator.start()
await replicator.waitUntilDone()
check(server.collection.count == 1)

// program that needs Replication
let folder = try DatabaseFolder()
let server = try ServedDatabase(folder, collection: "notes")
let (url, notes) = (server.url, try folder.open("client").createCollection(name: "notes"))
try notes.save(document: MutableDocument(id: "note-1"))
// block: 2
try await expectPrinted("1 pushed, 0 pulled")

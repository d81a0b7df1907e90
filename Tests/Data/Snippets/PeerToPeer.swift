import CouchbaseLiteSwift

// program that needs Replication
let folder = try DatabaseFolder()
let notes = try folder.open("here").createCollection(name: "notes")
let theirNotes = try folder.open("there").createCollection(name: "notes")
try notes.save(document: MutableDocument(id: "note-1"))
let secret = "a good one"
// block: 1
try await expectPrinted("reach me at")
guard let anonymous = listener.tlsIdentity, let port = listener.port, let certificate = anonymous.certs.first,
    let url = URL(string: "wss://localhost:\(port)/here")
else { fatalError("the listener has no identity or port") }
// block: 2
await replicator.waitUntilDone()
check(try theirNotes.document(id: "note-1") != nil)
// block: 3
let label = UUID().uuidString
// block: 4
try TLSIdentity.deleteIdentity(withLabel: label)
listener.stop()

// program that needs Replication
let folder = try DatabaseFolder()
let notes = try folder.open("notes").createCollection(name: "notes")
let backup = try folder.open("backup")
let kept = try backup.createCollection(name: "notes")
try notes.save(document: MutableDocument(id: "note-1"))
// block: 7
await copier.waitUntilDone()
check(kept.count == 1)

// program that needs Replication
let folder = try DatabaseFolder()
let notes = try folder.open("here").createCollection(name: "notes")
let configuration = URLEndpointListenerConfiguration(collections: [notes])
let (authorityText, phoneLabel) = ("", UUID().uuidString)
guard let url = URL(string: "wss://localhost:4984/there") else { fatalError("not a URL") }
let config = ReplicatorConfiguration(
    collections: [CollectionConfiguration(collection: notes)],
    target: URLEndpoint(url: url)
)
// block: 5
// block: 6

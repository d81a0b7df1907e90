// The main.swift of an app in Swift 6 mode: every kind of listener, filter, resolver and authenticator is set at the top level, where all
// code belongs to the main actor. The program prints a line for each that was called, and exits with 0 when all were.
import CouchbaseLiteSwift
import Foundation

let directory = FileManager.default.temporaryDirectory.appendingPathComponent("cbl-main-\(UUID().uuidString)")
let config = DatabaseConfiguration()
config.directory = directory.path
let database = try Database(name: "notes", config: config)
let notes = try database.createCollection(name: "notes")
let queue = DispatchQueue(label: "listeners")
let calls = Calls()

var mainCalls: Set<String> = []
@MainActor func called(_ name: String) { mainCalls.insert(name) }

// Listeners without a queue belong to the main actor, and use its variables.
notes.addChangeListener { change in called("collection listener, \(change.documentIDs.count)") }
notes.addDocumentChangeListener(id: "a") { change in called("document listener, \(change.documentID)") }
let query = try database.createQuery("SELECT text FROM notes")
query.addChangeListener { change in
    guard let results = change.results, results.allResults().count > 0 else { return }
    called("query listener")
}

// Listeners with a queue belong to no actor.
notes.addChangeListener(queue: queue) { change in calls.add("collection listener on a queue, \(change.documentIDs.count)") }
notes.addDocumentChangeListener(id: "a", queue: queue) { change in calls.add("document listener on a queue, \(change.documentID)") }
query.addChangeListener(withQueue: queue) { change in
    let texts = change.results?.compactMap { $0.string(forKey: "text") } ?? []
    if !texts.isEmpty { calls.add("query listener on a queue, \(texts)") }
}
notes.addChangeListener(queue: .main) { _ in calls.add("collection listener on the main queue") }
var expected: Set = [
    "collection listener, 1", "document listener, a", "query listener", "collection listener on a queue, 1",
    "document listener on a queue, a", #"query listener on a queue, ["first"]"#, "collection listener on the main queue",
]

try notes.save(document: MutableDocument(id: "a").setString("first", forKey: "text"))
try wait()

LogSinks.custom = CustomLogSink(level: .info, domains: [.replicator, .database], logSink: Sink())
expected.insert("log sink")

#if Replication
let copy = try Database(name: "copy", config: config)
let copies = try copy.createCollection(name: "notes")
try copies.save(document: MutableDocument(id: "a").setString("other", forKey: "text"))
try copies.save(document: MutableDocument(id: "b"))

var filtered = CollectionConfiguration()
filtered.pushFilter = { document, _ in
    calls.add("push filter")
    return document.id != "draft"
}
filtered.pullFilter = { _, flags in
    calls.add("pull filter")
    return !flags.contains(.deleted)
}
filtered.conflictResolver = KeepLocal()
let replicating = ReplicatorConfiguration(target: DatabaseEndpoint(database: copy))
replicating.addCollection(notes, config: filtered)
let replicator = Replicator(config: replicating)
replicator.addChangeListener { change in if change.status.activity == .stopped { called("replicator listener") } }
replicator.addChangeListener(withQueue: queue) { change in
    if change.status.activity == .stopped { calls.add("replicator listener on a queue") }
}
replicator.addDocumentReplicationListener { _ in called("document replication listener") }
replicator.addDocumentReplicationListener(withQueue: queue) { _ in calls.add("document replication listener on a queue") }
expected.formUnion([
    "push filter", "pull filter", "conflict resolver", "replicator listener", "replicator listener on a queue",
    "document replication listener", "document replication listener on a queue",
])
replicator.start()
try wait()

let serving = URLEndpointListenerConfiguration(collections: [copies])
serving.networkInterface = "localhost"
serving.disableTLS = true
serving.authenticator = ListenerPasswordAuthenticator { name, password in
    calls.add("password authenticator")
    return name == "anna" && password == "secret"
}
let server = URLEndpointListener(config: serving)
try server.start()
let client = ReplicatorConfiguration(target: try URLEndpoint(validating: server.urls![0]))
client.addCollection(notes)
client.authenticator = BasicAuthenticator(username: "anna", password: "secret")
let remote = Replicator(config: client)
remote.addChangeListener { change in if change.status.activity == .stopped { called("replicator of a server") } }
expected.formUnion(["password authenticator", "replicator of a server"])
remote.start()
try wait()
server.stop()

let accepting = MessageEndpointListener(
    config: MessageEndpointListenerConfiguration(collections: [copies], protocolType: .messageStream)
)
accepting.addChangeListener { change in if change.status.activity == .stopped { called("message endpoint listener") } }
accepting.addChangeListener(withQueue: queue) { change in
    if change.status.activity == .stopped { calls.add("message endpoint listener on a queue") }
}
let endpoint = MessageEndpoint(uid: "copy", target: nil, protocolType: .messageStream, delegate: Dialer(to: accepting))
let messaging = ReplicatorConfiguration(target: endpoint)
messaging.addCollection(notes)
let messenger = Replicator(config: messaging)
messenger.addChangeListener { change in if change.status.activity == .stopped { called("replicator with messages") } }
expected.formUnion(["replicator with messages", "message endpoint listener", "message endpoint listener on a queue"])
messenger.start()
try wait()
try copy.close()
#endif

try database.close()
LogSinks.custom = nil
try FileManager.default.removeItem(at: directory)

/// Runs the main queue until everything that is expected was called, and prints it.
@MainActor func wait() throws {
    // Only ends a run that fails, so it is longer than a slow machine needs.
    let deadline = Date(timeIntervalSinceNow: 2400)
    while !expected.isSubset(of: mainCalls.union(calls.all)) {
        RunLoop.main.run(until: Date(timeIntervalSinceNow: 0.01))
        guard Date() < deadline else {
            print("not called:", expected.subtracting(mainCalls.union(calls.all)).sorted())
            exit(1)
        }
    }
    for name in expected.sorted() { print(name) }
    expected = []
}

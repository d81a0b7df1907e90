// The main.swift of an app as written before Swift 6: listeners of every kind at the top level change global variables and objects that
// are not Sendable. The program prints a line for each that was called, and exits with 0 when all were.
import CouchbaseLiteSwift
import Foundation

/// What was called, on any thread.
class Calls {
    private let lock = NSLock()
    private var names: Set<String> = []

    func add(_ name: String) {
        lock.lock()
        names.insert(name)
        lock.unlock()
    }

    var all: Set<String> {
        lock.lock()
        defer { lock.unlock() }
        return names
    }
}

/// Like a view controller.
@MainActor class View {
    var changes = 0

    func follow(_ notes: Collection) {
        notes.addChangeListener { change in
            self.changes += change.documentIDs.count
            calls.add("listener of a view, \(self.changes)")
        }
    }
}

let directory = FileManager.default.temporaryDirectory.appendingPathComponent("cbl-main-\(UUID().uuidString)")
let config = DatabaseConfiguration()
config.directory = directory.path
let database = try Database(name: "notes", config: config)
let notes = try database.createCollection(name: "notes")
let queue = DispatchQueue(label: "listeners")
let calls = Calls()
var changes = 0

notes.addChangeListener { change in
    changes += change.documentIDs.count
    calls.add("collection listener, \(changes)")
}
notes.addChangeListener(queue: queue) { change in calls.add("collection listener on a queue, \(change.documentIDs.count)") }
notes.addDocumentChangeListener(id: "a") { change in calls.add("document listener, \(change.documentID)") }
notes.addDocumentChangeListener(id: "a", queue: queue) { change in calls.add("document listener on a queue, \(change.documentID)") }
let query = try database.createQuery("SELECT text FROM notes")
query.addChangeListener { change in
    if change.results?.allResults().isEmpty == false { calls.add("query listener") }
}
query.addChangeListener(withQueue: queue) { change in
    if change.results?.allResults().isEmpty == false { calls.add("query listener on a queue") }
}
MainActor.assumeIsolated { View().follow(notes) }
var expected: Set = [
    "collection listener, 1", "collection listener on a queue, 1", "document listener, a", "document listener on a queue, a",
    "query listener", "query listener on a queue", "listener of a view, 1",
]

try notes.save(document: MutableDocument(id: "a").setString("first", forKey: "text"))
wait()

#if Replication
class KeepLocal: ConflictResolverProtocol {
    var count = 0

    func resolve(conflict: Conflict) -> Document? {
        count += 1
        calls.add("conflict resolver, \(count)")
        return conflict.localDocument
    }
}

let copy = try Database(name: "copy", config: config)
let copies = try copy.createCollection(name: "notes")
try copies.save(document: MutableDocument(id: "a").setString("other", forKey: "text"))
var pushed: [String] = []
var filtered = CollectionConfiguration()
filtered.pushFilter = { document, _ in
    pushed.append(document.id)
    calls.add("push filter, \(pushed)")
    return document.id != "draft"
}
filtered.conflictResolver = KeepLocal()
let replicating = ReplicatorConfiguration(target: DatabaseEndpoint(database: copy))
replicating.addCollection(notes, config: filtered)
let replicator = Replicator(config: replicating)
replicator.addChangeListener { change in
    if change.status.activity == .stopped { calls.add("replicator listener") }
}
replicator.addDocumentReplicationListener(withQueue: queue) { _ in calls.add("document replication listener on a queue") }
expected.formUnion([
    "push filter, [\"a\"]", "conflict resolver, 1", "replicator listener", "document replication listener on a queue",
])
replicator.start()
wait()
try copy.close()
#endif

try database.close()
try FileManager.default.removeItem(at: directory)

/// Runs the main queue until everything that is expected was called, and prints it.
func wait() {
    // Only ends a run that fails, so it is longer than a slow machine needs.
    let deadline = Date(timeIntervalSinceNow: 2400)
    while !expected.isSubset(of: calls.all) {
        RunLoop.main.run(until: Date(timeIntervalSinceNow: 0.01))
        guard Date() < deadline else {
            print("not called:", expected.subtracting(calls.all).sorted())
            exit(1)
        }
    }
    for name in expected.sorted() { print(name) }
    expected = []
}

// Code as written before Swift 6: nothing here is Sendable, closures capture `self` and change local variables, and all calls are
// made without `await`, in async functions too. The main purpose of the test is that this code compiles.
import CouchbaseLiteSwift
import TestSupport
import Testing

/// Like a view controller: a class with state that its listeners change.
class NotesController {
    let database: Database
    var changes = 0
    var changedIDs: [String] = []
    var tokens: [ListenerToken] = []
    let done = DispatchSemaphore(value: 0)

    init(directory: String) throws {
        let config = DatabaseConfiguration()
        config.directory = directory
        database = try Database(name: "notes", config: config)
    }

    func listen(on queue: DispatchQueue) throws {
        let collection = try database.defaultCollection()
        tokens.append(
            collection.addChangeListener(queue: queue) { change in
                self.changes += 1
                self.changedIDs += change.documentIDs
                self.done.signal()
            }
        )
        tokens.append(
            database.addDocumentChangeListener(withID: "a", queue: queue) { [weak self] change in
                self?.changedIDs.append("document " + change.documentID)
                self?.done.signal()
            }
        )
        tokens.append(
            database.addChangeListener(withQueue: queue) { (change: DatabaseChange) in
                self.changedIDs.append("database \(change.documentIDs.count)")
                self.done.signal()
            }
        )
    }

    func stop() {
        tokens.forEach { database.removeChangeListener(withToken: $0) }
    }
}

@Suite("A client in Swift 5 mode")
struct Swift5ClientTests {
    @Test("closures of a client in Swift 5 mode may capture self and change local variables")
    func closures() throws {
        let directory = try TemporaryDirectory()
        let controller = try NotesController(directory: directory.url.path)
        let queue = DispatchQueue(label: "listeners")
        try controller.listen(on: queue)
        var attempts = 0
        var saved: [String] = []
        try controller.database.inBatch {
            let document = MutableDocument(id: "a")
            try controller.database.saveDocument(document)
            saved.append(document.id)
        }
        let stale = MutableDocument(id: "a")
        let isSaved = try controller.database.saveDocument(stale) { mine, theirs in
            attempts += 1
            mine.setInt((theirs?.int(forKey: "n") ?? 0) + 1, forKey: "n")
            return true
        }
        for _ in 0..<6 { controller.done.wait() }
        queue.sync {}
        controller.stop()
        #expect(isSaved)
        #expect(attempts == 1)
        #expect(saved == ["a"])
        #expect(controller.changes == 2)
        #expect(controller.changedIDs.sorted() == ["a", "a", "database 1", "database 1", "document a", "document a"])
    }

    @Test("async code of a client in Swift 5 mode can call synchronous and async functions")
    func asyncCode() async throws {
        let directory = try TemporaryDirectory()
        let controller = try NotesController(directory: directory.url.path)
        let collection = try controller.database.defaultCollection()
        let changes = collection.changes()
        try controller.database.saveDocument(MutableDocument(id: "a"))
        try collection.save(document: MutableDocument(id: "b"))
        try await controller.database.write { try collection.save(document: MutableDocument(id: "c")) }
        let task = Task { try collection.document(id: "c") }
        let count = try await controller.database.read { collection.count }
        #expect(count == 3)
        #expect(try await task.value != nil)
        for await change in changes {
            #expect(change.documentIDs == ["a", "b", "c"])
            break
        }
        try await controller.database.async.delete()
    }
}

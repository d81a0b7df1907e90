// Code as written for Swift 6: everything is checked for data races. The main purpose of the test is that this code compiles.
import CouchbaseLiteSwift
import Synchronization
import TestSupport
import Testing

/// An actor that is the only user of the database.
actor NotesStore {
    private let collection: Collection
    private var received: [String] = []

    init(directory: String) async throws {
        let config = DatabaseConfiguration()
        config.directory = directory
        let database = try await Database.async.open(name: "notes", config: config)
        collection = try await database.write { try database.createCollection(name: "notes") }
    }

    func add(_ text: String) async throws -> String {
        let document = MutableDocument().setString(text, forKey: "text")
        try await collection.database.write { [collection] in try collection.save(document: document) }
        return document.id
    }

    func text(of id: String) async throws -> String? {
        try await collection.database.read { [collection] in try collection.document(id: id)?.string(forKey: "text") }
    }

    func count(containing word: String) async throws -> Int {
        let database = collection.database
        return try await database.read {
            try database.query("SELECT meta().id FROM notes WHERE text LIKE \("%\(word)%")").execute().allResults().count
        }
    }

    func addTogether(_ texts: [String]) async throws -> UInt64 {
        try await collection.database.write { [collection] in
            for text in texts { try collection.save(document: MutableDocument().setString(text, forKey: "text")) }
            return collection.count
        }
    }

    /// The iteration is isolated to the actor, so it may change the actor's state.
    func listen(_ changes: CollectionChanges, until count: Int) async -> [String] {
        for await change in changes {
            received += change.documentIDs
            if received.count >= count { break }
        }
        return received
    }

    nonisolated func changes() -> CollectionChanges { collection.changes() }

    func close() async throws {
        try await collection.database.async.close()
    }
}

/// The state of a view, on the main actor.
@MainActor
final class NotesModel {
    private(set) var changed: [String] = []
    private var token: ListenerToken?

    func follow(_ collection: Collection) {
        // Without a queue, the listener is called on the main queue.
        token = collection.addChangeListener { [weak self] change in self?.changed += change.documentIDs }
    }

    func stop() {
        token?.remove()
    }

    /// The texts of the notes that a list on the screen shows.
    private(set) var texts: [String] = []

    /// Updates the list with the differences of the query until the list has this number of rows.
    func show(_ query: Query, until count: Int) async throws {
        for try await difference in query.differences() {
            difference.apply(to: &texts) { row in row.string(forKey: "text") ?? "" }
            if texts.count == count { break }
        }
    }
}

@Suite("A client in Swift 6 mode")
struct Swift6ClientTests {
    @Test("an actor can save, read, query and listen")
    func actors() async throws {
        let directory = try TemporaryDirectory()
        let store = try await NotesStore(directory: directory.url.path)
        let changes = store.changes()
        async let received = store.listen(changes, until: 3)
        let id = try await store.add("a cat")
        #expect(try await store.text(of: id) == "a cat")
        #expect(try await store.addTogether(["a dog", "two cats"]) == 3)
        #expect(try await store.count(containing: "cat") == 2)
        #expect(await received.count == 3)
        try await store.close()
    }

    @Test("databases, collections, documents, queries and blobs can be shared among tasks")
    func sharing() async throws {
        let directory = try TemporaryDirectory()
        let config = DatabaseConfiguration()
        config.directory = directory.url.path
        let database = try Database(name: "shared", config: config)
        let collection = try database.defaultCollection()
        try collection.save(document: MutableDocument(id: "a").setInt(1, forKey: "n"))
        let document = try #require(try collection.document(id: "a"))
        let query = try database.createQuery("SELECT n FROM _")
        let blob = Blob(contentType: "text/plain", data: Data("hello".utf8))
        let sum = try await withThrowingTaskGroup(of: Int.self) { group in
            group.addTask { document.int(forKey: "n") }
            group.addTask { Int(collection.count) }
            group.addTask { try query.execute().allResults().count }
            group.addTask { blob.content?.count ?? 0 }
            group.addTask { try database.scopes().count }
            return try await group.reduce(0, +)
        }
        #expect(sum == 9)
    }

    @Test("a listener's closure can share state behind a lock")
    func closures() async throws {
        let directory = try TemporaryDirectory()
        let config = DatabaseConfiguration()
        config.directory = directory.url.path
        let database = try Database(name: "closures", config: config)
        let collection = try database.defaultCollection()
        let received = Mutex<[String]>([])
        await withCheckedContinuation { continuation in
            let token = collection.addDocumentChangeListener(id: "a", queue: .global()) { change in
                received.withLock { $0.append(change.documentID) }
                continuation.resume()
            }
            #expect(throws: Never.self) { try collection.save(document: MutableDocument(id: "a")) }
            withExtendedLifetime(token) {}
        }
        #expect(received.withLock { $0 } == ["a"])
    }

    @MainActor
    @Test("a model on the main actor can observe the differences of a query")
    func liveQuery() async throws {
        let directory = try TemporaryDirectory()
        let config = DatabaseConfiguration()
        config.directory = directory.url.path
        let database = try await Database.async.open(name: "live", config: config)
        let collection = try database.defaultCollection()
        let query = try database.createQuery("SELECT meta().id, text FROM _ ORDER BY text")
        let model = NotesModel()
        let showing = Task { try await model.show(query, until: 2) }
        for text in ["b", "a"] {
            try await database.write { try collection.save(document: MutableDocument().setString(text, forKey: "text")) }
        }
        try await showing.value
        #expect(model.texts == ["a", "b"])
        try await database.async.close()
    }

    @MainActor
    @Test("a model on the main actor is notified by a collection listener")
    func mainActor() async throws {
        let directory = try TemporaryDirectory()
        let config = DatabaseConfiguration()
        config.directory = directory.url.path
        let database = try await Database.async.open(name: "model", config: config)
        let collection = try database.defaultCollection()
        let model = NotesModel()
        model.follow(collection)
        try await database.write { try collection.save(document: MutableDocument(id: "a")) }
        // Listeners are called in the order in which they were added.
        await withCheckedContinuation { continuation in
            collection.addDocumentChangeListener(id: "b") { _ in continuation.resume() }
            #expect(throws: Never.self) { try collection.save(document: MutableDocument(id: "b")) }
        }
        #expect(model.changed == ["a", "b"])
        model.stop()
    }
}

import CouchbaseLiteSwift
import Testing

@Suite("Async functions for model objects")
struct AsyncModelTests {
    private final class Counter: Codable {
        @DocumentID var id: String?
        var value: Int

        init(id: String?, value: Int) {
            self.value = value
            self.id = id
        }
    }

    private let test: TestDatabase
    private let collection: Collection

    init() throws {
        test = try TestDatabase()
        collection = try test.database.createCollection(name: "counters")
    }

    @Test("the async functions save and read model objects")
    func saving() async throws {
        let counter = Counter(id: nil, value: 1)
        try await collection.async.save(from: counter)
        let id = try #require(counter.id)
        #expect(try await collection.async.document(id: id, as: Counter.self)?.value == 1)
        #expect(try await collection.async.document(id: "none", as: Counter.self) == nil)
    }

    @Test("the async functions detect conflicts of model objects and call the conflict handler")
    func conflicts() async throws {
        let mine = Counter(id: "a", value: 1)
        try await collection.async.save(from: mine)
        let theirs = try #require(try await collection.async.document(id: "a", as: Counter.self))
        theirs.value = 10
        #expect(try await collection.async.save(from: theirs, concurrencyControl: .failOnConflict))
        #expect(try await !collection.async.save(from: mine, concurrencyControl: .failOnConflict))
        let isSaved = try await collection.async.save(from: mine) { mine, stored in
            mine.value += stored?.value ?? 0
            return true
        }
        #expect(isSaved)
        #expect(try collection.document(id: "a")?.int(forKey: "value") == 11)
    }

    @Test("the async functions delete and purge model objects")
    func removing() async throws {
        let counter = Counter(id: "a", value: 1)
        try await collection.async.save(from: counter)
        let stale = try #require(try collection.document(id: "a", as: Counter.self))
        try await collection.async.save(from: counter)
        #expect(try await !collection.async.delete(for: stale, concurrencyControl: .failOnConflict))
        try await collection.async.delete(for: counter)
        #expect(try collection.document(id: "a") == nil)
        try await collection.async.save(from: counter)
        try await collection.async.purge(for: counter)
        #expect(collection.count == 0)
    }

    @Test("the async functions throw a decoding error like the synchronous ones")
    func errors() async throws {
        try collection.save(document: MutableDocument(id: "a").setString("no number", forKey: "value"))
        do {
            _ = try await collection.async.document(id: "a", as: Counter.self)
            Issue.record("it was read")
        } catch let error as NSError {
            #expect(error.code == CBLError.decodingError)
        }
    }
}

import CouchbaseLiteSwift
import Testing

@Suite("Async functions for values")
struct AsyncModelCollectionTests {
    struct Counter: Codable, Identifiable, Sendable, Equatable {
        @DocumentID var id: String?
        var value: Int
    }

    /// Owns a value, and changes it in its own isolation.
    actor Owner {
        private let counters: AsyncModelCollection<Counter>
        private var counter: Counter

        init(_ counters: AsyncModelCollection<Counter>, _ counter: Counter) {
            self.counters = counters
            self.counter = counter
        }

        func increment() async throws -> Counter {
            var changed = counter
            changed.value += 1
            try await counters.save(&changed)
            counter = changed
            return changed
        }
    }

    private let test: TestDatabase
    private let counters: ModelCollection<Counter>

    init() throws {
        test = try TestDatabase()
        counters = try test.database.createCollection(name: "counters").models()
    }

    @Test("the async saves of values change or return them")
    func saving() async throws {
        var counter = Counter(value: 1)
        try await counters.async.save(&counter)
        let id = try #require(counter.id)
        let second = try await counters.async.save(Counter(id: "b", value: 2))
        let (found, all) = try await test.database.read { [counters] in
            (try counters.get(id), try counters.query(orderBy: [SortDescriptor(\.value)]).all())
        }
        #expect(found == counter)
        #expect(all == [counter, second])
    }

    @Test("the async functions detect conflicts of values and call the conflict handler")
    func conflicts() async throws {
        var mine = try await counters.async.save(Counter(id: "a", value: 1))
        let theirs = mine
        #expect(try await counters.async.save(theirs, concurrencyControl: .failOnConflict) != nil)
        var isSaved = try await counters.async.save(&mine, concurrencyControl: .failOnConflict)
        #expect(!isSaved)
        isSaved = try await counters.async.save(&mine) { mine, stored in
            mine.value += stored?.value ?? 0
            return true
        }
        #expect(isSaved && mine.value == 2)
        #expect(try await counters.async.save(theirs) { _, _ in false } == nil)
    }

    @Test("values are passed between actors, which save them one after another")
    func actors() async throws {
        let counter = try await counters.async.save(Counter(id: "a", value: 0))
        let owners = (0..<4).map { _ in Owner(counters.async, counter) }
        try await withThrowingTaskGroup(of: Counter.self) { group in
            for owner in owners { group.addTask { try await owner.increment() } }
            for try await saved in group { #expect(saved.value == 1 && saved.id == "a") }
        }
        #expect(counter.value == 0)
        #expect(try counters.save(counter, concurrencyControl: .failOnConflict) == nil)
        #expect(try counters.get("a")?.value == 1)
    }

    @Test("blocks throw the errors of the functions in them")
    func errors() async throws {
        try counters.collection.save(document: MutableDocument(id: "a").setString("no number", forKey: "value"))
        do {
            _ = try await test.database.read { [counters] in try counters.get("a") }
            Issue.record("it was read")
        } catch {
            #expect(CBLError.decodingError ~= error)
        }
    }
}

import CouchbaseLiteSwift
import Testing

@Suite("Async forms of single functions for values")
struct AsyncModelFormTests {
    struct Counter: Codable, Identifiable, Sendable, Equatable {
        @DocumentID var id: String?
        var value: Int
    }

    private let test: TestDatabase
    private let counters: ModelCollection<Counter>

    init() throws {
        test = try TestDatabase()
        counters = try test.database.createCollection(name: "counters").models()
    }

    @Test("the async functions save, read, count and remove values")
    func saving() async throws {
        var counter = Counter(value: 1)
        try await counters.async.save(&counter)
        let id = try #require(counter.id)
        #expect(try await counters.async.get(id) == counter)
        #expect(try await counters.async.get("none") == nil)
        let second = try await counters.async.save(Counter(id: "b", value: 2))
        #expect(try await counters.async.all(orderBy: [SortDescriptor(\.value)]) == [counter, second])
        #expect(try await counters.async.count() == 2)
        #expect(try await counters.async.count(where: #Predicate { $0.value == 2 }) == 1)
        try await counters.async.delete(second)
        try await counters.async.purge(counter)
        #expect(try await counters.async.count() == 0)
    }

    @Test("the async functions change and delete all values that satisfy a condition")
    func conditions() async throws {
        for value in 0..<4 { try await counters.async.save(Counter(value: value)) }
        #expect(try await counters.async.update(where: #Predicate { $0.value > 1 }) { $0.value = 9 } == 2)
        #expect(try await counters.async.delete(where: #Predicate { $0.value == 9 }) == 2)
        #expect(try counters.count() == 2)
    }
}

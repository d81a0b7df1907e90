import Foundation
import Observation
import TestSupport
import Testing

@testable import CouchbaseLiteSwift
@testable import DocumentStore

/// Suspends the task until an observed value satisfies a condition. Only notifications of `Observation` resume the task.
@MainActor
func observe<Value>(_ value: @escaping @MainActor () -> Value, until isEnough: (Value) -> Bool) async {
    while true {
        let (changes, continuation) = AsyncStream.makeStream(of: Void.self)
        if isEnough(withObservationTracking(value) { continuation.yield() }) { return }
        for await _ in changes { break }
    }
}

@MainActor
@Suite("Observable live results")
struct LiveQueryTests {
    let folder: DatabaseFolder
    let database: Database
    let tasks: ModelCollection<LiveTask>

    init() throws {
        folder = try DatabaseFolder()
        database = try folder.open()
        tasks = try database.createCollection(name: "tasks").models()
    }

    private func save(_ id: String, _ rank: Int) throws {
        try tasks.save(LiveTask(id: id, title: "t", rank: rank))
    }

    private var isWatched: Bool { get throws { try database.openFile().watch.isNeeded } }

    @Test("the rows of a live query are loaded in the background, and observers are notified of each change")
    func rows() async throws {
        try save("a", 1)
        let live = LiveQuery(tasks.query(orderBy: [SortDescriptor(\.rank)]).live())
        #expect(live.rows == [] && live.state == .loading && live.error == nil)
        await observe({ live.rows }, until: { $0.map(\.id) == ["a"] })
        #expect(live.state == .current)
        try save("b", 2)
        await observe({ live.rows }, until: { $0.map(\.id) == ["a", "b"] })
    }

    @Test("a live query can be given another condition, and keeps its rows until they are replaced")
    func otherCondition() async throws {
        try save("a", 1)
        try save("b", 2)
        let live = LiveQuery(tasks.query(where: #Predicate { $0.rank == 1 }).live())
        await observe({ live.rows }, until: { $0.map(\.id) == ["a"] })
        live.observe(tasks.query(where: #Predicate { $0.rank == 2 }).live())
        #expect(live.rows.map(\.id) == ["a"] && live.state == .loading)
        await observe({ live.rows }, until: { $0.map(\.id) == ["b"] })
        // A change that only the first condition selects.
        try save("c", 1)
        try save("d", 2)
        await observe({ live.rows.count }, until: { $0 == 2 })
        #expect(Set(live.rows.compactMap(\.id)) == ["b", "d"])
    }

    @Test("a live query stops observing the database when it is released or stopped")
    func released() async throws {
        weak var released: LiveQuery<LiveTask>?
        do {
            let live = LiveQuery(tasks.query().live())
            released = live
            await observe({ live.state }, until: { $0 == .current })
            #expect(try isWatched)
        }
        #expect(released == nil)
        while try isWatched { await Task.yield() }
        let live = LiveQuery(tasks.query().live())
        await observe({ live.state }, until: { $0 == .current })
        live.stop()
        #expect(live.state == .stopped)
        while try isWatched { await Task.yield() }
        live.observe(tasks.query().live())
        await observe({ live.state }, until: { $0 == .current })
    }

    @Test("a live query is stopped when its database is closed, and keeps its rows")
    func closed() async throws {
        try save("a", 1)
        let live = LiveQuery(tasks.query().live())
        await observe({ live.state }, until: { $0 == .current })
        try database.close()
        await observe({ live.state }, until: { $0 == .stopped })
        #expect(live.rows.count == 1 && live.error == nil)
        let late = LiveQuery(tasks.query().live())
        await observe({ late.state }, until: { $0 == .failed })
        #expect((late.error as NSError?)?.code == CBLError.notOpen)
    }

    @Test("a live query goes on without a document that cannot be decoded, and has its ID")
    func leftOut() async throws {
        try save("a", 1)
        let live = LiveQuery(tasks.query(orderBy: [SortDescriptor(\.rank)]).live())
        await observe({ live.rows.count }, until: { $0 == 1 })
        let bad = MutableDocument(id: "bad").setInt(7, forKey: "rank")
        try tasks.collection.save(document: bad)
        await observe({ live.undecodable }, until: { $0 == ["bad"] })
        #expect(live.rows.map(\.id) == ["a"] && live.state == .current && live.error == nil)
        try tasks.collection.save(document: bad.setString("mended", forKey: "title"))
        await observe({ live.rows.count }, until: { $0 == 2 })
        #expect(live.undecodable.isEmpty)
    }

    @Test("a live query shows the error of a document that cannot be decoded until the document is changed")
    func undecodable() async throws {
        try save("a", 1)
        let live = LiveQuery(tasks.query(orderBy: [SortDescriptor(\.rank)]).live(onDecodingError: .throw))
        await observe({ live.rows.count }, until: { $0 == 1 })
        let bad = MutableDocument(id: "bad").setInt(7, forKey: "rank")
        try tasks.collection.save(document: bad)
        await observe({ live.state }, until: { $0 == .failed })
        #expect((live.error as NSError?)?.code == CBLError.decodingError)
        #expect(live.rows.map(\.id) == ["a"])
        try tasks.collection.save(document: bad.setString("mended", forKey: "title"))
        await observe({ live.rows.count }, until: { $0 == 2 })
        #expect(live.state == .current && live.error == nil)
    }

    @Test("a live query is current again after the document that could not be decoded is deleted")
    func undecodableDeleted() async throws {
        try save("a", 1)
        let live = LiveQuery(tasks.query(orderBy: [SortDescriptor(\.rank)]).live(onDecodingError: .throw))
        await observe({ live.rows.count }, until: { $0 == 1 })
        let bad = MutableDocument(id: "bad").setInt(7, forKey: "rank")
        try tasks.collection.save(document: bad)
        await observe({ live.state }, until: { $0 == .failed })
        // The rows are now the same as before the failure.
        try tasks.collection.delete(document: bad)
        await observe({ live.state }, until: { $0 == .current })
        #expect(live.rows.map(\.id) == ["a"] && live.error == nil)
    }

    @Test("a live query with an invalid condition fails")
    func invalid() async throws {
        let live = LiveQuery(tasks.query(where: #Predicate { $0.title.count > $0.note.hashValue }).live())
        await observe({ live.state }, until: { $0 == .failed })
        #expect((live.error as NSError?)?.code == CBLError.invalidQuery)
        live.stop()
        #expect(live.state == .failed)
    }
}

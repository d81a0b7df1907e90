import Foundation
import Synchronization
import TestSupport
import Testing

@testable import CouchbaseLiteSwift
@testable import DocumentStore

@Suite("Live results as values")
struct LiveModelsTests {
    let folder: DatabaseFolder
    let database: Database
    let tasks: ModelCollection<LiveTask>

    init() throws {
        folder = try DatabaseFolder()
        database = try folder.open()
        tasks = try database.createCollection(name: "tasks").models()
    }

    private var open: LiveModels<LiveTask> {
        tasks.query(where: #Predicate { $0.rank > 0 }, orderBy: [SortDescriptor(\.rank)]).live()
    }

    private func save(_ id: String, _ rank: Int) throws {
        try tasks.save(LiveTask(id: id, title: "task \(id)", rank: rank))
    }

    @Test("live values are the current ones first, and then all of them again after each change")
    func current() async throws {
        var values = open.makeAsyncIterator()
        #expect(try await values.next() == [])
        try save("a", 2)
        #expect(try await values.next()?.map(\.title) == ["task a"])
        try save("b", 1)
        try save("none", 0)
        #expect(try await values.next()?.map(\.id) == ["b", "a"])
        try tasks.delete(#require(try tasks.get("a")))
        #expect(try await values.next()?.map(\.id) == ["b"])
    }

    @Test("a slow consumer receives the newest live values only")
    func newest() async throws {
        var values = open.makeAsyncIterator()
        #expect(try await values.next() == [])
        // Each save ends a run of the query, because another consumer waits for it.
        for rank in 1...4 {
            try save("\(rank)", rank)
            var other = open.makeAsyncIterator()
            while try await other.next()?.count != rank {}
        }
        var counts: [Int] = []
        while counts.last != 4 { counts.append(try await values.next()?.count ?? -1) }
        #expect(counts.count <= 2)
    }

    @Test("each iterator of live values observes the query for itself")
    func independent() async throws {
        let live = open
        var first = live.makeAsyncIterator()
        var second = live.makeAsyncIterator()
        #expect(try await first.next() == [])
        #expect(try await second.next() == [])
        try save("a", 1)
        #expect(try await first.next()?.count == 1)
        #expect(try await second.next()?.count == 1)
    }

    @Test("only new and changed documents are decoded again, and not on the main actor")
    func decoding() async throws {
        let collection = try database.createCollection(name: "counted")
        let notes = collection.models(CountedNote.self)
        for id in ["a", "b", "c"] { try notes.save(CountedNote(id: id, text: id)) }
        try await Task { @MainActor in
            var values = notes.query(orderBy: [SortDescriptor(\.text)]).live().makeAsyncIterator()
            CountedNote.decoded.withLock { $0 = [] }
            _ = try await values.next()
            #expect(CountedNote.decoded.withLock { $0.map(\.text) } == ["a", "b", "c"])
            try collection.save(document: MutableDocument(id: "b").setString("bb", forKey: "text"))
            try collection.save(document: MutableDocument(id: "d").setString("d", forKey: "text"))
            CountedNote.decoded.withLock { $0 = [] }
            var last: [CountedNote] = []
            while last.count != 4 { last = try await values.next() ?? [] }
            #expect(last.map(\.text) == ["a", "bb", "c", "d"])
            #expect(CountedNote.decoded.withLock { $0.map(\.text).sorted() } == ["bb", "d"])
            #expect(CountedNote.decoded.withLock { !$0.contains { $0.isOnMainThread } })
        }.value
    }

    @Test("no live values are returned if nothing has changed")
    func unchanged() async throws {
        try save("a", 1)
        try save("gone", 0)
        var values = open.makeAsyncIterator()
        #expect(try await values.next()?.count == 1)
        let query = try database.createQuery("SELECT rank FROM tasks WHERE rank > 0")
        let runs = Recorder<Int>()
        let token = query.addChangeListener(withQueue: DispatchQueue(label: "listener")) { _ in runs.append(1) }
        runs.wait(forCount: 1)
        // Listeners are notified of a deletion although their rows are the same.
        try tasks.query(where: #Predicate { $0.rank == 0 }).delete()
        runs.wait(forCount: 2)
        token.remove()
        try save("a", 5)
        #expect(try await values.next()?.map(\.rank) == [5])
    }

    @Test("an iteration over live values ends when its task is cancelled, or the database is closed or released")
    func end() async throws {
        let cancelled = Task { [open] in
            var count = 0
            for try await _ in open { count += 1 }
            return count
        }
        cancelled.cancel()
        #expect(try await cancelled.value <= 1)
        func ofOther() throws -> LiveModels<LiveTask>.AsyncIterator {
            try folder.open("other").defaultCollection().models(LiveTask.self).query().live().makeAsyncIterator()
        }
        var other = try ofOther()
        while try await other.next() != nil {}
        try Database.delete(withName: "other", inDirectory: folder.path)
        var values = open.makeAsyncIterator()
        _ = try await values.next()
        try database.close()
        #expect(try await values.next() == nil)
        #expect(try await values.next() == nil)
    }

    @Test("live values stop observing the database when their iterator is released")
    func released() async throws {
        let live = open
        do {
            var values = live.makeAsyncIterator()
            _ = try await values.next()
            #expect(try database.openFile().watch.isNeeded)
        }
        #expect(try !database.openFile().watch.isNeeded)
        for try await _ in live.differences() { break }
        #expect(try !database.openFile().watch.isNeeded)
    }

    @Test("a condition that cannot be translated makes the iteration throw, and then end")
    func invalidCondition() async throws {
        let live = tasks.query(where: #Predicate { $0.title.count > $0.note.hashValue }).live()
        var values = live.makeAsyncIterator()
        let error = await #expect(throws: NSError.self) { try await values.next() }
        #expect(error?.code == CBLError.invalidQuery)
        #expect(try await values.next() == nil)
    }

    @Test("a document that cannot be decoded is left out of live values, and appears when it is repaired")
    func undecodableLeftOut() async throws {
        let bad = MutableDocument(id: "bad").setInt(2, forKey: "rank")
        try tasks.collection.save(document: bad)
        try save("a", 1)
        try save("c", 3)
        let reported = Recorder<String>()
        let report = DecodingErrorPolicy.report { id, error in reported.append("\(id) \((error as NSError).code)") }
        let live = tasks.query(orderBy: [SortDescriptor(\.rank)]).live(onDecodingError: report)
        var values = live.makeAsyncIterator()
        var differences = live.differences().makeAsyncIterator()
        #expect(try await values.next()?.map(\.id) == ["a", "c"])
        #expect(values.undecodable == ["bad"])
        let first = try #require(try await differences.next())
        #expect(first.inserted == [0, 1] && first.undecodable == ["bad"])
        #expect(reported.all == ["bad 18001", "bad 18001"])
        try save("d", 4)
        #expect(try await values.next()?.map(\.id) == ["a", "c", "d"])
        #expect(try await differences.next()?.inserted == [2])
        #expect(reported.all.count == 2, "an unchanged document is not decoded again")
        try tasks.collection.save(document: bad.setString("mended", forKey: "title"))
        #expect(try await values.next()?.map(\.id) == ["a", "bad", "c", "d"])
        #expect(values.undecodable.isEmpty)
        let mended = try #require(try await differences.next())
        #expect(mended.inserted == [1] && mended.updated.isEmpty && mended.undecodable.isEmpty)
        try tasks.collection.save(document: bad.setValue(nil, forKey: "title"))
        #expect(try await values.next()?.map(\.id) == ["a", "c", "d"])
        #expect(try await differences.next()?.removed == [1])
        try tasks.collection.purge(id: "bad")
        #expect(try await values.next()?.count == 3)
        #expect(values.undecodable.isEmpty)
    }

    @Test("a document that cannot be decoded makes the iteration throw an error that names it, and then end")
    func undecodable() async throws {
        try save("a", 1)
        var values = tasks.query().live(onDecodingError: .throw).makeAsyncIterator()
        #expect(try await values.next()?.count == 1)
        try tasks.collection.save(document: MutableDocument(id: "bad").setInt(7, forKey: "rank"))
        let error = await #expect(throws: NSError.self) { try await values.next() }
        #expect(error?.code == CBLError.decodingError)
        #expect(error?.localizedDescription.contains("\"bad\"") == true)
        #expect(error?.localizedDescription.contains("title") == true)
        #expect(try await values.next() == nil)
    }

    @Test("rows of a query with grouped documents stay live as values, also with new parameters")
    func rows() async throws {
        struct Count: Decodable, Equatable, Sendable {
            let parity: Int
            let n: Int
        }
        try save("a", 1)
        let query = try database.createQuery(
            "SELECT rank % 2 AS parity, count(*) AS n FROM tasks WHERE rank < $max GROUP BY rank % 2 ORDER BY rank % 2"
        )
        query.parameters = Parameters().setInt(100, forName: "max")
        var values = query.live(as: Count.self).makeAsyncIterator()
        #expect(try await values.next() == [Count(parity: 1, n: 1)])
        try save("b", 3)
        #expect(try await values.next() == [Count(parity: 1, n: 2)])
        query.parameters = Parameters().setInt(2, forName: "max")
        #expect(try await values.next() == [Count(parity: 1, n: 1)])
    }

    @Test("the last live values contain the documents of a hundred writers")
    func writers() async throws {
        let values = Task { [open] in
            for try await tasks in open where tasks.count == 100 { return tasks.map(\.rank) }
            return []
        }
        await withTaskGroup(of: Void.self) { group in
            for rank in 1...100 {
                group.addTask { [tasks] in
                    await #expect(throws: Never.self) {
                        try await tasks.async.save(LiveTask(id: "\(rank)", title: "t", rank: rank))
                    }
                }
            }
        }
        #expect(try await values.value == Array(1...100))
    }
}

/// A value with an ID and a position.
struct LiveTask: Codable, Equatable, Identifiable {
    @DocumentID var id: String?
    var title: String
    var rank: Int
    /// Not stored, so that conditions cannot refer to it.
    var note: String { title }
}

/// A value that records when it is decoded.
private struct CountedNote: Codable, Identifiable {
    static let decoded = Mutex<[(text: String, isOnMainThread: Bool)]>([])

    @DocumentID var id: String?
    var text: String

    init(id: String, text: String) {
        _id = DocumentID(wrappedValue: id)
        self.text = text
    }

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        _id = try container.decode(DocumentID.self, forKey: .id)
        text = try container.decode(String.self, forKey: .text)
        let text = text
        Self.decoded.withLock { $0.append((text, Thread.isMainThread)) }
    }
}

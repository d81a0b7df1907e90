import Foundation
import TestSupport
import Testing

@testable import CouchbaseLiteSwift
@testable import DocumentStore

@Suite("Async sequences of query results")
struct QuerySequenceTests {
    let folder: DatabaseFolder
    let database: Database
    let query: Query

    init() throws {
        folder = try DatabaseFolder()
        database = try folder.open()
        query = try database.createQuery("SELECT meta().id, n FROM _ WHERE n > 0 ORDER BY n")
    }

    private func save(_ id: String, _ n: Int) throws {
        try database.saveDocument(MutableDocument(id: id).setInt(n, forKey: "n"))
    }

    private func ids(_ results: ResultSet?) -> [String]? {
        results?.map { $0.string(at: 0) ?? "" }
    }

    /// Whether anything observes the database's file.
    private var isWatched: Bool { get throws { try database.openFile().watch.isNeeded } }

    @Test("a sequence of results yields the current results first, and then changed ones")
    func results() async throws {
        var results = query.results().makeAsyncIterator()
        #expect(ids(try await results.next()) == [])
        try save("a", 1)
        #expect(ids(try await results.next()) == ["a"])
        try save("b", 2)
        try save("c", 3)
        // The change may arrive in two steps.
        var last: [String]? = []
        while last != ["a", "b", "c"] { last = ids(try await results.next()) }
    }

    @Test("a sequence of results keeps only the newest results for a slow consumer")
    func newest() async throws {
        let results = query.results()
        let received = Recorder<Int>()
        query.addChangeListener(withQueue: DispatchQueue(label: "listener")) {
            received.append($0.results?.map { $0 }.count ?? -1)
        }
        received.wait(forCount: 1)
        for count in 1...3 {
            try save("\(count)", count)
            received.wait { $0.last == count }
        }
        var iterator = results.makeAsyncIterator()
        #expect(ids(try await iterator.next()) == ["1", "2", "3"])
    }

    @Test("sequences of results end when their task is cancelled or the database is closed or released")
    func end() async throws {
        let cancelled = Task { [query] in
            var count = 0
            for try await _ in query.results() { count += 1 }
            return count
        }
        cancelled.cancel()
        #expect(try await cancelled.value <= 1)
        var results = query.results().makeAsyncIterator()
        _ = try await results.next()
        var differences = query.differences().makeAsyncIterator()
        _ = try await differences.next()
        try database.close()
        #expect(try await results.next() == nil)
        #expect(try await differences.next() == nil)
        func ofOther() throws -> QueryResults {
            try folder.open("other").createQuery("SELECT n FROM _").results()
        }
        let other = try ofOther()
        for try await _ in other {}
        try Database.delete(withName: "other", inDirectory: folder.path)
    }

    @Test("a sequence of results stops observing the database when it is released")
    func dropped() async throws {
        do {
            let results = query.results()
            for try await _ in results { break }
            #expect(try isWatched)
            _ = results
        }
        #expect(try !isWatched)
    }

    @Test("a sequence of results throws the error of a query that cannot be run, and ends")
    func errors() async throws {
        query.parameters = Parameters().setInt(1, forName: "unknown")
        var results = query.results().makeAsyncIterator()
        let error = await #expect(throws: NSError.self) { try await results.next() }
        #expect(error?.code == CBLError.invalidQueryParam)
        #expect(try !isWatched, "the query runs no more")
        #expect(try await results.next() == nil)
        let unbuilt = QueryBuilder.select(SelectResult.property("a"))
        await #expect(throws: NSError.self) { for try await _ in unbuilt.differences() {} }
        var byNothing = try database.createQuery("SELECT n FROM _").differences(by: .column("m")).makeAsyncIterator()
        let unknown = await #expect(throws: NSError.self) { try await byNothing.next() }
        #expect(unknown?.code == CBLError.invalidQuery)
        try database.close()
        var closed = query.results().makeAsyncIterator()
        let notOpen = await #expect(throws: NSError.self) { try await closed.next() }
        #expect(notOpen?.code == CBLError.notOpen)
    }

    @Test("differences lead from the previous rows to the current ones")
    func differences() async throws {
        try save("a", 10)
        try save("b", 20)
        try save("c", 30)
        var items: [String] = []
        func text(_ row: Result) -> String { "\(row.string(forKey: "id") ?? "") \(row.int(forKey: "n"))" }
        var differences = query.differences().makeAsyncIterator()
        let first = try #require(try await differences.next())
        #expect(first.inserted == [0, 1, 2])
        first.apply(to: &items, text)
        #expect(items == ["a 10", "b 20", "c 30"])

        try save("a", 25)
        let moved = try #require(try await differences.next())
        #expect(moved.removed == [] && moved.inserted == [])
        #expect(moved.moved.map { [$0.old, $0.new] } == [[0, 1]])
        #expect(moved.updated.map { [$0.old, $0.new] } == [[0, 1]])
        #expect(moved.rows.map(text) == ["b 20", "a 25", "c 30"])
        #expect(moved.oldRows.map(text) == ["a 10", "b 20", "c 30"])
        moved.apply(to: &items, text)
        #expect(items == ["b 20", "a 25", "c 30"])

        try database.inBatch {
            try save("b", 0)
            try save("d", 5)
        }
        let both = try #require(try await differences.next())
        #expect(both.removed == [0] && both.inserted == [0] && both.moved == [])
        var made: [String] = []
        both.apply(to: &items) { row in
            made.append(text(row))
            return text(row)
        }
        #expect(items == ["d 5", "a 25", "c 30"])
        #expect(made == ["d 5"], "the others are kept")
        var others = ["x"]
        both.apply(to: &others, text)
        #expect(others == items)
    }

    @Test("differences identify rows by the given columns, and are not yielded without changes")
    func identities() async throws {
        try save("a", 1)
        let byColumn = try database.createQuery("SELECT n % 10 AS k, n FROM _ ORDER BY n")
        var differences = byColumn.differences(by: .column("k")).makeAsyncIterator()
        var whole = byColumn.differences(by: .wholeRow).makeAsyncIterator()
        var automatic = byColumn.differences().makeAsyncIterator()
        _ = try await differences.next()
        _ = try await whole.next()
        _ = try await automatic.next()
        // Listeners are notified of a purge even if the rows are the same.
        try database.createCollection(name: "other").save(document: MutableDocument(id: "x"))
        try save("a", 11)
        #expect(try await differences.next()?.updated.map(\.new) == [0])
        let replaced = try #require(try await whole.next())
        #expect(replaced.removed == [0] && replaced.inserted == [0])
        #expect(try await automatic.next()?.removed == [0])
        let received = Recorder<Int>()
        let token = query.addChangeListener(withQueue: DispatchQueue(label: "listener")) { _ in received.append(1) }
        received.wait(forCount: 1)
        try save("gone", 0)
        try database.purgeDocument(withID: "gone")
        received.wait(forCount: 2)
        token.remove()
        try save("a", 21)
        var ids = query.differences().makeAsyncIterator()
        #expect(try await ids.next()?.rows.map { $0.int(at: 1) } == [21])
        // In between, a row may have been inserted and removed without a notification.
        var last = try #require(try await differences.next())
        while last.rows.last?.int(at: 1) != 21 { last = try #require(try await differences.next()) }
        #expect(last.updated.map(\.new) == [last.rows.count - 1])
    }

    @Test("the rows of a difference are accessed by index, and remain readable after the database is deleted")
    func rows() async throws {
        try save("a", 1)
        var differences = query.differences().makeAsyncIterator()
        let rows = try #require(try await differences.next()?.rows)
        try database.delete()
        #expect(rows.count == 1)
        #expect(rows[0].toJSON() == #"{"id":"a","n":1}"#)
        #expect(misuse { _ = rows[1] }?.name == outOfRange)
    }
}

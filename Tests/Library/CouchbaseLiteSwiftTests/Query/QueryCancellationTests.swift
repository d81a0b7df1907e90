import CouchbaseLiteSwift
import Foundation
import Synchronization
import TestSupport
import Testing

@Suite("Query cancellation")
struct QueryCancellationTests {
    private let folder: DatabaseFolder
    private let database: Database
    private let query: Query

    init() throws {
        folder = try DatabaseFolder()
        database = try folder.open()
        let collection = try database.defaultCollection()
        try database.inBatch {
            for number in 0..<1000 { try collection.save(document: MutableDocument(id: "d\(number)")) }
        }
        // The query has 10^18 rows to process.
        let joins = ["b", "c", "d", "e", "f"].map { " CROSS JOIN _ AS \($0)" }.joined()
        query = try database.createQuery("SELECT count(*) FROM _ AS a\(joins) WHERE a.x IS MISSING AND f.x IS MISSING")
    }

    @Test("cancel() on another thread makes execute() throw CancellationError")
    func cancel() throws {
        for _ in 0..<2 {
            let outcome = Mutex(Swift.Result<Int, any Error>?.none)
            let thread = Thread { [query] in
                let found = Swift.Result { try query.execute().allResults().count }
                outcome.withLock { $0 = found }
            }
            thread.start()
            // Runs that have not begun are not cancelled, so the call is repeated until there is a result.
            while outcome.withLock({ $0 == nil }) { query.cancel() }
            let result = try #require(outcome.withLock { $0 })
            #expect(throws: CancellationError.self) { try result.get() }
        }
        #expect(try database.createQuery("SELECT count(*) FROM _").execute().next()?.int(at: 0) == 1000)
    }

    @Test("cancel() does not affect runs that begin later")
    func later() throws {
        let counting = try database.createQuery("SELECT count(*) FROM _")
        counting.cancel()
        #expect(try counting.execute().next()?.int(at: 0) == 1000)
        counting.cancel()
        #expect(try counting.execute().next()?.int(at: 0) == 1000)
    }

    @Test("cancelling a task cancels the query for which it waits")
    func task() async throws {
        let task = Task { [query] in try await query.async.execute() }
        for _ in 0..<100 { await Task.yield() }
        task.cancel()
        await #expect(throws: CancellationError.self) { _ = try await task.value }
        // The thread that ran the query is available again.
        let counting = try database.createQuery("SELECT count(*) FROM _")
        #expect(try await counting.async.execute().next()?.int(at: 0) == 1000)
    }

    @Test("removing the last listener cancels its running query")
    func listener() throws {
        let token = query.addChangeListener(withQueue: DispatchQueue(label: "listener")) { _ in }
        token.remove()
        // Otherwise this would wait forever.
        try database.close()
    }
}

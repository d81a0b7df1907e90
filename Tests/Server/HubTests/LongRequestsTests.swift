#if Replication
import CouchbaseLiteSwift
import Foundation
import TestSupport
import TestTraits
import Testing
import Transport

@testable import Hub
@testable import WebServer

@Suite("Requests of a hub that take long", .ownThreads)
struct LongRequestsTests {
    private let threads = RequestThreads(count: 1)

    private func request(_ body: String, budget: BodyBudget = BodyBudget(bytes: 1 << 20)) -> WebRequest {
        let content = WebBody(maximumBytes: 1 << 20, budget: budget)
        _ = content.append(Array(body.utf8))
        content.finish()
        return WebRequest(
            method: "POST",
            isHead: false,
            target: "/",
            path: [],
            query: [],
            headers: HTTPFields(),
            body: content,
            remoteAddress: "",
            clientAddress: ClientAddress(nil)
        )
    }

    private func bulk(_ hub: StoppedHub) -> BulkRequests {
        BulkRequests(documents: DocumentRequests(keyspace: hub.keyspace, access: { .guest }))
    }

    private let documents = #"{"docs":[{"_id":"a"},{"_id":"b"},{"_id":"c"}]}"#

    @Test("another request gets the thread between two documents of _bulk_docs")
    func bulkYields() async throws {
        let hub = try StoppedHub()
        let order = Recorder<String>()
        let (bulk, request) = (bulk(hub), request(documents))
        try await Task(executorPreference: threads) { [threads] in
            let other = Task(executorPreference: threads) { order.append("other") }
            _ = try await bulk.store(request)
            order.append("bulk")
            await other.value
        }.value
        #expect(order.all == ["other", "bulk"])
        #expect(try hub.keyspace.current("c") != nil)
        hub.databases.close()
    }

    @Test("_bulk_docs stores no more documents when the client has gone")
    func cancelledBulk() async throws {
        let hub = try StoppedHub()
        let (bulk, request) = (bulk(hub), request(documents))
        let task = Task(executorPreference: threads) {
            withUnsafeCurrentTask { $0?.cancel() }
            return try await bulk.store(request)
        }
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(try hub.keyspace.current("a") != nil)
        #expect(try hub.keyspace.current("b") == nil)
        hub.databases.close()
    }

    @Test("requests whose responses last long return the memory of their bodies first")
    func bodyMemory() async throws {
        let hub = try StoppedHub()
        // Small bodies are not counted.
        let blanks = String(repeating: " ", count: 10_000)
        let (changes, keys, documents) = (blanks + #"{"since":0}"#, blanks + #"{"keys":["a"]}"#, blanks + #"{"docs":[{"id":"a"}]}"#)
        let budget = BodyBudget(bytes: documents.utf8.count - WebBody.uncountedSize)
        let requests = [changes, keys, documents].map { request($0, budget: budget) }
        _ = try await ChangesRequest(requests[0], maximumTimeout: 1000)
        #expect(budget.used == 0)
        _ = try await AllDocuments(keyspace: hub.keyspace, access: { .guest }).get(requests[1])
        #expect(budget.used == 0)
        _ = try await bulk(hub).get(requests[2])
        #expect(budget.used == 0)
        withExtendedLifetime(requests) {}
        hub.databases.close()
    }

    @Test("queries beyond the limit wait for their turn without a thread, and some are refused")
    func turns() async throws {
        let turns = QueryTurns(running: 1, waiting: 1)
        let order = Recorder<String>()
        let (release, continuation) = AsyncStream.makeStream(of: Void.self)
        let first = Task(executorPreference: threads) {
            try await turns.run {
                order.append("first")
                for await _ in release {}
            }
        }
        _ = await order.reaches { !$0.isEmpty }
        // Both use the only thread, which a waiting query does not block.
        let second = Task(executorPreference: threads) { try await turns.run { order.append("second") } }
        let third = Task(executorPreference: threads) { try await turns.run { order.append("third") } }
        let error = await #expect(throws: WebError.self) { try await third.value }
        #expect(error?.status == 503)
        #expect(turns.waitingCount == 1)
        #expect(order.all == ["first"])
        continuation.finish()
        try await first.value
        try await second.value
        #expect(order.all == ["first", "second"])
        #expect(turns.waitingCount == 0)
    }

    @Test("a query that waits leaves its place when its client has gone")
    func cancelledWait() async throws {
        let turns = QueryTurns(running: 1, waiting: 1)
        let order = Recorder<String>()
        let (release, continuation) = AsyncStream.makeStream(of: Void.self)
        let first = Task(executorPreference: threads) {
            try await turns.run {
                order.append("first")
                for await _ in release {}
            }
        }
        _ = await order.reaches { !$0.isEmpty }
        let waiting = Task(executorPreference: threads) { try await turns.run { order.append("waiting") } }
        // The only thread has run it up to its wait when it runs this.
        await Task(executorPreference: threads) {}.value
        #expect(turns.waitingCount == 1)
        waiting.cancel()
        await #expect(throws: CancellationError.self) { try await waiting.value }
        #expect(turns.waitingCount == 0)
        let late = Task(executorPreference: threads) {
            withUnsafeCurrentTask { $0?.cancel() }
            try await turns.run { order.append("late") }
        }
        await #expect(throws: CancellationError.self) { try await late.value }
        let next = Task(executorPreference: threads) { try await turns.run { order.append("next") } }
        continuation.finish()
        try await first.value
        try await next.value
        #expect(order.all == ["first", "next"])
    }

    @Test("queries of several databases take turns with each other")
    func turnsOfDatabases() async throws {
        let hub = try StoppedHub { database in try Database(name: "other", config: database.config).close() }
        let other = try #require(hub.databases.database("other"))
        let streams = (0..<2).map { _ in AsyncStream.makeStream(of: Void.self) }
        let running = Recorder<Int>()
        let first = streams.enumerated().map { number, stream in
            Task(executorPreference: threads) {
                try await other.queryTurns.run {
                    running.append(number)
                    for await _ in stream.stream {}
                }
            }
        }
        _ = await running.reaches { $0.count == 2 }
        let requests = QueryRequests(database: hub.keyspace.database, access: { .guest })
        let body = request(#"{"query":"SELECT 1 FROM _"}"#)
        let second = Task(executorPreference: threads) { try await requests.run(body) }
        // The only thread has run it up to its wait when it runs this.
        await Task(executorPreference: threads) {}.value
        #expect(other.queryTurns.waitingCount == 1)
        for stream in streams { stream.continuation.finish() }
        for task in first { try await task.value }
        #expect(try await second.value.status == 200)
        hub.databases.close()
    }

    @Test("a query ends after some time with a reason, and when its client has gone")
    func endlessQuery() async throws {
        let hub = try StoppedHub { database in
            let collection = try database.defaultCollection()
            try database.inBatch {
                for number in 0..<9 { try collection.save(document: MutableDocument(id: "d\(number)", data: ["n": number])) }
            }
        }
        let joins = (0..<40).map { " CROSS JOIN _ AS x\($0)" }.joined()
        let query = #"{"query":"SELECT count(*) FROM _ AS x\#(joins) WHERE x.n IS VALUED AND x39.n IS VALUED"}"#
        var requests = QueryRequests(database: hub.keyspace.database, access: { .guest })
        requests.timeout = .milliseconds(1)
        let error = await #expect(throws: WebError.self) { try await requests.run(request(query)) }
        #expect(error?.status == 503 && error?.reason.contains("took longer") == true)
        requests.timeout = .seconds(3600)
        let (patient, body) = (requests, request(query))
        let task = Task(executorPreference: threads) {
            withUnsafeCurrentTask { $0?.cancel() }
            return try await patient.run(body)
        }
        await #expect(throws: CancellationError.self) { try await task.value }
        hub.databases.close()
    }
}
#endif

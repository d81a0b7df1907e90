import CouchbaseLiteSwift
import Foundation
import Synchronization
import TestSupport
import Testing

@Suite("Async functions")
struct AsyncTests {
    let folder: DatabaseFolder
    let database: Database
    let collection: Collection

    init() throws {
        folder = try DatabaseFolder()
        database = try folder.open()
        collection = try database.createCollection(name: "things")
    }

    @Test("the synchronous functions can be called without await in async code")
    func oldForms() async throws {
        let document = MutableDocument(id: "a")
        try database.saveDocument(document)
        try collection.save(document: MutableDocument(id: "a"))
        try database.inBatch { try database.deleteDocument(document) }
        #expect(try database.createQuery("SELECT meta().id FROM things").execute().allResults().count == 1)
        #expect(try collection.document(id: "a") != nil)
    }

    @Test("a cancelled query without a database throws CancellationError")
    func cancelledQuery() async throws {
        let query = QueryBuilder.select(SelectResult.all())
        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return try await query.async.execute()
        }
        await #expect(throws: CancellationError.self) { try await task.value }
    }

    /// A model that is cancelled while it is saved.
    private final class Cancelled: DocumentEncodable {
        @DocumentID var id: String?
        init() {}
        func encode(to encoder: any Encoder) throws { throw CancellationError() }
    }

    @Test("a cancellation thrown by a model is passed on as it is")
    func cancelledModel() async {
        await #expect(throws: CancellationError.self) { try await collection.async.save(from: Cancelled()) }
    }

    @Test("waiting blocks do not block the threads of tasks")
    func blockNothing() async throws {
        let held = await HeldBatch(database)
        let (database, collection) = (database, collection)
        try await withThrowingTaskGroup { group in
            for number in 0..<40 {
                group.addTask { try await database.write { try collection.save(document: MutableDocument(id: "\(number)")) } }
            }
            // Other tasks can continue, and reading is possible.
            for _ in 0..<10 { await Task.yield() }
            #expect(try await database.read { try collection.document(id: "0") } == nil)
            #expect(try await database.read { collection.count } == 0)
            held.end()
            try await group.waitForAll()
        }
        #expect(collection.count == 40)
    }

    @Test("blocks that write are performed in the order of their calls")
    func order() async throws {
        let (database, collection) = (database, collection)
        let held = await HeldBatch(database)
        let queue = WorkOrder()
        var tasks: [Task<Void, any Error>] = []
        for number in 0..<20 {
            tasks.append(
                Task { @MainActor in
                    queue.began(number)
                    try await database.write { try collection.save(document: MutableDocument(id: "\(number)")) }
                }
            )
        }
        await queue.waitForAll(20)
        held.end()
        for task in tasks { try await task.value }
        let ids = try database.createQuery("SELECT meta().id FROM things ORDER BY meta().sequence")
            .execute().allResults().compactMap { $0.string(at: 0) }
        #expect(ids == queue.order.map(String.init))
    }

    @Test("a block of a cancelled task that has not begun throws CancellationError and does nothing")
    func cancelledBefore() async throws {
        let (database, collection) = (database, collection)
        let held = await HeldBatch(database)
        let entered = WorkOrder()
        // The first call has been started and waits for the batch.
        let first = Task { @MainActor in
            entered.began(1)
            try await database.write { try collection.save(document: MutableDocument(id: "first")) }
        }
        await entered.waitForAll(1)
        let second = Task { @MainActor in
            entered.began(2)
            try await database.write { try collection.save(document: MutableDocument(id: "second")) }
        }
        await entered.waitForAll(2)
        second.cancel()
        await #expect(throws: CancellationError.self) { try await second.value }
        held.end()
        try await first.value
        #expect(try collection.document(id: "first") != nil)
        #expect(try collection.document(id: "second") == nil)

        let third = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            try await database.write { try collection.save(document: MutableDocument(id: "third")) }
        }
        await #expect(throws: CancellationError.self) { try await third.value }
        #expect(try collection.document(id: "third") == nil)
    }

    @Test("a block whose task is cancelled after it has begun completes and returns its value")
    func cancelledAfter() async throws {
        let database = database
        let collection = collection
        let isInside = DispatchSemaphore(value: 0)
        let mayGoOn = DispatchSemaphore(value: 0)
        let task = Task {
            try await database.write {
                isInside.signal()
                mayGoOn.wait()
                try collection.save(document: MutableDocument(id: "a"))
                return 7
            }
        }
        await withCheckedContinuation { continuation in
            Thread.detachNewThread {
                isInside.wait()
                continuation.resume()
            }
        }
        task.cancel()
        mayGoOn.signal()
        #expect(try await task.value == 7)
        #expect(try collection.document(id: "a") != nil)
    }

    @MainActor
    @Test("async functions can be called from an actor with its own configurations and indexes")
    func actors() async throws {
        let config = folder.config
        let database = try await Database.async.open(name: "actors", config: config)
        config.directory = "changed afterwards"
        let index = IndexBuilder.valueIndex(items: ValueIndexItem.property("n"))
        let collection = try database.defaultCollection()
        try collection.createIndex(index, name: "n")
        #expect(try await database.read { try collection.indexes() } == ["n"])
        try await database.async.close()
    }
}

/// Records which calls have begun, and in which order.
private final class WorkOrder: Sendable {
    private struct State {
        var order: [Int] = []
        var waiting: (Int, CheckedContinuation<Void, Never>)?
    }
    private let state = Mutex(State())

    var order: [Int] { state.withLock { $0.order } }

    func began(_ number: Int) {
        let waiting = state.withLock { state -> CheckedContinuation<Void, Never>? in
            state.order.append(number)
            guard let (count, continuation) = state.waiting, state.order.count >= count else { return nil }
            state.waiting = nil
            return continuation
        }
        // The caller continues to its first suspension before this is reported: both are on the main actor.
        waiting?.resume()
    }

    @MainActor
    func waitForAll(_ count: Int) async {
        await withCheckedContinuation { continuation in
            let isEnough = state.withLock { state in
                if state.order.count < count { state.waiting = (count, continuation) }
                return state.order.count >= count
            }
            if isEnough { continuation.resume() }
        }
    }
}

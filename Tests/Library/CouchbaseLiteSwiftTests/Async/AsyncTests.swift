import CouchbaseLiteSwift
import Foundation
import Synchronization
import TestSupport
import Testing

@Suite("Async functions")
struct AsyncTests {
    struct Oops: Error {}

    let folder: DatabaseFolder
    let database: Database
    let collection: Collection

    init() throws {
        folder = try DatabaseFolder()
        database = try folder.open()
        collection = try database.createCollection(name: "things")
    }

    /// Domain and code of the error that `body` throws; nil if it throws none.
    private func thrown(_ body: () async throws -> Void) async -> ErrorCode? {
        do {
            try await body()
            return nil
        } catch let error as NSError {
            return ErrorCode(domain: error.domain, code: error.code)
        }
    }

    @Test("the async functions of collections give the results of the synchronous ones")
    func collections() async throws {
        let document = MutableDocument(id: "a").setInt(1, forKey: "n")
        try await collection.async.save(document: document)
        #expect(document.sequence == 1)
        #expect(try await collection.async.count == 1)
        #expect(try await collection.async.document(id: "a")?.int(forKey: "n") == 1)
        #expect(try await collection.async.document(id: "b") == nil)
        let stale = try #require(try await collection.async.document(id: "a")).toMutable()
        try await collection.async.save(document: document.setInt(2, forKey: "n"))
        #expect(try await !collection.async.save(document: stale, concurrencyControl: .failOnConflict))
        let isSaved = try await collection.async.save(document: stale) { mine, theirs in
            mine.setInt((theirs?.int(forKey: "n") ?? 0) + 1, forKey: "n")
            return true
        }
        #expect(isSaved)
        #expect(try await collection.async.document(id: "a")?.int(forKey: "n") == 3)
        #expect(try await !collection.async.delete(document: document, concurrencyControl: .failOnConflict))
        try await collection.async.delete(document: document)
        #expect(try await collection.async.document(id: "a") == nil)
        try await collection.async.purge(document: document)
        #expect(await thrown { try await collection.async.purge(id: "a") } == .notFound)
        try await collection.async.save(document: document)
        let date = Date(timeIntervalSince1970: 4_000_000_000)
        try await collection.async.setDocumentExpiration(id: "a", expiration: date)
        #expect(try await collection.async.getDocumentExpiration(id: "a") == date)
        try await collection.async.createIndex(withName: "n", config: ValueIndexConfiguration(["n"]))
        try await collection.async.createIndex(IndexBuilder.valueIndex(items: ValueIndexItem.property("m")), name: "m")
        #expect(try await collection.async.indexes() == ["m", "n"])
        try await collection.async.deleteIndex(forName: "m")
        #expect(try await collection.async.index(withName: "m") == nil)
        #expect(try await collection.async.index(withName: "n")?.name == "n")
    }

    @Test("the async functions of databases give the results of the synchronous ones")
    func databases() async throws {
        let people = try await database.async.createCollection(name: "people", scope: "staff")
        #expect(people.fullName == "staff.people")
        #expect(try await database.async.scopes().map(\.name) == ["_default", "staff"])
        #expect(try await database.async.scope(name: "staff")?.name == "staff")
        #expect(try await database.async.collections(scope: "staff").map(\.name) == ["people"])
        #expect(try await database.async.collection(name: "people", scope: "staff") == people)
        try await database.async.deleteCollection(name: "people", scope: "staff")
        #expect(try await database.async.scope(name: "staff") == nil)

        let blob = Blob(contentType: "text/plain", data: Data("hello".utf8))
        try await database.async.saveBlob(blob: blob)
        let properties: [String: Any] = ["@type": "blob", "digest": try #require(blob.digest)]
        let stored = try await database.async.getBlob(properties: properties)
        #expect(try await stored?.async.content == Data("hello".utf8))

        try await collection.async.save(document: MutableDocument(id: "a").setInt(7, forKey: "n"))
        let query = try await database.async.createQuery("SELECT n FROM things")
        #expect(try await query.async.execute().allResults().map { $0.int(forKey: "n") } == [7])
        #expect(try await query.async.explain().contains("SCAN"))
        try await database.async.performMaintenance(type: .integrityCheck)

        try await database.async.changeEncryptionKey(.key(Data(repeating: 7, count: 32)))
        #expect(await thrown { _ = try await Database.async.open(name: database.name, config: folder.config) } != nil)
        try await database.async.changeEncryptionKey(nil)
        #expect(try await collection.async.count == 1)

        let copied = database.path
        try await database.async.close()
        #expect(database.path == nil)
        #expect(await thrown { try await collection.async.save(document: MutableDocument()) } == .notOpen)
        try await Database.async.copy(fromPath: try #require(copied), toDatabase: "copy", withConfig: folder.config)
        let copy = try await Database.async.open(name: "copy", config: folder.config)
        #expect(try copy.collection(name: "things")?.count == 1)
        try await copy.async.delete()
        #expect(try folder.contents == ["db.cblite2"])
        try await Database.async.delete(withName: "db", inDirectory: folder.path)
        #expect(try folder.contents == [])
    }

    @Test("the async functions of the default collection give the results of the synchronous ones")
    func defaultCollection() async throws {
        let document = MutableDocument(id: "a").setInt(1, forKey: "n")
        try await database.async.saveDocument(document)
        let stale = try #require(try await database.async.document(withID: "a")).toMutable()
        #expect(try await database.async.saveDocument(document, concurrencyControl: .failOnConflict))
        #expect(try await !database.async.saveDocument(stale) { _, _ in false })
        try await database.async.setDocumentExpiration(withID: "a", expiration: .distantFuture)
        #expect(try await database.async.getDocumentExpiration(withID: "a") != nil)
        #expect(try await !database.async.deleteDocument(stale, concurrencyControl: .failOnConflict))
        try await database.async.deleteDocument(document)
        #expect(try await database.async.document(withID: "a") == nil)
        try await database.async.purgeDocument(document)
        #expect(await thrown { try await database.async.purgeDocument(withID: "a") } == .notFound)
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

    @Test("an async batch is committed as a whole and returns the value of its block, or is rolled back")
    func batch() async throws {
        let database = database
        let collection = collection
        let count = try await database.async.inBatch {
            for number in 0..<10 { try collection.save(document: MutableDocument(id: "\(number)")) }
            return collection.count
        }
        #expect(count == 10)
        let error = await thrown {
            try await database.async.inBatch {
                try collection.purge(id: "0")
                throw Oops()
            }
        }
        #expect(error == .couchbaseLite(CBLError.unexpectedError))
        #expect(collection.count == 10)
    }

    @Test("an async batch returns its value, and passes on the error of its closure unchanged")
    func unchangedErrors() async throws {
        let database = database
        let collection = collection
        let count = try await database.async.batch {
            try collection.save(document: MutableDocument(id: "a"))
            return collection.count
        }
        #expect(count == 1)
        await #expect(throws: Oops.self) {
            try await database.async.batch {
                try collection.purge(id: "a")
                throw Oops()
            }
        }
        #expect(collection.count == 1)
    }

    @Test("a cancelled query without a database throws CancellationError")
    func cancelledQuery() async throws {
        let query = QueryBuilder.select(SelectResult.all())
        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return try await query.async.explain()
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

    @Test("waiting async functions do not block the threads of tasks")
    func blockNothing() async throws {
        let held = await HeldBatch(database)
        let collection = collection
        try await withThrowingTaskGroup { group in
            for number in 0..<40 {
                group.addTask { try await collection.async.save(document: MutableDocument(id: "\(number)")) }
            }
            // Other tasks can continue, and reading is possible.
            for _ in 0..<10 { await Task.yield() }
            #expect(try await collection.async.document(id: "0") == nil)
            #expect(try await collection.async.count == 0)
            held.end()
            try await group.waitForAll()
        }
        #expect(collection.count == 40)
    }

    @Test("async functions that write are performed in the order of their calls")
    func order() async throws {
        let collection = collection
        let held = await HeldBatch(database)
        let queue = WorkOrder()
        var tasks: [Task<Void, any Error>] = []
        for number in 0..<20 {
            tasks.append(
                Task { @MainActor in
                    queue.began(number)
                    try await collection.async.save(document: MutableDocument(id: "\(number)"))
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

    @Test("a cancelled async function that has not begun throws CancellationError and does nothing")
    func cancelledBefore() async throws {
        let collection = collection
        let held = await HeldBatch(database)
        let entered = WorkOrder()
        // The first call has been started and waits for the batch.
        let first = Task { @MainActor in
            entered.began(1)
            try await collection.async.save(document: MutableDocument(id: "first"))
        }
        await entered.waitForAll(1)
        let second = Task { @MainActor in
            entered.began(2)
            try await collection.async.save(document: MutableDocument(id: "second"))
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
            try await collection.async.save(document: MutableDocument(id: "third"))
        }
        await #expect(throws: CancellationError.self) { try await third.value }
        #expect(try collection.document(id: "third") == nil)
    }

    @Test("an async function whose task is cancelled after it has begun completes and returns its value")
    func cancelledAfter() async throws {
        let database = database
        let collection = collection
        let isInside = DispatchSemaphore(value: 0)
        let mayGoOn = DispatchSemaphore(value: 0)
        let task = Task {
            try await database.async.inBatch {
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
        try await collection.async.createIndex(index, name: "n")
        try await collection.async.createIndex(index, name: "again")
        #expect(try await collection.async.indexes() == ["again", "n"])
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

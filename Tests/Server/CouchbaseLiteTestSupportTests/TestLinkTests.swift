#if Replication
import CouchbaseLiteSwift
import CouchbaseLiteTestSupport
import Foundation
import TestSupport
import Testing

@Suite("Links between databases for tests")
struct TestLinkTests {
    let phone: TemporaryDatabase
    let tablet: TemporaryDatabase

    init() throws {
        phone = try TemporaryDatabase(name: "phone")
        tablet = try TemporaryDatabase(name: "tablet")
        for database in [phone.database, tablet.database] { _ = try database.createCollection(name: "tasks") }
    }

    private var tasks: Collection { get throws { try #require(try phone.database.collection(name: "tasks")) } }
    private var theirTasks: Collection { get throws { try #require(try tablet.database.collection(name: "tasks")) } }

    @Test("a link replicates all collections that both databases have")
    func sync() async throws {
        _ = try phone.database.createCollection(name: "private")
        try tasks.load(json: #"{"a": {"n": 1}, "b": {"n": 2}}"#)
        try theirTasks.load(json: #"{"c": {"n": 3}}"#)
        let link = try TestLink(phone.database, tablet.database)
        #expect(throws: SyncDifference.self) { try link.expectSynced() }
        let status = try await link.sync()
        #expect(status.progress.completed == status.progress.total)
        try link.expectSynced()
        #expect(try tasks.count == 3)
        #expect(try theirTasks.count == 3)
    }

    @Test("a difference names the documents")
    func difference() async throws {
        try tasks.load(json: #"{"a": {}, "b": {}}"#)
        let link = try TestLink(phone.database, tablet.database)
        try await link.sync(type: .push)
        try tasks.load(json: #"{"c": {}}"#)
        try theirTasks.delete(document: #require(try theirTasks.document(id: "a")))
        try theirTasks.save(document: #require(try theirTasks.document(id: "b")).toMutable().setInt(1, forKey: "n"))
        do {
            try link.expectSynced()
            Issue.record("the collections differ")
        } catch let error as SyncDifference {
            #expect(error.count == 3)
            #expect(error.documents.contains("\"a\" is missing there"))
            #expect(error.documents.contains("\"c\" is missing there"))
            #expect(error.description.hasPrefix("_default.tasks is not synced: "))
        }
    }

    @Test("nothing passes a partition, and a sync afterwards catches up")
    func partition() async throws {
        try tasks.load(json: #"{"a": {}}"#)
        let link = try TestLink(phone.database, tablet.database)
        link.isPartitioned = true
        await #expect(throws: (any Error).self) { try await link.sync() }
        #expect(try theirTasks.count == 0)
        link.isPartitioned = false
        try await link.sync()
        try link.expectSynced()
    }

    /// Lets the time of a clock pass until the task is cancelled.
    private func ticking(_ clock: TestClock, by duration: Duration) -> Task<Void, Never> {
        Task {
            while !Task.isCancelled {
                clock.advance(by: duration)
                await Task.yield()
            }
        }
    }

    @Test("a continuous replicator reconnects when the clock reaches its next attempt")
    func clock() async throws {
        let clock = TestClock()
        let ticking = ticking(clock, by: .seconds(1))
        let link = try TestLink(phone.database, tablet.database, clock: clock)
        let replicator = link.replicator(continuous: true)
        var statuses = replicator.statusChanges().makeAsyncIterator()
        replicator.start()
        while let status = await statuses.next(), status.activity != .idle {}
        link.isPartitioned = true
        while let status = await statuses.next(), status.activity != .offline {}
        link.isPartitioned = false
        var changes = try theirTasks.changes().makeAsyncIterator()
        try tasks.load(json: #"{"a": {}}"#)
        #expect(await changes.next()?.documentIDs == ["a"])
        replicator.stop()
        while let status = await statuses.next(), status.activity != .stopped {}
        ticking.cancel()
    }

    @Test("with lost messages a sync succeeds after some attempts, and loses no document")
    func loss() async throws {
        for index in 0..<300 { try tasks.save(document: MutableDocument(id: "p\(index)", data: ["n": index])) }
        for index in 0..<300 { try theirTasks.save(document: MutableDocument(id: "t\(index)", data: ["n": index])) }
        let seed = TestSeed.forThisTest()
        let link = try TestLink(phone.database, tablet.database, seed: seed)
        link.lossRate = 0.02
        try await link.sync(attempts: 10_000)
        try link.expectSynced()
    }

    @Test("messages arrive in order and not before the latency has passed")
    func latency() async throws {
        try tasks.load(json: #"{"a": {}, "b": {}}"#)
        let clock = TestClock()
        let link = try TestLink(phone.database, tablet.database, clock: clock)
        link.latency = .milliseconds(100)
        let ticking = ticking(clock, by: .milliseconds(10))
        try await link.sync()
        ticking.cancel()
        // At least the checkpoint, the changes and the revisions, each there and back.
        #expect(clock.elapsed >= .milliseconds(600))
        try link.expectSynced()
    }
}
#endif

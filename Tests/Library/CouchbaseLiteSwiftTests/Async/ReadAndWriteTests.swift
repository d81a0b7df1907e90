import CouchbaseLiteSwift
import Foundation
import TestSupport
import Testing

@Suite("Blocks that read and write")
struct ReadAndWriteTests {
    struct Item: Codable, Identifiable, Sendable, Equatable {
        @DocumentID var id: String?
        var n: Int
    }
    struct Oops: Error {}

    private let folder: DatabaseFolder
    private let database: Database
    private let collection: Collection
    private let items: ModelCollection<Item>

    init() throws {
        folder = try DatabaseFolder()
        database = try folder.open()
        collection = try database.createCollection(name: "things")
        items = collection.models()
        try database.batch { for n in 0..<3 { try items.save(Item(id: "\(n)", n: n)) } }
    }

    /// Everything that can be read, as text.
    private static func state(_ database: Database, _ items: ModelCollection<Item>) throws -> [String] {
        let collection = items.collection
        let rows = try database.query("SELECT meta().id, n FROM \(collection) ORDER BY n").execute().map { $0.toJSON() }
        let values = try items.query(orderBy: [SortDescriptor(\.n)]).all().map { "\($0.id ?? "") \($0.n)" }
        let document = try collection.document(id: "0")?.int(forKey: "n")
        return rows + values + ["\(collection.count)", "\(try items.query().count())", "\(document ?? -1)"]
    }

    @Test("all reads of a block see one state of the database while another thread commits")
    func snapshot() async throws {
        let (database, collection, items) = (database, collection, items)
        let other = try folder.open()
        let before = try Self.state(database, items)
        let states = try await database.read {
            let first = try Self.state(database, items)
            let committed = DispatchSemaphore(value: 0)
            Thread.detachNewThread {
                try? database.batch {
                    try collection.save(document: MutableDocument(id: "0", data: ["n": 10]))
                    try collection.save(document: MutableDocument(id: "new", data: ["n": 11]))
                }
                try? other.collection(name: "things")?.purge(id: "1")
                committed.signal()
            }
            committed.wait()
            return [first, try Self.state(database, items)]
        }
        #expect(states == [before, before])
        let after = try await database.read { try Self.state(database, items) }
        #expect(after.suffix(3) == ["3", "3", "10"])
        #expect(after == (try Self.state(database, items)))
    }

    @Test("nothing can be written inside of a block that reads")
    func writingInRead() async throws {
        let (database, collection, items) = (database, collection, items)
        let other = try #require(try folder.open().collection(name: "things"))
        let writes: [@Sendable () throws -> Void] = [
            { try collection.save(document: MutableDocument(id: "a")) }, { try items.save(Item(n: 9)) },
            { try database.batch {} }, { try database.execute("DELETE FROM things") }, { try items.query().delete() },
            { try other.purge(id: "1") },
        ]
        for write in writes {
            let error = await #expect(throws: NSError.self) { try await database.read(write) }
            #expect(error?.code == CBLError.notWriteable)
            #expect(error?.localizedDescription.contains("inside of a block that reads") == true)
        }
        #expect(collection.count == 3)
        try collection.save(document: MutableDocument(id: "a"))
    }

    @Test("the changes of a block are committed together, and their results are returned")
    func commit() async throws {
        let (database, collection) = (database, collection)
        var changes = collection.changes().makeAsyncIterator()
        let count = try await database.write {
            for n in 0..<10 { try collection.save(document: MutableDocument(id: "d\(n)")) }
            return collection.count
        }
        #expect(count == 13)
        #expect(await changes.next()?.documentIDs.count == 10)
    }

    @Test("a block that throws is rolled back, and passes on its error unchanged")
    func rollback() async throws {
        let (database, collection) = (database, collection)
        await #expect(throws: Oops.self) {
            try await database.write {
                try collection.purge(id: "0")
                throw Oops()
            }
        }
        #expect(try collection.document(id: "0") != nil)
        await #expect(throws: Oops.self) { try await database.read { throw Oops() } }
    }

    @Test("blocks of a closed database throw notOpen")
    func closed() async throws {
        try database.close()
        let read = await #expect(throws: NSError.self) { try await database.read {} }
        let write = await #expect(throws: NSError.self) { try await database.write {} }
        for error in [read, write] { #expect(error?.domain == CBLError.domain && error?.code == CBLError.notOpen) }
    }

    @Test("the block of a cancelled task does not begin")
    func cancelledBefore() async throws {
        let database = database
        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            _ = try await database.read { Issue.record("the block has begun") }
        }
        await #expect(throws: CancellationError.self) { try await task.value }
    }

    @Test("cancelling a task stops the query inside of its block, and rolls the block back", arguments: [true, false])
    func cancelledQuery(writes: Bool) async throws {
        let (database, collection) = (database, collection)
        try database.batch { for n in 0..<1000 { try collection.save(document: MutableDocument(id: "d\(n)")) } }
        // The query has 10^18 rows to process.
        let joins = ["b", "c", "d", "e", "f"].map { " CROSS JOIN things AS \($0)" }.joined()
        let query = try database.createQuery("SELECT count(*) FROM things AS a\(joins) WHERE a.x IS MISSING AND f.x IS MISSING")
        let hasBegun = AsyncStream<Void>.makeStream()
        let task = Task {
            if writes {
                try await database.write {
                    try collection.purge(id: "0")
                    hasBegun.continuation.yield()
                    _ = try query.execute()
                }
            } else {
                try await database.read {
                    hasBegun.continuation.yield()
                    _ = try query.execute()
                }
            }
        }
        for await _ in hasBegun.stream { break }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(try await database.read { collection.count } == 1003)
        try await database.write { try collection.save(document: MutableDocument(id: "later")) }
    }

    @MainActor
    @Test("blocks of the main actor run on another thread")
    func otherThread() async throws {
        let (database, collection) = (database, collection)
        #expect(try await database.read { Thread.isMainThread } == false)
        #expect(try await database.write { Thread.isMainThread } == false)
        let document = MutableDocument(id: "of the main actor")
        try await database.write { try collection.save(document: document) }
        #expect(document.sequence > 0)
    }
}

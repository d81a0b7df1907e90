import DatabaseRuntime
import Foundation
import Testing

@testable import CouchbaseLiteSwift
@testable import DocumentStore

@Suite("Async sequences of changes")
struct ChangeSequenceTests {
    let folder: DatabaseFolder
    let database: Database
    let collection: Collection

    init() throws {
        folder = try DatabaseFolder()
        database = try folder.open()
        collection = try database.createCollection(name: "things")
    }

    private func save(_ ids: String...) throws {
        try database.inBatch { for id in ids { try collection.save(document: MutableDocument(id: id)) } }
    }

    /// Whether anything observes the database's file.
    private var isObserved: Bool { get throws { try database.openFile().changes.hasObservers } }

    @Test("a sequence of changes yields the commits since its creation in order")
    func order() async throws {
        try save("before")
        let changes = collection.changes()
        try save("a", "b")
        var iterator = changes.makeAsyncIterator()
        let first = await iterator.next()
        #expect(first?.documentIDs == ["a", "b"])
        #expect(first?.collection == collection)
        #expect(first?.collection.database === database)
        for id in ["c", "a"] {
            async let next = Self.ids(of: changes)
            try save(id)
            #expect(await next == [id])
        }
    }

    private static func ids(of changes: CollectionChanges) async -> [String]? {
        for await change in changes { return change.documentIDs }
        return nil
    }

    @Test("pending changes of a slow consumer are merged by document and yielded a thousand at a time")
    func slow() async throws {
        let changes = collection.changes()
        try save("x", "y")
        try save("y", "x", "z")
        var iterator = changes.makeAsyncIterator()
        #expect(await iterator.next()?.documentIDs == ["x", "y", "z"])
        let ids = (0..<2500).map(String.init)
        for start in stride(from: 0, to: 2500, by: 100) {
            try database.inBatch {
                for id in ids[start..<start + 100] { try collection.save(document: MutableDocument(id: id)) }
            }
        }
        try save("0")
        var received: [[String]] = []
        for _ in 0..<3 { received.append(await iterator.next()?.documentIDs ?? []) }
        #expect(received.map(\.count) == [1000, 1000, 500])
        #expect(received.flatMap(\.self) == ids)
        try save("0")
        #expect(await iterator.next()?.documentIDs == ["0"], "what was taken is heard of again")
    }

    @Test("documents that change while a slow consumer takes changes are yielded in order, each once")
    func changesWhileTaking() async throws {
        let buffer = ChangeBuffer()
        let ids = (0..<4).map { round in (0..<2500).map { "\(round) \($0)" } }
        var taken: [[String]] = []
        for round in 0..<4 {
            buffer.add(ids[round] + ["0 0", "1 2499"], of: collection.store)
            taken.append(await buffer.next(isolation: nil)?.documentIDs ?? [])
        }
        buffer.finish()
        while let group = await buffer.next(isolation: nil) { taken.append(group.documentIDs) }
        #expect(taken.map(\.count) == Array(repeating: 1000, count: 10) + [2])
        // One document was taken in the first round and one in the third, and changed again afterwards.
        let expected = [ids[0], ["1 2499"], Array(ids[1].dropLast()), ["0 0"], ids[2], ids[3], ["1 2499"]]
        #expect(taken.flatMap(\.self) == expected.flatMap(\.self))
    }

    @Test("the sequence of a database yields the changes of all its collections")
    func ofDatabase() async throws {
        let changes = database.changes()
        try database.saveDocument(MutableDocument(id: "in default"))
        try save("in things")
        let late = try database.createCollection(name: "late")
        try late.save(document: MutableDocument(id: "in late"))
        try database.saveDocument(MutableDocument(id: "in default too"))
        var received: [String] = []
        for await change in changes {
            received.append("\(change.collection.name): \(change.documentIDs.joined(separator: ", "))")
            if received.count == 3 { break }
        }
        #expect(received == ["_default: in default, in default too", "things: in things", "late: in late"])
    }

    @Test("the sequence of a document yields only its changes, and merges pending ones")
    func ofDocument() async throws {
        let changes = collection.documentChanges(id: "a")
        try save("b")
        try save("a")
        try save("a")
        try database.saveDocument(MutableDocument(id: "a"))
        try collection.purge(id: "a")
        var iterator = changes.makeAsyncIterator()
        let change = await iterator.next()
        #expect(change?.documentID == "a")
        #expect(change?.collection == collection)
        async let next = Self.next(of: changes)
        try save("b")
        try save("a")
        #expect(await next?.documentID == "a")
    }

    private static func next(of changes: DocumentChanges) async -> DocumentChange? {
        for await change in changes { return change }
        return nil
    }

    @Test("a sequence of changes ends when its task is cancelled, and removes its observer")
    func cancelled() async throws {
        let changes = collection.changes()
        let documentChanges = collection.documentChanges(id: "a")
        #expect(try isObserved)
        let tasks = [
            Task { for await _ in changes {} },
            Task { for await _ in documentChanges {} },
        ]
        for task in tasks {
            task.cancel()
            await task.value
        }
        #expect(try !isObserved)
        try save("a")
        var iterator = changes.makeAsyncIterator()
        #expect(await iterator.next() == nil)
    }

    @Test("a sequence of changes removes its observer when it is released")
    func dropped() async throws {
        do {
            let changes = collection.changes()
            try save("a")
            for await _ in changes { break }
            #expect(try isObserved)
            _ = changes
        }
        #expect(try !isObserved)
        do {
            var iterator = collection.changes().makeAsyncIterator()
            #expect(try isObserved)
            try save("b")
            #expect(await iterator.next() != nil)
        }
        #expect(try !isObserved)
    }

    @Test("a sequence of changes ends when the database is closed, after the pending changes")
    func closed() async throws {
        let changes = collection.changes()
        let all = database.changes()
        let waiting = Task { await Self.ids(of: collection.documentChanges(id: "never")) }
        try save("a")
        try database.close()
        var received: [[String]] = []
        for await change in changes { received.append(change.documentIDs) }
        for await change in all { received.append(change.documentIDs) }
        #expect(received == [["a"], ["a"]])
        #expect(await waiting.value == 0)
        for await _ in collection.changes() { Issue.record("a closed database has no changes") }
    }

    private static func ids(of changes: DocumentChanges) async -> Int {
        var count = 0
        for await _ in changes { count += 1 }
        return count
    }

    @Test("a sequence of changes ends when its collection is deleted, but not if the deletion is rolled back")
    func deletedCollection() async throws {
        struct Oops: Error {}
        let changes = collection.changes()
        try? database.inBatch {
            try database.deleteCollection(name: "things")
            throw Oops()
        }
        try save("a")
        try database.deleteCollection(name: "things")
        try database.createCollection(name: "things").save(document: MutableDocument(id: "b"))
        var received: [[String]] = []
        for await change in changes { received.append(change.documentIDs) }
        #expect(received == [["a"]])
    }

    @Test("a sequence of changes of a collection that was already deleted ends at once, but not if the deletion is rolled back")
    func alreadyDeletedCollection() async throws {
        struct Oops: Error {}
        var made: CollectionChanges?
        try? database.inBatch {
            try database.deleteCollection(name: "things")
            made = collection.changes()
            throw Oops()
        }
        try save("a")
        var iterator = try #require(made).makeAsyncIterator()
        #expect(await iterator.next()?.documentIDs == ["a"])
        try database.deleteCollection(name: "things")
        #expect(await iterator.next() == nil)
        for await _ in collection.changes() { Issue.record("a deleted collection has no changes") }
        #expect(await Self.ids(of: collection.documentChanges(id: "a")) == 0)
    }

    @Test("a sequence of changes does not keep the database open, and ends with it")
    func databaseDeleted() async throws {
        func makeChanges() throws -> CollectionChanges {
            let database = try folder.open("other")
            return database.changes()
        }
        for await _ in try makeChanges() { Issue.record("nothing was changed") }
        try Database.delete(withName: "other", inDirectory: folder.path)
    }
}

import CouchbaseLiteSwift
import Foundation
import TestSupport
import TestTraits
import Testing

@Suite("The history of a database in the API")
struct DatabaseHistoryTests {
    let folder: DatabaseFolder
    let database: Database
    let notes: Collection

    init() throws {
        folder = try DatabaseFolder()
        database = try folder.open()
        notes = try database.createCollection(name: "notes", scope: "work")
    }

    private func save(_ id: String, _ number: Int = 1) throws {
        try notes.save(document: MutableDocument(id: id).setInt(number, forKey: "n"))
    }

    private func ids(_ page: HistoryPage) -> [String] { page.changes.map(\.documentID) }

    @Test("a token stored as a string or with Codable continues the history after the database was opened again")
    func restarts() throws {
        for id in ["a", "b", "c"] { try save(id) }
        let first = try database.history(limit: 2)
        #expect(ids(first) == ["a", "b"] && first.hasMore)
        #expect(first.changes.allSatisfy { $0.collection.fullName == "work.notes" && $0.origin == .app && !$0.isDeleted })
        let string = first.token.string
        let archived = try JSONEncoder().encode([first.token])
        try notes.delete(document: #require(try notes.document(id: "a")))
        try database.close()
        let reopened = try folder.open()
        let rest = try reopened.history(since: HistoryToken(string: string))
        #expect(ids(rest) == ["c", "a"] && rest.changes.map(\.isDeleted) == [false, true] && !rest.hasMore)
        #expect(rest.changes.map(\.sequence) == [3, 4])
        #expect(try ids(reopened.history(since: JSONDecoder().decode([HistoryToken].self, from: archived)[0])) == ids(rest))
        #expect(try ids(reopened.history(since: rest.token)) == [])
    }

    @Test("purged documents are not listed, and the documents before and after them are")
    func purged() throws {
        for id in ["a", "b", "c"] { try save(id) }
        try notes.purge(id: "b")
        let page = try database.history()
        #expect(ids(page) == ["a", "c"])
        try save("b")
        try notes.purge(id: "b")
        let next = try database.history(since: page.token)
        #expect(next.changes.isEmpty && !next.hasMore)
        try save("d")
        #expect(try ids(database.history(since: next.token)) == ["d"])
    }

    @Test("a token of another database, a garbage token, a history in a batch and a limit of 0 throw errors")
    func errors() throws {
        try save("a")
        let token = try database.history().token
        let other = try folder.open("other")
        #expect(thrown { _ = try other.history(since: token) } == .invalidParameter)
        try Database.copy(fromPath: folder.bundle().path, toDatabase: "copy", withConfig: folder.config)
        #expect(thrown { _ = try folder.open("copy").history(since: token) } == .invalidParameter)
        #expect(thrown { _ = try HistoryToken(string: "garbage") } == .invalidParameter)
        #expect(thrown { _ = try HistoryToken(string: token.string + "A") } == .invalidParameter)
        #expect(throws: DecodingError.self) { try JSONDecoder().decode([HistoryToken].self, from: Data(#"["x"]"#.utf8)) }
        #expect(thrown { try database.batch { _ = try database.history() } } == .transactionNotClosed)
        #expect(thrown { _ = try database.history(limit: 0) } == .invalidParameter)
        try database.close()
        #expect(thrown { _ = try database.history() } == .notOpen)
    }

    @Test("a deleted collection is named, and one that was created again is listed anew")
    func collections() throws {
        try save("a")
        let token = try database.history().token
        try database.deleteCollection(name: "notes", scope: "work")
        #expect(try database.history(since: token).deletedCollections == ["work.notes"])
        let again = try database.createCollection(name: "notes", scope: "work")
        try again.save(document: MutableDocument(id: "z"))
        let page = try database.history(since: token)
        #expect(page.deletedCollections == ["work.notes"] && ids(page) == ["z"])
    }

    @Test("pages that are read while another thread writes contain each document at least once, with its last sequence")
    func concurrentWrites() async throws {
        let writer = Task.detached { [notes] in
            for number in 0..<300 { try notes.save(document: MutableDocument(id: "\(number % 40)").setInt(number, forKey: "n")) }
        }
        var (token, found) = (HistoryToken?.none, [String: UInt64]())
        func readAll() throws {
            var page: HistoryPage
            repeat {
                page = try database.history(since: token, limit: 7)
                #expect(page.changes.count <= 7)
                for change in page.changes { found[change.documentID] = change.sequence }
                token = page.token
            } while page.hasMore
        }
        for _ in 0..<20 { try readAll() }
        try await writer.value
        try readAll()
        let query = try database.query("SELECT meta().id, meta().sequence FROM work.notes")
        let stored = try query.execute().map { ($0.string(at: 0) ?? "", UInt64($0.int64(at: 1))) }
        #expect(found == Dictionary(uniqueKeysWithValues: stored))
    }
}

@Suite("The live history of a database", .ownThreads)
struct HistoryUpdatesTests {
    let folder: DatabaseFolder
    let database: Database
    let notes: Collection

    init() throws {
        folder = try DatabaseFolder()
        database = try folder.open()
        notes = try database.createCollection(name: "notes")
    }

    private func save(_ id: String) throws { try notes.save(document: MutableDocument(id: id)) }

    @Test("the live history returns the pages since the token, then those of each commit, and ends when the database is closed")
    func pages() async throws {
        for id in ["a", "b", "c"] { try save(id) }
        let token = try database.history(limit: 1).token
        var updates = database.historyUpdates(since: token, limit: 1).makeAsyncIterator()
        #expect(try await updates.next()?.changes.map(\.documentID) == ["b"])
        #expect(try await updates.next()?.changes.map(\.documentID) == ["c"])
        try save("d")
        let last = try #require(try await updates.next())
        #expect(last.changes.map(\.documentID) == ["d"] && !last.hasMore)
        try database.close()
        #expect(try await updates.next() == nil)
    }

    @Test("the live history ends when its task is cancelled, and throws the error of a wrong token")
    func ending() async throws {
        let task = Task { [database] in
            var count = 0
            for try await _ in database.historyUpdates() { count += 1 }
            return count
        }
        task.cancel()
        #expect(try await task.value <= 1)
        let foreign = try folder.open("other").history().token
        var updates = database.historyUpdates(since: foreign).makeAsyncIterator()
        await #expect(throws: NSError.self) { try await updates.next() }
    }

    @Test("the live history has the changes of another process")
    func otherProcess() async throws {
        var updates = database.historyUpdates().makeAsyncIterator()
        try save("mine")
        #expect(try await updates.next()?.changes.map(\.documentID) == ["mine"])
        let writer = try ProcessRunner(product: "DatabaseWriter")
        let result = try await writer.run([folder.path, "db", "count", "c", "3"])
        #expect(result.ending == .exited(0), "\(result.errorOutput)")
        #expect(try await updates.next()?.changes.map(\.documentID) == ["c"])
    }
}

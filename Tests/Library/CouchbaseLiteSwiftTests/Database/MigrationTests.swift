import Foundation
import Synchronization
import TestSupport
import Testing

@testable import CouchbaseLiteSwift

@Suite("Migrations of documents")
struct MigrationTests {
    private struct Refused: Error {}

    private struct Note: Codable, Identifiable {
        @DocumentID var id: String?
        var title: String
        var rank = 0
    }

    let folder: DatabaseFolder

    init() throws { folder = try DatabaseFolder() }

    /// Opens a database with two notes, which has no version.
    private func openOld() throws -> Database {
        let database = try folder.open()
        let notes = try database.createCollection(name: "notes")
        try notes.save(document: MutableDocument(id: "a").setString("one", forKey: "title").setString("7", forKey: "rank"))
        try notes.save(document: MutableDocument(id: "b").setString("two", forKey: "title").setInt(1, forKey: "rank"))
        return database
    }

    /// The numbers of the steps that a migration of the database does.
    private func steps(_ database: Database, to version: Int) throws -> [Int] {
        var numbers: [Int] = []
        try database.migrate(to: version) { numbers.append($0.number) }
        return numbers
    }

    @Test("the steps of a migration are done in order and once, also if the database is opened again")
    func once() throws {
        let database = try openOld()
        #expect(try steps(database, to: 0) == [])
        #expect(try steps(database, to: 2) == [1, 2])
        #expect(try steps(database, to: 2) == [])
        #expect(try steps(database, to: 3) == [3])
        try database.close()
        let again = try folder.open()
        #expect(try steps(again, to: 4) == [4])
        let path = try #require(again.path)
        try again.close()
        try Database.copy(fromPath: path, toDatabase: "copy", withConfig: folder.config)
        #expect(try steps(folder.open("copy"), to: 5) == [5])
        #expect(try folder.problems() == [])
    }

    @Test("a step changes documents by statements and as values, each in a transaction of its own")
    func changes() throws {
        let database = try openOld()
        let changed = Mutex<[Int]>([])
        try database.migrate(to: 2) { step in
            let count =
                switch step.number {
                case 1: try step.execute("UPDATE notes SET rank = TONUMBER(rank) WHERE ISSTRING(rank)").changedCount
                default:
                    try step.update(Note.self, in: "notes", where: #Predicate { $0.rank > 0 }) { $0.title += "!" }
                        + step.update(Note.self, in: "missing") { $0.rank = 0 }
                }
            changed.withLock { $0.append(count) }
        }
        #expect(changed.withLock { $0 } == [1, 2])
        let notes = try #require(try database.collection(name: "notes")).models(Note.self)
        #expect(try notes.query(orderBy: [SortDescriptor(\.rank)]).all().map { "\($0.title) \($0.rank)" } == ["two! 1", "one! 7"])
    }

    @Test("a step that throws is rolled back, those before it remain, and the next migration goes on with it")
    func failing() throws {
        let database = try openOld()
        #expect(throws: Refused.self) {
            try database.migrate(to: 3) { step in
                try step.execute("UPDATE notes SET done = \(step.number)")
                if step.number == 2 { throw Refused() }
            }
        }
        let notes = try #require(try database.collection(name: "notes"))
        #expect(notes["a"]["done"].int == 1)
        #expect(try steps(database, to: 3) == [2, 3])
    }

    @Test("a database that was just created has the newest version without any step, but not once it has a document")
    func new() throws {
        let new = try folder.open("new")
        #expect(try steps(new, to: 3) == [])
        try new.saveDocument(MutableDocument(id: "a"))
        #expect(try steps(new, to: 4) == [4])
        let used = try folder.open("used")
        try used.saveDocument(MutableDocument(id: "a"))
        try used.deleteDocument(#require(used.document(withID: "a")))
        #expect(try steps(used, to: 2) == [1, 2])
        try folder.open("empty").close()
        #expect(try steps(folder.open("empty"), to: 1) == [1], "an earlier version of the app may have created it")
    }

    @Test("documents of a newer version, a negative version and a batch are errors")
    func refused() throws {
        let database = try openOld()
        _ = try steps(database, to: 3)
        let error = #expect(throws: NSError.self) { try steps(database, to: 2) }
        #expect(error?.code == CBLError.databaseTooNew)
        #expect(error?.localizedDescription.contains("version 3") == true)
        #expect(error?.localizedDescription.contains("version 2") == true)
        #expect(thrown { _ = try steps(database, to: -1) } == .invalidParameter)
        #expect(thrown { try database.batch { _ = try steps(database, to: 4) } } == .transactionNotClosed)
        #expect(thrown { try database.migrate(to: 4) { try $0.database.migrate(to: 5) { _ in } } } == .transactionNotClosed)
        #expect(try steps(database, to: 4) == [4])
        try database.close()
        #expect(thrown { _ = try steps(database, to: 4) } == .notOpen)
    }

    @Test("a database that is read-only can be migrated only if nothing is to be done")
    func readOnly() throws {
        let database = try openOld()
        _ = try steps(database, to: 1)
        try database.close()
        let config = folder.config
        config.opensForReadingOnly = true
        let readOnly = try Database(name: "db", config: config)
        #expect(try steps(readOnly, to: 1) == [])
        #expect(thrown { _ = try steps(readOnly, to: 2) } == .couchbaseLite(CBLError.notWriteable))
        #expect(thrown { _ = try steps(readOnly, to: 0) } == .couchbaseLite(CBLError.databaseTooNew))
    }

    @Test("each step is done once if several threads, with objects of their own, migrate a database")
    func threads() async throws {
        let database = try openOld()
        let done = Recorder<Int>()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<4 {
                let other = try folder.open()
                group.addTask { try await other.async.migrate(to: 20) { done.append($0.number) } }
            }
            try await group.waitForAll()
        }
        #expect(done.all == Array(1...20))
        #expect(try steps(database, to: 20) == [])
    }

    @Test("each step is done once if several processes migrate a database")
    func processes() throws {
        let database = try openOld()
        try database.saveDocument(MutableDocument(id: "steps").setInt(0, forKey: "n"))
        let writer = try ProcessRunner(product: "DatabaseWriter")
        let processes = try (0..<2).map { _ in try writer.start([folder.path, "db", "migrate", "40"]) }
        var numbers = try steps(database, to: 40)
        for _ in numbers { try database.execute("UPDATE _ SET n = n + 1 WHERE META().id = 'steps'") }
        for process in processes {
            let result = process.waitUntilExit()
            #expect(result.ending == .exited(0), "\(result.errorOutput)")
            numbers += result.outputLines.dropFirst().compactMap { Int($0) }
        }
        #expect(numbers.sorted() == Array(1...40))
        #expect(database["steps"]["n"].int == 40)
    }
}

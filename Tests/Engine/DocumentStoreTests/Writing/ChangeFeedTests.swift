import Synchronization
import TestSupport
import Testing

@testable import DocumentStore

@Suite("Change feed")
struct ChangeFeedTests {
    /// Records the notifications of an observer.
    private final class Log: Sendable {
        let entries = Mutex<[[String]]>([])

        func observe(_ database: TestDatabase, _ collection: CollectionID = .default) -> ChangeFeed.Token {
            database.file.changes.addObserver { changes in
                self.entries.withLock { $0.append(changes.documents[collection] ?? []) }
            }
        }

        var all: [[String]] { entries.withLock { $0 } }
    }

    private struct Abort: Error {}

    @Test("an observer is notified of each document of a commit once, in order of the changes")
    func order() throws {
        let database = try TestDatabase()
        let log = Log()
        let token = log.observe(database)
        let collection = try database.collection()
        try database.file.transaction { writer in
            for id in ["b", "a", "b", "c"] { try collection.save(DocumentSave(id, base: .latest), "{}", in: writer) }
            _ = try collection.delete("a", base: .latest, in: writer)
            #expect(log.all.isEmpty)
        }
        try database.purge("c")
        #expect(log.all == [["b", "a", "c"], ["c"]])
        database.file.changes.removeObserver(token)
        try database.save("d", "{}")
        #expect(log.all.count == 2)
    }

    @Test("an observer is not notified of changes that were rolled back, refused or ineffective")
    func nothing() throws {
        let database = try TestDatabase()
        let log = Log()
        _ = log.observe(database)
        let collection = try database.collection()
        try? database.file.transaction { writer in
            try collection.save(DocumentSave("a", base: .none), "{}", in: writer)
            throw Abort()
        }
        try database.save("x", "{}", base: .revision(.of("1-ab")))
        try database.delete("x")
        try database.purge("x")
        #expect(log.all.isEmpty)
        try database.save("b", "{}")
        #expect(log.all == [["b"]])
    }

    @Test("an observer may write, and this change is reported after the one it was notified of")
    func observerWrites() throws {
        let database = try TestDatabase()
        let file = database.file
        let collection = try database.collection()
        _ = file.changes.addObserver { changes in
            guard changes.contains("a", in: .default) else { return }
            _ = try? file.transaction { try collection.save(DocumentSave("from observer", base: .none), "{}", in: $0) }
        }
        let log = Log()
        _ = log.observe(database)
        try database.save("a", "{}")
        #expect(log.all == [["a"], ["from observer"]])
    }

    @Test("changes committed by several threads are reported in order of the commits")
    func threads() throws {
        let database = try TestDatabase()
        let log = Log()
        _ = log.observe(database)
        let file = database.file
        let collection = try database.collection()
        let committed = Mutex<[String]>([])
        try onThreads(4) { thread in
            for number in 0..<20 {
                try file.transaction { writer in
                    let id = "\(thread)-\(number)"
                    try collection.save(DocumentSave(id, base: .none), "{}", in: writer)
                    committed.withLock { $0.append(id) }
                }
            }
        }
        #expect(log.all.flatMap(\.self) == committed.withLock { $0 })
    }
}

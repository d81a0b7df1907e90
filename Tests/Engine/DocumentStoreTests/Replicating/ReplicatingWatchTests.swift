import Synchronization
import TestSupport
import Testing

@testable import DocumentStore

@Suite("Notifications of replicated changes")
struct ReplicatingWatchTests {
    @Test("a watcher is notified of received revisions and resolved conflicts, but not of remote ancestors")
    func notified() throws {
        var options = DatabaseFile.Options(clock: VirtualClock(0))
        options.steadyClock = VirtualClock(0)
        let database = try TestDatabase(options: options)
        let collection = try database.collection()
        let count = Mutex(0)
        let watch = database.file.watch
        let registration = try watch.register(for: [collection.tables.store], of: database.file) {
            count.withLock { $0 += 1 }
        }
        defer { watch.remove(registration) }
        func isNotified(_ change: () throws -> Void) throws -> Bool {
            watch.wait(registration)
            let before = count.withLock { $0 }
            try change()
            return count.withLock { $0 } > before
        }
        #expect(try isNotified { try database.receive("a", [.of("1-aa")]) })
        #expect(try isNotified { try database.save("a", #"{"n":1}"#) })
        let local = try database.change(of: "a").revision
        #expect(try !isNotified { try database.note(local, of: "a") })
        #expect(try !isNotified { try database.note(local, of: "a", remote: 2) })
        #expect(try !isNotified { try database.receive("a", [.of("1-aa")]) })
        try database.save("a", #"{"n":2}"#)
        #expect(try isNotified { try database.receive("a", [.of("3-00"), local]) })
        let conflict = try #require(try collection.conflict(in: "a"))
        #expect(
            try isNotified {
                _ = try database.file.transaction { try collection.resolve(conflict, with: .remote, in: $0) }
            }
        )
        #expect(try isNotified { try database.purge("a") })
    }
}

import Base
import SQLiteEngine
import Synchronization
import TestSupport
import Testing

@testable import DocumentStore

@Suite("Changes by other processes")
struct ForeignChangeTests {
    private struct Abort: Error {}

    private let clock = VirtualClock(1_800_000_000_000)
    private let database: TestDatabase
    /// A second opening of the file that the first does not know, like that of another process.
    private let other: DatabaseFile

    init() throws {
        database = try TestDatabase(options: .init(clock: clock))
        other = try DatabaseFile(opened: OpenedFile(database.path, .init()), options: .init())
    }

    private func saveElsewhere(_ ids: String..., in id: CollectionID = .default) throws {
        let collection = try #require(try other.collection(id))
        try other.transaction { writer in
            for id in ids { try collection.save(DocumentSave(id, base: .latest), "{}", in: writer) }
        }
    }

    private func deleteElsewhere(_ id: String) throws {
        let collection = try #require(try other.collection(.default))
        _ = try other.transaction { try collection.delete(id, base: .latest, in: $0) }
    }

    private func look() {
        clock.advance(by: ForeignChangeWatcher.interval)
    }

    @Test("observers are notified of changes by another process at the next check, in order, each document once")
    func notified() throws {
        try saveElsewhere("before")
        let log = ChangeLog(database.file)
        look()
        #expect(log.all.isEmpty)
        try saveElsewhere("b", "a")
        try saveElsewhere("c", "b")
        look()
        #expect(log.all == [["a", "c", "b"]])
        try deleteElsewhere("c")
        look()
        look()
        #expect(log.all == [["a", "c", "b"], ["c"]])
    }

    @Test("observers are notified of another process's changes without the write lock, also during maintenance")
    func withoutLock() throws {
        let lock = try database.file.writer().lock
        let isHeld = Mutex<[Bool]>([])
        let token = database.file.changes.addObserver { _ in isHeld.withLock { $0.append(lock.isLockedByCurrentThread) } }
        defer { database.file.changes.removeObserver(token) }
        try saveElsewhere("a")
        try database.file.reindex()
        try saveElsewhere("b")
        try database.file.optimize(completely: false)
        try saveElsewhere("c")
        try database.file.compact()
        try database.save("d", "{}")
        #expect(isHeld.withLock { $0 } == [false, false, false, false])
    }

    @Test("another process's changes form their own groups, and are reported before later commits of this process")
    func groups() throws {
        let log = ChangeLog(database.file)
        try database.save("mine 1", "{}")
        try saveElsewhere("theirs 1")
        try database.save("mine 2", "{}")
        try saveElsewhere("theirs 2")
        let collection = try database.collection()
        #expect(throws: Abort.self) {
            try database.file.transaction { writer in
                try collection.save(DocumentSave("taken back", base: .none), "{}", in: writer)
                throw Abort()
            }
        }
        #expect(log.all == [["mine 1"], ["theirs 1"], ["mine 2"], ["theirs 2"]])
        try database.save("mine 3", "{}")
        look()
        #expect(log.all.suffix(2) == [["theirs 2"], ["mine 3"]])
    }

    @Test("changes in collections made by another process are reported; deleted collections are ignored")
    func collections() throws {
        let people = try CollectionID(name: "people")
        let log = ChangeLog(database.file, people)
        _ = try other.createCollection(people)
        try saveElsewhere("a", in: people)
        look()
        #expect(log.all == [["a"]])
        try saveElsewhere("b", in: people)
        try other.deleteCollection(people)
        try database.save("mine", "{}")
        look()
        #expect(log.all == [["a"]])
    }

    @Test("without an observer, changes of other processes are not detected, and later observers are not notified of them")
    func noObservers() throws {
        let log = ChangeLog(database.file)
        let withListener = clock.appointments.count
        log.stop(database.file)
        look()
        #expect(clock.appointments.count == withListener - 1)
        try database.save("mine", "{}")
        try saveElsewhere("theirs")
        let second = ChangeLog(database.file)
        look()
        try saveElsewhere("theirs too")
        look()
        #expect(log.all.isEmpty)
        #expect(second.all == [["theirs too"]])
        #expect(clock.appointments.count == withListener)
    }

    @Test("changes by another process during a local transaction are reported after the transaction")
    func inTransaction() throws {
        let log = ChangeLog(database.file)
        let collection = try database.collection()
        try database.file.transaction { writer in
            let inner = ChangeLog(database.file)
            try collection.save(DocumentSave("mine", base: .none), "{}", in: writer)
            try onThreads(1) { _ in look() }
            inner.stop(database.file)
        }
        try saveElsewhere("theirs")
        look()
        #expect(log.all == [["mine"], ["theirs"]])
    }

    @Test("changes of other processes are not detected after the file is closed")
    func closed() throws {
        let log = ChangeLog(database.file)
        try database.close()
        #expect(clock.appointments.isEmpty)
        try saveElsewhere("a")
        look()
        #expect(log.all.isEmpty)
    }
}

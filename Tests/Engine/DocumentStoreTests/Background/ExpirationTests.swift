import Foundation
import SQLiteEngine
import Synchronization
import TestSupport
import Testing

@testable import DocumentStore

@Suite("Document expiration")
struct ExpirationTests {
    private struct Abort: Error {}

    private let clock = VirtualClock(1_800_000_000_000)

    private func open() throws -> TestDatabase {
        try TestDatabase(options: .init(clock: clock))
    }

    private func expire(_ documentID: String, after milliseconds: Int64?, in id: CollectionID = .default, _ database: TestDatabase) throws {
        let collection = try database.collection(id)
        let time = milliseconds.map { clock.now + $0 }
        try #require(try database.file.transaction { try collection.setExpiration(time, of: documentID, in: $0) })
    }

    private func ids(_ database: TestDatabase, _ id: CollectionID = .default) throws -> [String] {
        var ids: [String] = []
        try database.collection(id).forEachDocument(includingDeleted: true) { record in
            ids.append(record.id)
            return true
        }
        return ids
    }

    @Test("expired documents and tombstones of all collections are purged at their time, and observers are notified")
    func purges() throws {
        let database = try open()
        let people = try CollectionID(name: "people", scope: "staff")
        _ = try database.file.createCollection(people)
        let log = ChangeLog(database.file)
        let peopleLog = ChangeLog(database.file, people)
        for id in ["a", "b", "c", "deleted"] { try database.save(id, "{}") }
        try database.save("p", "{}", in: people)
        try expire("a", after: 5000, database)
        try expire("b", after: 4000, database)
        try expire("deleted", after: 4000, database)
        try database.delete("deleted")
        try expire("p", after: 70_000, in: people, database)
        clock.advance(by: 3999)
        #expect(try ids(database) == ["a", "b", "c", "deleted"])
        clock.advance(by: 1)
        #expect(try ids(database) == ["a", "c"])
        clock.advance(by: 1000)
        #expect(try ids(database) == ["c"])
        #expect(try ids(database, people) == ["p"])
        clock.advance(by: 65_000)
        #expect(try ids(database, people) == [])
        #expect(log.all.suffix(2) == [["b", "deleted"], ["a"]])
        #expect(peopleLog.all == [["p"], ["p"]])
        #expect(try database.collection().lastSequence() == 5, "a purge gives no sequence")
        try database.checkAndClose()
    }

    @Test("a document whose expiration lies in the past is purged at once, but not on the caller's thread")
    func past() throws {
        let database = try open()
        try database.save("a", "{}")
        let purger = Mutex<Thread?>(nil)
        let token = database.file.changes.addObserver { _ in purger.withLock { $0 = Thread.current } }
        try expire("a", after: -1, database)
        #expect(try ids(database) == ["a"])
        try onThreads(1) { _ in clock.settle() }
        #expect(try ids(database) == [])
        #expect(purger.withLock { $0 } != Thread.current)
        database.file.changes.removeObserver(token)
    }

    @Test("a changed expiration replaces the earlier one, whether it is earlier, later or removed")
    func changed() throws {
        let database = try open()
        for id in ["earlier", "later", "never"] {
            try database.save(id, "{}")
            try expire(id, after: 5000, database)
        }
        try expire("earlier", after: 2000, database)
        try expire("later", after: 8000, database)
        try expire("never", after: nil, database)
        clock.advance(by: 2000)
        #expect(try ids(database) == ["later", "never"])
        clock.advance(by: 5999)
        #expect(try ids(database) == ["later", "never"])
        clock.advance(by: 1)
        #expect(try ids(database) == ["never"])
    }

    @Test("an expiration is kept when the document is saved, and is discarded when its transaction is rolled back")
    func transactions() throws {
        let database = try open()
        for id in ["saved", "aborted"] { try database.save(id, "{}") }
        try expire("saved", after: 1000, database)
        try database.save("saved", "{\"n\":1}")
        let collection = try database.collection()
        clock.settle()
        let before = clock.appointments
        #expect(throws: Abort.self) {
            try database.file.transaction { writer in
                _ = try collection.setExpiration(clock.now + 10, of: "aborted", in: writer)
                throw Abort()
            }
        }
        #expect(clock.appointments == before)
        clock.advance(by: 1000)
        #expect(try ids(database) == ["aborted"])
    }

    @Test("a document that was deleted before its expiration and is pulled or saved anew is not purged at the old time")
    func createdAnew() throws {
        let database = try open()
        for id in ["pulled", "saved", "tombstone"] {
            try database.save(id, "{}")
            try expire(id, after: 1000, database)
            try database.delete(id)
        }
        try database.save("saved", #"{"n":2}"#)
        let parent = try #require(try database.collection().document("pulled", includingDeleted: true)?.revision)
        let anew = ReceivedRevision(documentID: "pulled", revision: .of("3-aa"), history: [parent], body: try database.body("{}"))
        try database.receive(anew)
        clock.advance(by: 1000)
        #expect(try ids(database) == ["pulled", "saved"])
        try database.checkAndClose()
    }

    @Test("a document that is saved over a tombstone in the table of live documents does not expire")
    func createdOverOldTombstone() throws {
        let database = try open()
        try database.save("a", "{}")
        try expire("a", after: 1000, database)
        try database.delete("a")
        try database.sql(
            """
            INSERT INTO kv_default (key, sequence, flags, version, body, expiration, extra)
            SELECT key, sequence, flags, version, body, expiration, extra FROM kv_del_default;
            DELETE FROM kv_del_default;
            """
        )
        try database.reopen(options: .init(clock: clock))
        try database.save("a", #"{"n":2}"#)
        clock.advance(by: ExpirationTimer.longestSleep)
        #expect(try ids(database) == ["a"])
    }

    @Test("a document that expired while the file was closed is purged shortly after the file is opened")
    func overdue() throws {
        let database = try open()
        try database.save("a", "{}")
        try expire("a", after: 1000, database)
        try database.close()
        clock.advance(by: 5000)
        try database.reopen(options: .init(clock: clock))
        clock.advance(by: ExpirationTimer.settlingTime)
        #expect(try ids(database) == [])
    }

    @Test("an expiration set by another process takes effect after the next local change, or within a minute")
    func foreign() throws {
        let database = try open()
        try database.save("a", "{}")
        try database.save("b", "{}")
        clock.advance(by: 1000)
        try database.sql("UPDATE kv_default SET expiration = \(clock.now + 3000) WHERE key = 'a'")
        try database.save("c", "{}")
        clock.advance(by: 3000)
        #expect(try ids(database) == ["b", "c"])
        try database.sql("UPDATE kv_default SET expiration = \(clock.now) WHERE key = 'b'")
        clock.advance(by: ExpirationTimer.longestSleep)
        #expect(try ids(database) == ["c"])
    }

    @Test("the expiration timer works after changes of the system clock and with the largest possible date")
    func clockIsSet() throws {
        let database = try open()
        for id in ["a", "b", "end"] { try database.save(id, "{}") }
        try expire("a", after: 3_600_000, database)
        try expire("b", after: 7_200_000, database)
        let collection = try database.collection()
        _ = try database.file.transaction { try collection.setExpiration(.max, of: "end", in: $0) }
        clock.settle()
        #expect(clock.appointments.allSatisfy { $0 <= clock.now + ExpirationTimer.longestSleep })
        clock.jump(to: clock.now + 3_600_000)
        clock.settle()
        #expect(try ids(database) == ["b", "end"])
        clock.jump(to: clock.now - 3_600_000)
        clock.advance(by: 3_600_000)
        #expect(try ids(database) == ["b", "end"])
        clock.advance(by: 3_600_000)
        #expect(try ids(database) == ["end"])
    }

    @Test("expired documents are purged in batches of 1000")
    func many() throws {
        let database = try open()
        let collection = try database.collection()
        try database.file.transaction { writer in
            for number in 0..<2500 {
                try collection.save(DocumentSave("\(number)", base: .none), "{}", in: writer)
                _ = try collection.setExpiration(clock.now + 1000, of: "\(number)", in: writer)
            }
        }
        let log = ChangeLog(database.file)
        clock.advance(by: 1000)
        #expect(log.all.map(\.count) == [1000, 1000, 500])
        #expect(try collection.count() == 0)
        try database.checkAndClose()
    }

    @Test("invalid expiration values in the table are ignored, and damaged documents are purged")
    func oddRows() throws {
        let database = try open()
        for id in ["blob", "damaged", "fraction", "good", "minus", "text", "zero"] { try database.save(id, "{}") }
        let values = [
            "text": "'soon'", "blob": "x'00'", "zero": "0", "minus": "-5", "fraction": "\(clock.now + 1000).5",
        ]
        for (id, value) in values {
            try database.sql("UPDATE kv_default SET expiration = \(value) WHERE key = '\(id)'")
        }
        try database.sql("UPDATE kv_default SET version = x'' WHERE key = 'damaged'")
        try expire("damaged", after: 1000, database)
        try expire("good", after: 1000, database)
        clock.advance(by: 1000)
        #expect(
            try database.texts("SELECT key FROM kv_default ORDER BY key") == [
                "blob", "fraction", "minus", "text", "zero",
            ]
        )
        clock.advance(by: ExpirationTimer.longestSleep)
        #expect(try database.texts("SELECT key FROM kv_default ORDER BY key") == ["blob", "minus", "text", "zero"])
    }

    @Test("a purge that fails because another process holds the write lock is retried")
    func busy() throws {
        var options = DatabaseFile.Options(clock: clock)
        options.busyTimeout = .milliseconds(10)
        let database = try TestDatabase(options: options)
        try database.save("a", "{}")
        try expire("a", after: 1000, database)
        let other = try database.foreignConnection()
        try other.begin(.immediate)
        clock.advance(by: 1000)
        #expect(try ids(database) == ["a"])
        try other.rollback()
        try other.close()
        clock.advance(by: ExpirationTimer.retryDelay)
        #expect(try ids(database) == [])
    }

    @Test("the purge continues when an observer deletes a collection during the purge")
    func deletedCollection() throws {
        let database = try open()
        let (first, second) = (try CollectionID(name: "a"), try CollectionID(name: "b"))
        for id in [first, second] {
            _ = try database.file.createCollection(id)
            try database.save("doc", "{}", in: id)
            try expire("doc", after: 1000, in: id, database)
        }
        let file = database.file
        let token = file.changes.addObserver { changes in
            if changes.documents[first] != nil { try? file.deleteCollection(first) }
        }
        clock.advance(by: 1000)
        #expect(try file.collection(first) == nil)
        clock.advance(by: ExpirationTimer.settlingTime)
        #expect(try ids(database, second) == [])
        file.changes.removeObserver(token)
    }

    @Test("no document is purged from a file that is opened read-only")
    func readOnly() throws {
        let database = try open()
        try database.save("a", "{}")
        try expire("a", after: 1000, database)
        var options = DatabaseFile.Options(clock: clock)
        options.isReadOnly = true
        try database.reopen(options: options)
        #expect(clock.appointments.isEmpty)
        clock.advance(by: 120_000)
        #expect(try ids(database) == ["a"])
    }

    @Test("the expiration timer is cancelled when the file is closed, and does not keep the file alive")
    func closed() throws {
        let database = try open()
        try database.save("a", "{}")
        try expire("a", after: 1000, database)
        #expect(!clock.appointments.isEmpty)
        try database.close()
        #expect(clock.appointments.isEmpty)

        let bundle = database.path
        var file: DatabaseFile? = try DatabaseFile(opened: OpenedFile(bundle, database.file.options), options: database.file.options)
        weak let watched = file
        #expect(!clock.appointments.isEmpty)
        file = nil
        #expect(watched == nil)
        #expect(clock.appointments.isEmpty)
    }

    @Test("with the system clock, documents are purged when they have expired, and not earlier")
    func systemClock() throws {
        let database = try TestDatabase()
        let collection = try database.collection()
        let gone = DispatchSemaphore(value: 0)
        let token = database.file.changes.addObserver { changes in
            if case .success(nil) = Result(catching: { try collection.document("a") }) { gone.signal() }
        }
        for offset: Int64 in [-1000, 20] {
            try database.save("a", "{}")
            let time = SystemWallClock().now + offset
            _ = try database.file.transaction { try collection.setExpiration(time, of: "a", in: $0) }
            #expect(gone.wait(timeout: .now() + waitLimit) == .success)
            #expect(SystemWallClock().now >= time)
        }
        database.file.changes.removeObserver(token)
    }
}

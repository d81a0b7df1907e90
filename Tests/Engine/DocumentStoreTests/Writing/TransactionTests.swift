import Fleece
import SQLiteEngine
import TestSupport
import Testing

@testable import DocumentStore

@Suite("Transactions")
struct TransactionTests {
    private struct Abort: Error {}

    @Test("a failed transaction rolls back documents, sequences, counters and shared keys")
    func rollback() throws {
        let database = try TestDatabase()
        let collection = try database.collection()
        try database.save("a", #"{"first":1}"#)
        let keysBefore = try database.text("SELECT hex(body) FROM kv_info WHERE key = 'SharedKeys'")
        #expect(throws: Abort.self) {
            try database.file.transaction { writer in
                try collection.save(DocumentSave("b", base: .none), #"{"second":2}"#, in: writer)
                try collection.save(DocumentSave("a", base: .latest), #"{"third":3}"#, in: writer)
                _ = try collection.delete("a", base: .latest, in: writer)
                // Inside the transaction, its own changes are visible.
                #expect(try collection.document("b")?.canonicalJSON() == #"{"second":2}"#)
                #expect(try collection.count() == 1)
                throw Abort()
            }
        }
        #expect(try database.json("a") == #"{"first":1}"#)
        #expect(try database.json("b") == nil)
        #expect(try collection.lastSequence() == 1)
        #expect(try database.text("SELECT hex(body) FROM kv_info WHERE key = 'SharedKeys'") == keysBefore)
        #expect(try database.file.sharedKeys.keys == ["first"])
        // Keys that were rolled back must get new numbers, and must not be treated as stored.
        #expect(try database.save("c", #"{"third":3,"fourth":4}"#).sequence == 2)
        #expect(try database.file.sharedKeys.keys == ["first", "third", "fourth"])
        try database.reopen()
        #expect(try database.json("c") == #"{"fourth":4,"third":3}"#)
        try database.checkAndClose()
    }

    @Test("changes in a transaction are invisible to other threads until it is committed")
    func isolation() async throws {
        let database = try TestDatabase()
        let collection = try database.collection()
        try database.save("a", #"{"n":1}"#)
        try database.file.transaction { writer in
            try collection.save(DocumentSave("a", base: .latest), #"{"n":2}"#, in: writer)
            try onAnotherThread {
                let seen = try collection.document("a")?.canonicalJSON()
                #expect(seen == #"{"n":1}"#)
            }
        }
        #expect(try database.json("a") == #"{"n":2}"#)
    }

    @Test("a nested transaction is part of the outer transaction")
    func nested() throws {
        let database = try TestDatabase()
        #expect(throws: Abort.self) {
            try database.file.transaction { _ in
                try database.save("a", "{}")
                try database.file.transaction { _ in _ = try database.save("b", "{}") }
                throw Abort()
            }
        }
        #expect(try database.collection().count() == 0)
        try database.file.transaction { _ in
            try database.save("a", "{}")
            #expect(database.file.isInTransaction)
            try? database.file.transaction { (_: Writer) -> Void in throw Abort() }
            try database.save("b", "{}")
        }
        #expect(try database.collection().count() == 2)
        try database.checkAndClose()
    }

    @Test("a collection created in a failed transaction does not exist afterwards")
    func createdCollection() throws {
        let database = try TestDatabase()
        let id = try CollectionID(name: "people")
        var made: CollectionStore?
        #expect(throws: Abort.self) {
            try database.file.transaction { _ in
                made = try database.file.createCollection(id)
                try database.save("a", "{}", in: id)
                // Another thread does not see the collection yet, and its access must not make the collection unusable for this one.
                try onAnotherThread {
                    let seen = try database.file.collection(id)
                    #expect(seen == nil)
                }
                try database.save("b", "{}", in: id)
                #expect(made?.exists == true)
                throw Abort()
            }
        }
        #expect(made?.exists == false)
        #expect(try database.file.collection(id) == nil)
        let again = try database.file.createCollection(id)
        #expect(again !== made)
        #expect(try database.save("a", "{}", in: id).sequence == 1)
        try database.checkAndClose()
    }

    @Test("a failed statement that deleted a collection leaves the collection with the changes made before it")
    func deletedCollection() throws {
        let database = try TestDatabase()
        let id = try CollectionID(name: "people")
        _ = try database.file.createCollection(id)
        let log = ChangeLog(database.file, id)
        try database.file.transaction { _ in
            try database.save("a", "{}", in: id)
            try database.save("b", "{}", in: id)
            #expect(throws: Abort.self) {
                try database.file.statement { _ in
                    try database.save("c", "{}", in: id)
                    try database.file.deleteCollection(id)
                    throw Abort()
                }
            }
            #expect(try database.save("d", "{}", in: id).sequence == 3)
        }
        #expect(log.all == [["a", "b", "d"]])
        #expect(try database.collection(id).count() == 3)
        #expect(try database.save("e", "{}", in: id).sequence == 4)
        log.stop(database.file)
        try database.checkAndClose()
    }

    @Test("the actions of a failed statement run in reverse order, and what they register themselves is kept")
    func actionsOfStatement() throws {
        let database = try TestDatabase()
        var ran: [String] = []
        try database.file.transaction { writer in
            writer.onRollback { ran.append("transaction") }
            writer.onCommit { ran.append("commit") }
            #expect(throws: Abort.self) {
                try database.file.statement { writer in
                    writer.onCommit { ran.append("commit of the statement") }
                    writer.onRollback { ran.append("first") }
                    writer.onRollback {
                        ran.append("second")
                        writer.onCommit { ran.append("commit of the action") }
                    }
                    throw Abort()
                }
            }
            #expect(ran == ["second", "first"])
        }
        #expect(ran == ["second", "first", "commit", "commit of the action"])
        try database.checkAndClose()
    }

    @Test("a failed statement that began to name revisions by versions leaves revisions with trees")
    func namesOfStatement() throws {
        let database = try TestDatabase()
        try database.file.transaction { writer in
            #expect(throws: Abort.self) {
                try database.file.statement { writer in
                    writer.useVersions()
                    #expect(writer.usesVersions)
                    throw Abort()
                }
            }
            #expect(!writer.usesVersions)
        }
        try database.checkAndClose()
    }

    @Test("a full disk aborts the whole transaction, rejects its further changes, and leaves the file valid")
    func full() throws {
        let database = try TestDatabase()
        let collection = try database.collection()
        try database.save("before", #"{"n":1}"#)
        let writer = try database.file.writer()
        let pages = try #require(try database.scalar("PRAGMA page_count"))
        try writer.connection.execute("PRAGMA max_page_count=\(pages + 20)")
        let filler = String(repeating: "x", count: 3000)
        let error = #expect(throws: SQLiteError.self) {
            try database.file.transaction { writer in
                for number in 0..<100 {
                    try collection.save(
                        DocumentSave("\(number)", base: .none),
                        #"{"k\#(number)":"\#(filler)"}"#,
                        in: writer
                    )
                }
            }
        }
        #expect(error?.isFull == true)
        #expect(throws: StoreError.transactionAborted) {
            try database.file.transaction { writer in
                // As SQLite does by itself after some errors, which the caller may have ignored.
                try writer.connection.rollback()
                try expectAborted(database, collection, writer)
            }
        }
        #expect(try collection.count() == 1)
        try writer.connection.execute("PRAGMA max_page_count=1000000")
        #expect(try database.save("after", #"{"n":2}"#).sequence == 2)
        #expect(try database.json("before") == #"{"n":1}"#)
        try database.checkAndClose()
    }

    private func expectAborted(_ database: TestDatabase, _ collection: CollectionStore, _ writer: Writer) throws {
        let aborted = StoreError.transactionAborted
        #expect(throws: aborted) { try collection.save(DocumentSave("late", base: .none), "{}", in: writer) }
        #expect(throws: aborted) { try collection.delete("before", base: .latest, in: writer) }
        #expect(throws: aborted) { try collection.purge("before", in: writer) }
        #expect(throws: aborted) { try collection.setExpiration(1, of: "before", in: writer) }
        #expect(throws: aborted) { try collection.purgeExpired(now: .max, in: writer) }
        #expect(throws: aborted) { try database.file.transaction { _ in } }
    }
}

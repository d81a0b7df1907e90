import Foundation
import Synchronization
import TestSupport
import Testing

@testable import DocumentStore

@Suite("Collections")
struct CollectionTests {
    private let people: CollectionID
    private let capital: CollectionID

    init() throws {
        people = try CollectionID(name: "people", scope: "work")
        capital = try CollectionID(name: "People", scope: "work")
    }

    @Test("collections are listed with the default collection, and their names are case-sensitive")
    func create() throws {
        let database = try TestDatabase()
        #expect(try database.file.collectionIDs() == [.default])
        let made = try database.file.createCollection(people)
        #expect(try database.file.createCollection(people) === made)
        #expect(try database.file.collection(people) === made)
        #expect(try database.file.collection(capital) == nil)
        _ = try database.file.createCollection(capital)
        #expect(try database.file.collectionIDs() == [.default, capital, people])
        try database.save("a", #"{"in":"people"}"#, in: people)
        try database.save("a", #"{"in":"People"}"#, in: capital)
        #expect(try database.json("a", in: people) == #"{"in":"people"}"#)
        #expect(try database.json("a", in: capital) == #"{"in":"People"}"#)
        #expect(try database.json("a") == nil)
        try database.checkAndClose()
    }

    @Test("a deleted collection loses its documents, and continues its sequences when created again")
    func delete() throws {
        let database = try TestDatabase()
        let old = try database.file.createCollection(people)
        try database.save("a", "{}", in: people)
        try database.save("b", "{}", in: people)
        try database.file.deleteCollection(people)
        #expect(!old.exists)
        #expect(throws: StoreError.notOpen(what: "collection \"work.people\"")) { try old.document("a") }
        #expect(try database.file.collection(people) == nil)
        try database.file.deleteCollection(people)
        let new = try database.file.createCollection(people)
        #expect(new !== old)
        #expect(try new.count() == 0)
        #expect(try database.save("a", "{}", in: people).sequence == 3)
        #expect(throws: StoreError.cannotDeleteDefaultCollection) { try database.file.deleteCollection(.default) }
        try database.checkAndClose()
    }

    @Test("collections that another connection creates and deletes are seen, and those of transactions that were rolled back are not")
    func otherConnections() throws {
        struct Refusal: Error {}
        let database = try TestDatabase()
        var options = DatabaseFile.Options()
        options.isReadOnly = true
        let other = try DatabaseRegistry.open(database.file.bundle.directory, options: options)
        #expect(try other.collectionIDs() == [.default])
        for (kept, dropped) in [(people, capital), (capital, people)] {
            // The next transaction gives the same version to another schema.
            #expect(throws: Refusal.self) {
                try database.file.transaction { _ in
                    let made = try database.file.createCollection(dropped)
                    #expect(try database.file.collection(dropped) === made)
                    throw Refusal()
                }
            }
            #expect(try other.collection(dropped) == nil)
            try database.file.transaction { _ in
                _ = try database.file.createCollection(kept)
                #expect(try database.file.collection(dropped) == nil)
            }
            #expect(try database.file.collection(dropped) == nil)
            let seen = try #require(try other.collection(kept))
            #expect(try other.collectionIDs() == [.default, kept])
            try database.file.deleteCollection(kept)
            #expect(try !other.stillContains(seen))
            #expect(try other.collection(kept) == nil)
        }
        try DatabaseRegistry.close(other)
        try database.checkAndClose()
    }

    @Test("creating and deleting collections repeatedly keeps no data of the deleted collections")
    func cycles() throws {
        let database = try TestDatabase()
        var ordinals: Set<Int> = []
        for round in 0..<20 {
            let id = round % 2 == 0 ? people : capital
            ordinals.insert(try database.file.createCollection(id).ordinal)
            let json = #"{"n":\#(round)}"#
            try database.save("a", json, in: id)
            #expect(try database.json("a", in: id) == json)
            try database.file.deleteCollection(id)
        }
        // The expiration timer may retain a deleted collection for a short time.
        #expect(ordinals.count < 10)
        try database.checkAndClose()
    }

    @Test("a collection that is deleted and created again while another thread waits to delete it is deleted completely")
    func concurrentDeletion() throws {
        let database = try TestDatabase()
        let (file, id) = (database.file, people)
        let old = try file.createCollection(id)
        let isDeleting = DispatchSemaphore(value: 0)
        let isFinished = DispatchSemaphore(value: 0)
        let new = try file.transaction { _ in
            Thread.detachNewThread {
                isDeleting.signal()
                do { try file.deleteCollection(id) } catch { Issue.record(error) }
                isFinished.signal()
            }
            isDeleting.wait()
            // By then the other thread has probably found the old collection, and waits for the end of this transaction.
            Thread.sleep(forTimeInterval: 0.05)
            try file.deleteCollection(id)
            return try file.createCollection(id)
        }
        isFinished.wait()
        #expect(!old.exists)
        #expect(!new.exists)
        #expect(try file.collection(id) == nil)
        try database.checkAndClose()
    }

    @Test("threads that create a collection at once get the same object")
    func concurrentCreation() throws {
        let database = try TestDatabase()
        let (file, id) = (database.file, people)
        let made = Mutex<[CollectionStore]>([])
        try onThreads(4) { _ in
            let collection = try file.createCollection(id)
            made.withLock { $0.append(collection) }
        }
        let known = try #require(try file.collection(id))
        #expect(made.withLock { $0.allSatisfy { $0 === known } })
        made.withLock { $0 = [] }
        try database.checkAndClose()
    }

    @Test("tombstones are stored in their own table, and each table counts its removed rows")
    func tombstones() throws {
        let database = try TestDatabase()
        try database.save("a", #"{"n":1}"#)
        try database.save("b", #"{"n":1}"#)
        func counts() throws -> [Int64?] {
            try [
                "SELECT count(*) FROM kv_default", "SELECT count(*) FROM kv_del_default",
                "SELECT purgeCnt FROM kvmeta WHERE name = 'default'",
                "SELECT purgeCnt FROM kvmeta WHERE name = 'del_default'",
                "SELECT lastSeq FROM kvmeta WHERE name = 'default'",
                "SELECT lastSeq FROM kvmeta WHERE name = 'del_default'",
            ].map(database.scalar)
        }
        #expect(try counts() == [2, 0, 0, nil, 2, nil])
        try database.delete("a")
        #expect(try counts() == [1, 1, 1, nil, 3, nil])
        #expect(try database.collection().deletedCount() == 1)
        try database.save("a", #"{"n":2}"#)
        #expect(try counts() == [2, 0, 1, 1, 4, 0])
        try database.purge("b")
        #expect(try counts() == [1, 0, 2, 1, 4, 0])
        try database.delete("a")
        try database.purge("a")
        #expect(try counts() == [0, 0, 3, 2, 5, 0])
        try database.checkAndClose()
    }

    @Test("an expiration is kept by updates and deletion, and a document that is created over the tombstone does not expire")
    func expiration() throws {
        let database = try TestDatabase(options: .init(clock: VirtualClock(0)))
        let collection = try database.collection()
        try database.save("a", #"{"n":1}"#)
        try database.save("b", #"{"n":1}"#)
        let (setA, setNone) = try database.file.transaction { writer in
            (try collection.setExpiration(1000, of: "a", in: writer), try collection.setExpiration(5, of: "none", in: writer))
        }
        #expect(setA)
        #expect(!setNone)
        try database.save("a", #"{"n":2}"#)
        try database.delete("a")
        #expect(try collection.document("a", includingDeleted: true)?.expiration == 1000)
        try database.save("a", #"{"n":3}"#)
        #expect(try collection.document("a")?.expiration == nil)
        #expect(try collection.nextExpiration() == nil)
        _ = try database.file.transaction { try collection.setExpiration(1000, of: "a", in: $0) }
        #expect(try collection.nextExpiration() == 1000)
        #expect(try database.file.transaction { try collection.purgeExpired(now: 999, in: $0) } == [])
        #expect(try database.file.transaction { try collection.purgeExpired(now: 1000, in: $0) } == ["a"])
        #expect(try collection.nextExpiration() == nil)
        _ = try database.file.transaction { try collection.setExpiration(7, of: "b", in: $0) }
        _ = try database.file.transaction { try collection.setExpiration(0, of: "b", in: $0) }
        #expect(try database.scalar("SELECT expiration IS NULL FROM kv_default") == 1)
        try database.checkAndClose()
    }

    @Test("a collection whose last sequence was lost does not reuse a sequence")
    func sequenceRepair() throws {
        for (damage, hasIndex) in [("DELETE FROM kvmeta", false), ("UPDATE kvmeta SET lastSeq = 1", true)] {
            let database = try TestDatabase()
            for id in ["a", "b", "c"] { try database.save(id, "{}") }
            // The highest number is not that of the newest row.
            try database.save("a", #"{"n":1}"#)
            if hasIndex { try database.sql("CREATE UNIQUE INDEX kv_default_seqs ON kv_default (sequence)") }
            try database.sql(damage)
            #expect(try database.save("d", "{}").sequence == 5)
            try database.checkAndClose()
        }
    }

    @Test("documents are enumerated by ID or sequence, with a start, a pattern and optional tombstones")
    func enumeration() throws {
        let database = try TestDatabase()
        for id in ["b", "a", "c1", "c2"] { try database.save(id, "{}") }
        try database.delete("b")
        let collection = try database.collection()
        func ids(
            _ order: CollectionStore.Order = .id,
            since: UInt64 = 0,
            deleted: Bool = false,
            matching: String? = nil,
            limit: Int = 100
        ) throws -> [String] {
            var result: [String] = []
            try collection.forEachDocument(order: order, since: since, includingDeleted: deleted, matching: matching) {
                result.append($0.id)
                return result.count < limit
            }
            return result
        }
        #expect(try ids() == ["a", "c1", "c2"])
        #expect(try ids(deleted: true) == ["a", "b", "c1", "c2"])
        #expect(try ids(.sequence, deleted: true) == ["a", "c1", "c2", "b"])
        #expect(try ids(.sequence, since: 3) == ["c2"])
        #expect(try ids(since: .max) == [])
        #expect(try ids(matching: "c*") == ["c1", "c2"])
        #expect(try ids(limit: 2) == ["a", "c1"])
    }

    @Test("the revisions of a document are listed with their properties")
    func revisions() throws {
        let database = try TestDatabase()
        try database.save("a", #"{"n":1}"#)
        try database.save("a", #"{"n":2}"#)
        try database.editTree(of: "a") { tree in
            _ = tree.insert(history: [.of("2-00"), tree.revisions[1].id], flags: .keepBody, body: [0x70, 0])
            tree.remotes[1] = tree.index(of: .of("2-00"))
            tree.rejected = [0]
        }
        let revisions = try #require(try database.collection().revisions(of: "a"))
        #expect(revisions.map(\.isLeaf) == [true, true, false])
        #expect(revisions.map(\.isConflict) == [false, true, false])
        #expect(revisions.map(\.hasBody) == [true, true, false])
        #expect(revisions.map(\.remotes) == [[], [1], []])
        #expect(revisions.map(\.isRejected) == [true, false, false])
        #expect(revisions[0].parent == revisions[2].id)
        #expect(try database.collection().revisions(of: "none")?.count == nil)
        #expect(try database.collection().history(of: "none") == nil)
        try database.checkAndClose()
    }
}

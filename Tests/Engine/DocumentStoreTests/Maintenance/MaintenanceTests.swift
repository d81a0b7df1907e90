import Foundation
import SQLiteEngine
import TestSupport
import Testing

@testable import DocumentStore

@Suite("Database maintenance")
struct MaintenanceTests {
    private func blobJSON(_ digest: BlobDigest) -> String { #"{"b":{"@type":"blob","digest":"\#(digest.string)"}}"# }

    @Test("compaction keeps the blobs of all stored revisions and removes the others")
    func blobs() throws {
        let database = try TestDatabase()
        let blobs = database.file.blobs
        let digests = try (0..<5).map { try blobs.store(Array("blob \($0)".utf8)) }
        let current = try #require(try database.save("a", blobJSON(digests[0]), hasBlobs: true).revision)
        // An older revision whose body is kept, and that is then replaced by one with another blob.
        try database.editTree(of: "a") { tree in tree.keepBodyOnly(of: 0) }
        try database.save("a", blobJSON(digests[1]), base: .revision(current), hasBlobs: true)
        // An ordinary older revision, whose body is removed.
        try database.save("b", blobJSON(digests[2]), hasBlobs: true)
        try database.save("b", "{}")
        // A conflicting branch.
        try database.save("c", "{}")
        let body = try JSONBody(blobJSON(digests[3]), database)
        try database.editTree(of: "c") { tree in
            _ = tree.insert(history: [.of("1-0123")], flags: .hasAttachments, body: body.bytes)
        }
        // A tombstone with properties.
        try database.save("d", "{}")
        let last = try JSONBody(blobJSON(digests[4]), database)
        let collection = try database.collection()
        try database.delete("d")
        try database.editTree(of: "d") { tree in
            _ = tree.insert(history: [.of("3-0123"), tree.revisions[0].id], flags: [.deleted, .hasAttachments], body: last.bytes)
        }
        try database.file.compact()
        #expect(Set(try blobs.digests()) == [digests[0], digests[1], digests[3], digests[4]])
        #expect(try collection.document("d") == nil)
        try database.purge("d")
        try database.purge("c")
        try database.file.compact()
        #expect(Set(try blobs.digests()) == [digests[0], digests[1]])
        try database.checkAndClose()
    }

    @Test("compaction reports the pages that it releases, and those released before it is stopped stay so")
    func progress() throws {
        struct Stop: Error {}
        let database = try TestDatabase()
        let text = String(repeating: "x", count: 20_000)
        for number in 0..<80 { try database.save("doc \(number)", #"{"text":"\#(text)"}"#) }
        for number in 0..<80 { try database.purge("doc \(number)") }
        let free = try #require(try database.scalar("PRAGMA freelist_count"))
        #expect(free > 300)
        #expect(throws: Stop.self) {
            try database.file.compact { done, total in
                #expect(total == Int(free))
                if done >= 128 { throw Stop() }
            }
        }
        let left = try #require(try database.scalar("PRAGMA freelist_count"))
        #expect(left > 0 && left <= free - 128)
        var reports: [Int] = []
        try database.file.compact { done, total in
            #expect(total == Int(left))
            reports.append(done)
        }
        #expect(reports.count > 2 && reports == reports.sorted())
        #expect(try database.scalar("PRAGMA freelist_count") == 0)
        try database.checkAndClose()
    }

    @Test("compaction inside a transaction throws an error and deletes nothing")
    func blobsInTransaction() throws {
        let database = try TestDatabase()
        let digest = try database.file.blobs.store([1])
        try database.save("a", blobJSON(digest), hasBlobs: true)
        let inTransaction = StoreError.inTransaction(path: database.file.bundle.directory)
        #expect(throws: inTransaction) {
            try database.file.transaction { _ in
                try database.purge("a")
                try database.file.compact()
            }
        }
        #expect(try database.file.blobs.digests() == [digest])
        try database.checkAndClose()
    }

    @Test("compaction waits for a copy in progress without blocking writers")
    func blobsDuringCopy() throws {
        let database = try TestDatabase()
        let digest = try database.file.blobs.store([1])
        let lock = try #require(BundleLock(database.path, .copying))
        #expect(BundleLock(database.path, .deletingBlobs) == nil)
        let second = try #require(BundleLock(database.path, .copying))
        second.release()
        let done = DispatchSemaphore(value: 0)
        let file = database.file
        Thread.detachNewThread {
            #expect(throws: Never.self) { try file.compact() }
            done.signal()
        }
        for number in 0..<50 {
            try database.save("\(number)", "{}")
            #expect(try file.blobs.digests() == [digest])
        }
        lock.release()
        done.wait()
        #expect(try file.blobs.digests() == [])
        try #require(BundleLock(database.path, .deletingBlobs)).release()
    }

    @Test("compaction returns free pages and empties the write-ahead log")
    func pages() throws {
        let database = try TestDatabase()
        let filler = String(repeating: "x", count: 2000)
        let collection = try database.collection()
        try database.file.transaction { writer in
            for number in 0..<300 {
                try collection.save(DocumentSave("\(number)", base: .none), #"{"a":"\#(filler)"}"#, in: writer)
            }
        }
        let before = try #require(try database.scalar("PRAGMA page_count"))
        try database.file.transaction { writer in
            for number in 0..<300 { _ = try collection.purge("\(number)", in: writer) }
        }
        try database.file.compact()
        #expect(try #require(try database.scalar("PRAGMA page_count")) < before / 2)
        let log = try FileManager.default.attributesOfItem(atPath: database.path.writeAheadLog)
        #expect((log[.size] as? NSNumber)?.intValue == 0)
        try database.checkAndClose()
    }

    @Test("indexes and statistics can be rebuilt, and rebuilding indexes inside a transaction is refused")
    func others() throws {
        let database = try TestDatabase()
        try database.save("a", #"{"n":1}"#)
        try database.file.reindex()
        try database.file.optimize(completely: false)
        try database.file.optimize(completely: true)
        try database.file.checkIntegrity()
        let inTransaction = StoreError.inTransaction(path: database.file.bundle.directory)
        try database.file.transaction { _ in
            _ = #expect(throws: inTransaction) { try database.file.reindex() }
        }
        #expect(try database.json("a") == #"{"n":1}"#)
        try database.checkAndClose()
    }

    @Test("closing a database does not wait for another connection's write transaction")
    func closingWhileLocked() throws {
        let database = try TestDatabase()
        try database.save("a", #"{"n":1}"#)
        let other = try database.foreignConnection()
        try other.begin(.immediate)
        try database.close()
        try other.rollback()
    }

    @Test("tables of fewer than 1,000 rows get no statistics, and lose those that they have")
    func smallTables() throws {
        let database = try TestDatabase()
        let collection = try database.collection()
        func save(_ numbers: Range<Int>) throws {
            try database.file.transaction { writer in
                for number in numbers { try collection.save(DocumentSave("d\(number)", base: .latest), #"{"n":1}"#, in: writer) }
            }
        }
        func analyzed() throws -> [String] { try database.texts("SELECT DISTINCT tbl FROM sqlite_stat1 WHERE tbl = 'kv_default'") }
        try save(0..<999)
        try database.file.optimize(completely: true)
        #expect(try analyzed() == ["kv_default"])
        try database.file.optimize(completely: false)
        #expect(try analyzed() == [])
        try save(999..<20_000)
        try database.file.optimize(completely: true)
        try database.file.optimize(completely: false)
        #expect(try analyzed() == ["kv_default"])
        try database.checkAndClose()
    }
}

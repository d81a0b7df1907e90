import Foundation
import SQLiteEngine
import Synchronization
import TestSupport
import Testing

@testable import DocumentStore

@Suite("Concurrent writers")
struct ConcurrencyTests {
    /// No document is lost, no sequence is assigned twice, and all keys can be read.
    private func expectAll(_ count: Int, in database: TestDatabase) throws {
        let collection = try database.collection()
        #expect(try collection.count() == UInt64(count))
        var sequences: Set<UInt64> = []
        try collection.forEachDocument { record in
            sequences.insert(record.sequence)
            let json = try record.canonicalJSON()
            #expect(json == Self.json(record.id))
            return true
        }
        #expect(sequences.count == count)
        #expect(try collection.lastSequence() == sequences.max())
    }

    private static func json(_ id: String) -> String { #"{"key-\#(id)":1,"shared":true}"# }

    @Test("eight threads write to one file concurrently without losing documents")
    func threads() throws {
        let database = try TestDatabase()
        let collection = try database.collection()
        let file = database.file
        try onThreads(8) { thread in
            for number in 0..<25 {
                let id = "\(thread)-\(number)"
                try file.transaction { writer in
                    _ = try collection.save(DocumentSave(id, base: .none), Self.json(id), in: writer)
                }
                guard try collection.document(id) != nil else { throw StoreError.notFound(what: id) }
            }
        }
        try expectAll(200, in: database)
        try database.checkAndClose()
    }

    @Test("two independent files on one bundle are written concurrently without losing documents")
    func twoFiles() throws {
        let database = try TestDatabase()
        let options = database.file.options
        let other = try DatabaseFile(opened: OpenedFile(database.path.canonical, options), options: options)
        let files = [database.file, other]
        try onThreads(4) { thread in
            let file = files[thread % 2]
            for number in 0..<25 {
                let id = "\(thread)-\(number)"
                try file.transaction { writer in
                    guard let collection = try file.collection(.default) else { throw StoreError.notFound(what: "default") }
                    _ = try collection.save(DocumentSave(id, base: .none), Self.json(id), in: writer)
                }
                // Reads documents that the other file has written in between, with keys that are unknown to this one.
                try file.collection(.default)?.forEachDocument { record in
                    guard try record.canonicalJSON().contains(record.id) else { throw StoreError.notFound(what: record.id) }
                    return true
                }
            }
        }
        try other.close()
        try expectAll(100, in: database)
        try database.checkAndClose()
    }

    @Test("sequences, documents and keys written by another program are adopted")
    func foreignWriter() throws {
        let database = try TestDatabase()
        try database.save("a", #"{"n":1}"#)
        try database.sql(
            """
            BEGIN IMMEDIATE;
            INSERT INTO kv_default (key, sequence, version, body, extra)
                VALUES ('f', 7, x'\(OldFile.version)', x'7000', x'\(OldFile.separateTree)');
            UPDATE kvmeta SET lastSeq = 7 WHERE name = 'default';
            COMMIT;
            """
        )
        #expect(try database.save("b", #"{"n":2}"#).sequence == 8)
        #expect(try database.json("f") == "{}")
        try database.checkAndClose()
    }

    @Test("local commits keep the cached collection state, and a foreign commit reloads it")
    func ownCommits() throws {
        let database = try TestDatabase()
        let collection = try database.collection()
        try database.save("a", "{}")
        let first = try database.file.transaction { ObjectIdentifier(try $0.state(of: collection)) }
        try database.save("b", "{}")
        let second = try database.file.transaction { ObjectIdentifier(try $0.state(of: collection)) }
        #expect(first == second)
        try database.sql("UPDATE kvmeta SET purgeCnt = 5")
        #expect(try database.file.transaction { try $0.state(of: collection).counters.documents.purgeCount } == 5)
    }

    @Test("a write lock of another process makes a transaction fail with a busy error after the timeout")
    func locked() throws {
        var options = DatabaseFile.Options()
        options.busyTimeout = .milliseconds(20)
        let database = try TestDatabase(options: options)
        let other = try database.foreignConnection()
        try other.begin(.immediate)
        let error = #expect(throws: SQLiteError.self) { try database.save("a", "{}") }
        #expect(error?.isBusy == true)
        #expect(!database.file.isInTransaction)
        try other.rollback()
        try database.save("a", "{}")
        try other.close()
        try database.checkAndClose()
    }
}

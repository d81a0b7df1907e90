import Foundation
import SQLiteEngine
import TestSupport
import Testing

@testable import DocumentStore

@Suite("Encryption key changes")
struct KeyChangeTests {
    private static let keys: [EncryptionSecret?] = [nil, .test(1), .test("secret")]
    private let named: CollectionID

    init() throws {
        named = try CollectionID(name: "Named", scope: "scope")
    }

    /// Fills a database with data of every kind.
    private func fill(_ database: TestDatabase) throws -> BlobDigest {
        for i in 0..<200 {
            try database.save("doc\(i)", #"{"n":\#(i),"text":"\#(String(repeating: "text ", count: i))"}"#)
        }
        for i in stride(from: 0, to: 200, by: 3) { try database.delete("doc\(i)") }
        _ = try database.file.createCollection(named)
        try database.save("other", #"{"x":[1,2,3]}"#, in: named)
        return try database.file.blobs.store(Array(repeating: 9, count: 300_000))
    }

    /// The content of a database as text.
    private func dump(_ database: TestDatabase) throws -> [String] {
        let tables = try database.texts("SELECT name FROM sqlite_master WHERE name GLOB 'kv_*' AND type = 'table'")
        #expect(tables.count >= 5)
        let schema = try database.texts("SELECT sql FROM sqlite_master WHERE sql NOT NULL ORDER BY name")
        let counters = try database.texts("SELECT name || ' ' || lastSeq FROM kvmeta")
        return try schema + counters
            + tables.flatMap { table in
                try database.texts(
                    """
                    SELECT rowid || quote(key) || quote(sequence) || quote(version) || quote(body) || quote(extra)
                    FROM \(table.quotedIdentifier)
                    """
                )
            }
    }

    @Test("a key change keeps all documents, tables and blobs", arguments: keys, keys)
    func everything(from old: EncryptionSecret?, to new: EncryptionSecret?) throws {
        let database = try TestDatabase(options: .key(old))
        let digest = try fill(database)
        let before = try dump(database)
        let collection = try database.collection()
        try DatabaseRegistry.changeKey(of: database.file, to: new)
        #expect(database.file.isEncrypted == (new != nil))
        // The same objects can still read and write.
        #expect(try dump(database) == before)
        #expect(try database.file.blobs.contents(of: digest) == Array(repeating: 9, count: 300_000))
        #expect(try database.file.collection(.default) === collection)
        try database.save("after", #"{"newKey":true}"#)
        #expect(try collection.document("after")?.canonicalJSON() == #"{"newKey":true}"#)
        let second = try database.file.blobs.store([1, 2, 3])
        #expect(try database.scalar("PRAGMA auto_vacuum") == 2)
        #expect(try database.text("PRAGMA integrity_check") == "ok")
        try database.reopen(options: .key(new))
        #expect(try database.json("doc1") != nil)
        #expect(try database.json("after") == #"{"newKey":true}"#)
        #expect(try database.file.blobs.contents(of: digest) == Array(repeating: 9, count: 300_000))
        #expect(try database.file.blobs.contents(of: second) == [1, 2, 3])
        #expect(try FileManager.default.contentsOfDirectory(atPath: database.directory.url.path) == ["test.cblite2"])
        #expect(DatabaseFileHead(ofFileAt: database.path.sqliteFile) == (new == nil ? .sqlite : .encrypted))
        if new == nil {
            try database.checkAndClose()
        } else {
            #expect(try BundleChecker(database.file).findings() == [])
        }
    }

    @Test("a key change is refused while the file is in use elsewhere and inside a transaction")
    func refused() throws {
        let database = try TestDatabase(options: .key(.test(1)))
        try database.save("a", "{}")
        let inUse = StoreError.inUse(path: database.path.directory)
        let second = try DatabaseRegistry.open(database.path.directory, options: .key(.test(1)))
        #expect(throws: inUse) { try DatabaseRegistry.changeKey(of: database.file, to: .test(2)) }
        try DatabaseRegistry.close(second)
        var reading = DatabaseFile.Options.key(.test(1))
        reading.isReadOnly = true
        let reader = try DatabaseRegistry.open(database.path.directory, options: reading)
        #expect(throws: inUse) { try DatabaseRegistry.changeKey(of: database.file, to: .test(2)) }
        try DatabaseRegistry.close(reader)
        #expect(throws: StoreError.inTransaction(path: database.path.directory)) {
            try database.file.transaction { _ in try DatabaseRegistry.changeKey(of: database.file, to: .test(2)) }
        }
        #expect(throws: inUse) {
            try database.file.read { _ in try DatabaseRegistry.changeKey(of: database.file, to: .test(2)) }
        }
        do {
            let writer = try BlobWriter(store: database.file.blobs)
            #expect(throws: inUse) { try DatabaseRegistry.changeKey(of: database.file, to: .test(2)) }
            _ = consume writer
        }
        try DatabaseRegistry.changeKey(of: database.file, to: .test(2))
        #expect(try database.json("a") == "{}")
    }

    @Test("a blob finished before a key change can be installed after it")
    func finishedBlob() throws {
        let database = try TestDatabase()
        for (number, key) in [EncryptionSecret.test(1), .test(2), nil].enumerated() {
            var writer = try BlobWriter(store: database.file.blobs)
            let content = Array("content \(number)".utf8)
            try content.withUnsafeBytes { try writer.write($0) }
            let finished = try writer.finish()
            try DatabaseRegistry.changeKey(of: database.file, to: key)
            try finished.install()
            #expect(try database.file.blobs.contents(of: finished.digest) == content)
            #expect(try finished.reader().size == UInt64(content.count))
        }
        #expect(try database.file.blobs.digests().count == 3)
    }

    @Test("a key change of a closed file throws an error, and a key change from no key to no key has no effect")
    func nothingToDo() throws {
        let database = try TestDatabase()
        try DatabaseRegistry.changeKey(of: database.file, to: nil)
        try database.save("a", "{}")
        try database.close()
        #expect(throws: StoreError.self) { try DatabaseRegistry.changeKey(of: database.file, to: .test(2)) }
    }

    @Test("key changes are thread-safe, and concurrent writes are not lost")
    func otherThreads() throws {
        let database = try TestDatabase()
        let collection = try database.collection()
        try onThreads(4) { number in
            for i in 0..<60 {
                if number == 0, i % 10 == 5 {
                    try? DatabaseRegistry.changeKey(of: database.file, to: i % 20 == 5 ? .test(UInt8(i)) : nil)
                } else {
                    try database.save("\(number)-\(i)", #"{"n":\#(i)}"#)
                    #expect(try collection.document("\(number)-\(i)") != nil)
                    let digest = try database.file.blobs.store(Array("\(number) \(i)".utf8))
                    #expect(try database.file.blobs.contents(of: digest) == Array("\(number) \(i)".utf8))
                }
            }
        }
        #expect(try BundleChecker(database.file).findings() == [])
        #expect(try database.file.blobs.digests().count == 4 * 60 - 6)
        for digest in try database.file.blobs.digests() { #expect(try database.file.blobs.contents(of: digest) != nil) }
    }

    @Test("a key change resets an unusual page size to the default")
    func otherPageSize() throws {
        let database = try TestDatabase { path in
            try FileManager.default.createDirectory(atPath: path.directory, withIntermediateDirectories: true)
            try TestDatabase.sql("PRAGMA page_size=1024; PRAGMA auto_vacuum=incremental; PRAGMA journal_mode=WAL", on: path)
        }
        #expect(try database.scalar("PRAGMA page_size") == 1024)
        try database.save("a", "{}")
        try DatabaseRegistry.changeKey(of: database.file, to: .test(1))
        #expect(try database.scalar("PRAGMA page_size") == 4096)
        #expect(try database.json("a") == "{}")
    }
}

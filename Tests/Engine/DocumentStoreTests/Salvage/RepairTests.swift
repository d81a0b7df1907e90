import Foundation
import SQLiteEngine
import TestSupport
import Testing

@testable import DocumentStore

@Suite("Repair")
struct RepairTests {
    private func errors(_ result: CheckResult) -> [String] { result.findings.map(\.description) }

    @Test(
        "what can be computed from the documents is repaired, and no document is lost",
        arguments: [
            ("UPDATE kv_default SET flags = 1 WHERE key = 'a'", "corrected the flags of 1 document"),
            ("UPDATE kv_default SET flags = 2 WHERE key = 'a'", "corrected the flags of 1 document"),
            ("UPDATE kv_default SET flags = 0 WHERE key = 'withBlob'", "corrected the flags of 1 document"),
            ("UPDATE kv_default SET sequence = 2 WHERE key = 'a'", "a new sequence"),
            ("UPDATE kv_default SET sequence = 4 WHERE key = 'a'", "a new sequence"),
            ("UPDATE kv_default SET sequence = 0 WHERE key = 'a'", "a new sequence"),
            ("UPDATE kvmeta SET lastSeq = 3", "corrected the last sequence"),
            ("DELETE FROM kvmeta", "corrected the last sequence"),
            ("UPDATE kv_del_default SET flags = 0", "corrected the flags of 1 document"),
            (
                "INSERT INTO kv_del_default SELECT * FROM kv_default WHERE key = 'a'",
                "removed the older state of 1 document"
            ),
        ]
    )
    func records(_ damage: String, _ change: String) throws {
        let database = try TestDatabase.withEachKind()
        try database.sql("DROP INDEX IF EXISTS kv_default_seqs; DROP INDEX IF EXISTS kv_del_default_seqs; \(damage)")
        try database.close()
        let outcome = try Repair.run(database.path.directory, options: .init())
        #expect(outcome.before.errorCount + outcome.before.warningCount > 0)
        #expect(errors(outcome.after) == [])
        #expect(outcome.changes.contains { $0.contains(change) }, "\(outcome.changes)")
        #expect((outcome.after.documents, outcome.after.tombstones, outcome.after.revisions) == (3, 1, 5))
        #expect(try DatabaseChecker.check(URL(fileURLWithPath: database.path.directory)).problems == [])
    }

    @Test("a valid database is not changed, and unused blobs are removed")
    func valid() throws {
        let database = try TestDatabase.withEachKind()
        _ = try database.file.blobs.store(Array("unused".utf8))
        try database.close()
        let outcome = try Repair.run(database.path.directory, options: .init())
        #expect(outcome.before.unusedBlobs == 1 && outcome.after.unusedBlobs == 0 && outcome.after.blobs == 1)
        #expect(outcome.changes == ["removed 1 blob to which no document refers"])
        let before = try Data(contentsOf: URL(fileURLWithPath: database.path.sqliteFile))
        #expect(try Repair.run(database.path.directory, options: .init()).changes == [])
        #expect(try Data(contentsOf: URL(fileURLWithPath: database.path.sqliteFile)) == before)
    }

    @Test("a database with a damaged page is repaired with all documents, or is refused and not changed", arguments: [false, true])
    func pages(encrypted: Bool) throws {
        let seed = TestSeed.forThisTest()
        var generator = SeededGenerator(seed: seed)
        let options = DamagedDatabases.options(encrypted: encrypted)
        let (database, expected) = try DamagedDatabases.make(options)
        let file = try DatabaseRegistry.open(database.path.directory, options: options)
        let stored = RawStore.Document(version: [1], body: [2, 3])
        let collection = try #require(try file.collection(.default))
        // Content that is damaged is kept too.
        let digest = try file.blobs.store(Array("blob".utf8))
        let blob = file.blobs.path(of: digest)
        let reference = #"{"b":{"@type":"blob","digest":"\#(digest.string)"}}"#
        try file.transaction { writer in
            for store in [RawStore.checkpoints, .peerCheckpoints, .info] { try store.set("target", to: stored, in: writer) }
            try collection.save(DocumentSave("withBlob", base: .latest), reference, hasBlobs: true, in: writer)
            // The last sequence is higher than that of every document, and must not be assigned again.
            try collection.save(DocumentSave("purged", base: .latest), "{}", hasBlobs: false, in: writer)
            _ = try collection.purge("purged", in: writer)
        }
        let last = try collection.lastSequence()
        try DatabaseRegistry.close(file)
        let handle = try FileHandle(forUpdating: URL(fileURLWithPath: blob))
        try handle.write(contentsOf: Data("????".utf8))
        try handle.close()
        let original = database.directory.path("original.cblite2")
        try FileManager.default.moveItem(atPath: database.path.directory, toPath: original)
        let keys = try options.key.map { try EncryptedFileSystem(opening: original + "/db.sqlite3", with: $0).keys }
        let pages = try PageFile(original + "/db.sqlite3", log: "", keys: keys)
        var (repaired, refused, withCounts) = (0, 0, 0)
        for page in 1...pages.pageCount where page < 20 || page % 4 == 0 {
            try? FileManager.default.removeItem(atPath: database.path.directory)
            try FileManager.default.copyItem(atPath: original, toPath: database.path.directory)
            let random = (0..<4096).map { _ in UInt8.random(in: 0...255, using: &generator) }
            try DamagedDatabases.overwrite(page: page, of: database.path, encrypted: encrypted, with: random)
            let damaged = try Data(contentsOf: URL(fileURLWithPath: database.path.sqliteFile))
            do {
                let outcome = try Repair.run(database.path.directory, options: options)
                #expect(outcome.after.findings.map(\.kind) == [.blob], "seed \(seed), page \(page)")
                #expect(FileManager.default.fileExists(atPath: blob), "seed \(seed), page \(page)")
                #expect(outcome.after.documents == expected.count + 1 && outcome.after.tombstones == 12, "seed \(seed), page \(page)")
                let file = try DatabaseRegistry.open(database.path.directory, options: options)
                let text = String(decoding: pages.page(page) ?? [], as: UTF8.self)
                // The table of the last sequences may be on the page.
                let counts = try file.collection(.default)?.lastSequence() == last
                let found = try file.read { context in
                    try [RawStore.checkpoints, .peerCheckpoints].map { try $0.document("target", on: context) }
                }
                if !text.contains("target") {
                    #expect(try file.read { try RawStore.info.document("target", on: $0) } == stored, "seed \(seed), page \(page)")
                    #expect(found == (counts ? [stored, stored] : [nil, nil]), "seed \(seed), page \(page)")
                }
                withCounts += counts ? 1 : 0
                try DatabaseRegistry.close(file)
                repaired += 1
            } catch let error as Repair.Impossible {
                #expect(error.report.lossCountWithoutBlobs > 0)
                #expect(try Data(contentsOf: URL(fileURLWithPath: database.path.sqliteFile)) == damaged)
                refused += 1
            }
        }
        #expect(repaired > 5 && refused > 5 && withCounts >= repaired - 2, "seed \(seed): \(repaired), \(refused), \(withCounts)")
        let left = try FileManager.default.contentsOfDirectory(atPath: database.directory.url.path)
        #expect(left.allSatisfy { !$0.contains(".replacing-") }, "\(left)")
    }

    @Test("a database with damaged pages is not repaired while it is open")
    func open() throws {
        let (database, _) = try DamagedDatabases.make(.init())
        let file = try DatabaseRegistry.open(database.path.directory)
        let connection = try Connection(path: database.path.sqliteFile, mode: .readWrite)
        let root = try #require(try connection.scalar("SELECT rootpage FROM sqlite_master WHERE name = 'kv_default_expiration'"))
        try connection.close()
        try DamagedDatabases.overwrite(page: Int(root), of: database.path, encrypted: false, with: [UInt8](repeating: 0xA5, count: 4096))
        #expect(throws: StoreError.inUse(path: database.path.directory)) {
            try Repair.run(database.path.directory, options: .init())
        }
        try DatabaseRegistry.close(file)
        #expect(errors(try Repair.run(database.path.directory, options: .init()).after) == [])
    }
}

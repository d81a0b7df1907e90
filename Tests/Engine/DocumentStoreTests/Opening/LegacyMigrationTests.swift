import Foundation
import SQLiteEngine
import TestSupport
import Testing

@testable import DocumentStore

@Suite("Upgrades of 1.x databases")
struct LegacyMigrationTests {
    private typealias Old = LegacyFile

    /// A database upgraded from one with the given content.
    private func upgraded(journalMode: String = "WAL", _ sql: String...) throws -> TestDatabase {
        try TestDatabase { try Old.make(at: $0, journalMode: journalMode, sql.joined()) }
    }

    private func history(of id: String, in database: TestDatabase) throws -> [String]? {
        try database.collection().history(of: id)?.map(\.description)
    }

    @Test(
        "an upgrade keeps the winning revision: live before deleted, then the highest generation and digest",
        arguments: ["WAL", "DELETE"]
    )
    func winner(_ journalMode: String) throws {
        let database = try upgraded(
            journalMode: journalMode,
            Old.document(1, "generation"),
            Old.revision(1, of: 1, Old.id(9), #"{"wins":false}"#),
            Old.revision(2, of: 1, Old.id(10), #"{"wins":true}"#),
            Old.document(2, "digest"),
            Old.revision(3, of: 2, Old.id(2, "fe"), #"{"wins":true}"#),
            Old.revision(4, of: 2, Old.id(2, "0f"), #"{"wins":false}"#),
            Old.document(3, "live"),
            Old.revision(5, of: 3, Old.id(1), #"{"wins":true}"#),
            Old.revision(6, of: 3, Old.id(7), isDeleted: true, #"{"wins":false}"#),
            // An ancestor cannot win, whatever its ID.
            Old.document(4, "leaf"),
            Old.revision(7, of: 4, Old.id(8), isCurrent: false, #"{"wins":false}"#),
            Old.revision(8, of: 4, Old.id(3), #"{"wins":true}"#)
        )
        for id in ["generation", "digest", "live", "leaf"] {
            #expect(try database.json(id) == #"{"wins":true}"#, "\(id)")
        }
        #expect(try history(of: "generation", in: database) == [Old.id(10)])
        try database.checkAndClose()
    }

    @Test("an upgrade keeps deletions with their history, and ignores design and local documents")
    func deletions() throws {
        let database = try upgraded(
            Old.document(1, "gone"),
            Old.revision(1, of: 1, Old.id(1, "01"), isCurrent: false),
            Old.revision(2, of: 1, Old.id(2, "02"), parent: 1, isDeleted: true, nil),
            Old.document(2, "_design/view"),
            Old.revision(3, of: 2, Old.id(1)),
            Old.document(6, "_\u{301}design"),
            Old.revision(6, of: 6, Old.id(1)),
            Old.document(3, "without revisions"),
            Old.document(4, "with ancestors only"),
            Old.revision(4, of: 4, Old.id(1), isCurrent: false),
            Old.document(5, "empty"),
            Old.revision(5, of: 5, Old.id(1), nil),
            "INSERT INTO localdocs VALUES ('_local/a', '1-local', '{}');"
        )
        let collection = try database.collection()
        #expect(try collection.count() == 1)
        #expect(try collection.deletedCount() == 1)
        #expect(try database.json("empty") == "{}")
        let tombstone = try #require(try collection.document("gone", includingDeleted: true))
        #expect(tombstone.isDeleted)
        #expect(try history(of: "gone", in: database) == [Old.id(2, "02"), Old.id(1, "01")])
        #expect(try database.texts("SELECT key FROM kv_del_default") == ["gone"])
        // The deleted document can be restored.
        try database.save("gone", #"{"back":1}"#)
        #expect(try history(of: "gone", in: database)?.count == 3)
        try database.checkAndClose()
    }

    @Test("an upgrade keeps up to 50 revisions of a history, without gaps")
    func histories() throws {
        var sql = Old.document(1, "long") + Old.document(2, "pruned") + Old.document(3, "gap")
        for number in 1...60 {
            let parent = number > 1 ? number - 1 : nil
            sql += Old.revision(number, of: 1, Old.id(number), parent: parent, isCurrent: number == 60)
        }
        sql +=
            Old.revision(62, of: 2, Old.id(9), parent: 61, isCurrent: false)
            + Old.revision(63, of: 2, Old.id(10), parent: 62)
        sql += Old.revision(64, of: 3, Old.id(3), isCurrent: false) + Old.revision(65, of: 3, Old.id(10), parent: 64)
        let database = try upgraded(sql)
        #expect(try history(of: "long", in: database) == (11...60).reversed().map { Old.id($0) })
        #expect(try history(of: "pruned", in: database) == [Old.id(10), Old.id(9)])
        #expect(try history(of: "gap", in: database) == [Old.id(10)])
        try database.checkAndClose()
    }

    @Test("an upgrade keeps the existing attachments, in upper or lower case names, and ignores symbolic links")
    func attachments() throws {
        let database = try TestDatabase { bundle in
            let both = try Old.attach("upper", "content", in: bundle)
            let lower = try Old.attach("lower", "other content", in: bundle, isUppercase: false)
            let missing = #""missing":{"digest":"sha1-AAAAAAAAAAAAAAAAAAAAAAAAAAA=","length":1,"stub":true}"#
            let remote = #""remote":{"digest":"md5-AAAAAAAAAAAAAAAAAAAAAA==","length":1,"stub":true}"#
            _ = try Old.attach("unused", "unused", in: bundle)
            // With a link, a database could expose any file.
            let link = try Old.attach("link", "linked", in: bundle)
            let directory = bundle.directory + "/attachments"
            let linked = try #require(
                try FileManager.default.contentsOfDirectory(atPath: directory).first {
                    try String(contentsOfFile: directory + "/" + $0, encoding: .utf8) == "linked"
                }
            )
            try FileManager.default.removeItem(atPath: directory + "/" + linked)
            try FileManager.default.createSymbolicLink(atPath: directory + "/" + linked, withDestinationPath: "/etc/passwd")
            try Old.make(
                at: bundle,
                Old.document(1, "a") + Old.document(2, "b")
                    + Old.revision(
                        1,
                        of: 1,
                        Old.id(1),
                        #"{"_attachments":{\#(both),\#(lower),\#(missing)}}"#,
                        hasAttachments: true
                    )
                    + Old.revision(
                        2,
                        of: 2,
                        Old.id(1),
                        #"{"_attachments":{\#(both),\#(remote),\#(link)}}"#,
                        hasAttachments: true
                    )
            )
        }
        let contents = try database.file.blobs.digests().map {
            String(decoding: try #require(try database.file.blobs.contents(of: $0)), as: UTF8.self)
        }
        #expect(contents.sorted() == ["content", "other content"])
        #expect(try database.json("a")?.contains("missing") == true)
        try database.file.compact()
        #expect(try database.file.blobs.digests().count == 2)
        try database.close()
    }

    @Test("an upgrade keeps all documents of a large database")
    func many() throws {
        let database = try TestDatabase { bundle in
            try Old.make(
                at: bundle,
                """
                WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 2500)
                INSERT INTO docs (doc_id, docid) SELECT i, 'doc' || i FROM n;
                INSERT INTO revs (doc_id, revid, current, json, no_attachments)
                SELECT doc_id, '1-abcdef', 1, '{"n":' || doc_id || ',"key' || (doc_id % 100) || '":true}', 1 FROM docs;
                """
            )
        }
        #expect(try database.collection().count() == 2500)
        #expect(try database.json("doc2500") == #"{"key0":true,"n":2500}"#)
        #expect(try database.scalar("SELECT sequence FROM kv_default WHERE key = 'doc2500'") == 2500)
        try database.checkAndClose()
    }

    @Test("an upgrade reads the write-ahead log of a terminated process")
    func log() throws {
        let original = try TemporaryDirectory()
        let source = BundlePath(original.path("db.cblite2"))
        try Old.make(at: source, Old.document(1, "a"))
        // While this connection is open, what it writes stays in the log.
        let connection = try Old.connection(to: source)
        try connection.execute("PRAGMA wal_autocheckpoint=0; " + Old.revision(1, of: 1, Old.id(1), #"{"in the log":true}"#))
        let database = try TestDatabase { bundle in
            try FileManager.default.copyItem(atPath: source.directory, toPath: bundle.directory)
            try? FileManager.default.removeItem(atPath: bundle.sqliteFile + "-shm")
        }
        #expect(try database.json("a") == #"{"in the log":true}"#)
        try database.checkAndClose()
    }

    @Test("a 1.x database opened read-only is rejected and stays unchanged")
    func reading() throws {
        let directory = try TemporaryDirectory()
        let bundle = BundlePath(directory.path("db.cblite2")).canonical
        try Old.make(at: bundle, journalMode: "DELETE", Old.document(1, "a") + Old.revision(1, of: 1, Old.id(1)))
        let before = try Old.contents(of: bundle)
        var options = DatabaseFile.Options()
        options.isReadOnly = true
        let error = StoreError.tooOld(path: bundle.directory, version: 102)
        #expect(throws: error) { try DatabaseRegistry.open(bundle.directory, options: options) }
        #expect(error.description.contains("1.x"))
        #expect(try Old.contents(of: bundle) == before)
    }

    @Test("an upgrade throws an error while another connection has the database open", arguments: ["WAL", "DELETE"])
    func busy(_ journalMode: String) throws {
        let directory = try TemporaryDirectory()
        let bundle = BundlePath(directory.path("db.cblite2")).canonical
        try Old.make(at: bundle, journalMode: journalMode, Old.document(1, "a") + Old.revision(1, of: 1, Old.id(1)))
        let other = try Old.connection(to: bundle)
        try other.begin(.deferred)
        #expect(try other.scalar("SELECT count(*) FROM docs") == 1)
        var options = DatabaseFile.Options()
        options.busyTimeout = .milliseconds(10)
        #expect(throws: StoreError.locked(path: bundle.directory)) {
            try DatabaseRegistry.open(bundle.directory, options: options)
        }
        #expect(try other.scalar("SELECT count(*) FROM revs") == 1)
        try other.close()
        let file = try DatabaseRegistry.open(bundle.directory, options: options)
        #expect(try file.collection(.default)?.count() == 1)
        try DatabaseRegistry.close(file)
    }

    @Test("copying a 1.x database makes a copy of the current format and leaves the original unchanged")
    func copying() throws {
        let directory = try TemporaryDirectory()
        let original = BundlePath(directory.path("old.cblite2"))
        let attachment = try Old.attach("a", "content", in: original)
        let json = #"{"_attachments":{\#(attachment)}}"#
        try Old.make(
            at: original,
            journalMode: "DELETE",
            Old.document(1, "a") + Old.revision(1, of: 1, Old.id(1), json, hasAttachments: true)
        )
        let before = try Old.contents(of: original)
        let copy = BundlePath(directory.path("new.cblite2"))
        try DatabaseCopy.copy(original, to: copy)
        #expect(try Old.contents(of: original) == before)
        let file = try DatabaseRegistry.open(copy.directory)
        #expect(file.versionFound == .current)
        #expect(try file.blobs.digests().count == 1)
        #expect(try file.collection(.default)?.count() == 1)
        try DatabaseRegistry.close(file)
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: directory.url.path).sorted() == [
                "new.cblite2", "old.cblite2",
            ]
        )
    }
}

import Foundation
import TestSupport
import Testing

@testable import DocumentStore

@Suite("Database checker")
struct BundleCheckerTests {
    /// A database with data of every kind, and the findings after some SQL was executed in it.
    private func findings(after damage: String) throws -> [String] {
        let database = try TestDatabase.withEachKind()
        try database.sql(damage)
        return try BundleChecker(database.file).findings().map(\.description)
    }

    @Test("a valid database has no findings, and its contents are counted")
    func good() throws {
        let database = try TestDatabase.withEachKind()
        var expected = CheckResult()
        (expected.documents, expected.tombstones, expected.revisions) = (3, 1, 5)
        (expected.collections, expected.blobs, expected.sharedKeys) = (1, 1, 4)
        #expect(try BundleChecker(database.file).check() == expected)
        try database.file.checkIntegrity()
        try database.checkAndClose()
    }

    @Test(
        "the checker finds damaged tables",
        arguments: [
            ("UPDATE kv_default SET body = x'43416E' WHERE key = 'a'", "_default._default/a"),
            ("UPDATE kv_default SET body = x'00017000' WHERE key = 'a'", "_default._default/a"),
            ("UPDATE kv_default SET body = x'7001002A00018003' WHERE key = 'a'", "unknown shared key 42"),
            ("UPDATE kv_default SET version = x'01AB' WHERE key = 'a'", "not the first of its tree"),
            ("UPDATE kv_default SET version = x'02' WHERE key = 'a'", "revision ID is invalid"),
            ("UPDATE kv_default SET version = x'00' WHERE key = 'a'", "its version vector: a time is invalid, at byte 1"),
            ("UPDATE kv_default SET extra = x'00000000' WHERE key = 'a'", "there are no revisions"),
            ("UPDATE kv_default SET extra = NULL WHERE key = 'a'", "its database has revision trees"),
            ("UPDATE kv_default SET flags = 1 WHERE key = 'a'", "disagree on whether it is deleted"),
            ("UPDATE kv_default SET flags = 2 WHERE key = 'a'", "disagree on whether it is in conflict"),
            ("UPDATE kv_default SET sequence = 2 WHERE key = 'a'", "the same sequence"),
            ("UPDATE kv_default SET sequence = 4 WHERE key = 'a'", "the same sequence"),
            ("UPDATE kv_default SET sequence = 0 WHERE key = 'a'", "it has no sequence"),
            ("UPDATE kvmeta SET lastSeq = 3", "its last sequence is 3"),
            ("DELETE FROM kvmeta", "its last sequence is 0"),
            ("UPDATE kv_default SET flags = 0 WHERE key = 'withBlob'", "the flag for attachments is not set"),
            ("UPDATE kv_del_default SET flags = 0", "in the table of tombstones, but is not deleted"),
            ("INSERT INTO kv_del_default SELECT * FROM kv_default WHERE key = 'a'", "stored twice"),
            ("UPDATE kv_info SET body = x'6000' WHERE key = 'SharedKeys'", "unknown shared key"),
            ("UPDATE kv_info SET body = x'FFFF' WHERE key = 'SharedKeys'", "shared keys"),
            ("UPDATE kv_info SET body = x'00' WHERE key = 'publicUUID'", "has 1 bytes instead of 16"),
            ("UPDATE kv_default SET key = '_a' WHERE key = 'a'", "the document ID is invalid"),
        ]
    )
    func tables(_ damage: String, _ message: String) throws {
        let found = try findings(after: damage)
        #expect(found.contains { $0.contains(message) }, "\(found)")
    }

    @Test("a revision whose ID is not the digest of its body is counted, but is not a finding")
    func foreignRevisionIDs() throws {
        let database = try TestDatabase.withEachKind()
        try database.sql("UPDATE kv_default SET body = x'43416E6E7001000080048003' WHERE key = 'a'")
        let result = try BundleChecker(database.file).check()
        #expect(result.findings == [])
        #expect(result.foreignRevisionIDs == 1)
    }

    @Test("the checker reports a revision tree that also contains the body of the current revision")
    func bodyInTree() throws {
        let tree = RevisionTreeCodingTests.layout2.map { String(format: "%02X", $0) }.joined()
        let database = try TestDatabase()
        try database.save("a", #"{"name":"Ann"}"#)
        try database.save("a", #"{"name":"Bob"}"#)
        try database.sql("UPDATE kv_default SET extra = x'\(tree)'")
        #expect(
            try BundleChecker(database.file).findings().map(\.message)
                == ["its current revision has a body in the tree as well"]
        )
        #expect(try database.json("a") == #"{"name":"Bob"}"#)
    }

    @Test("the checker finds missing and changed blobs")
    func blobs() throws {
        let database = try TestDatabase.withEachKind()
        let digest = try #require(try database.file.blobs.digests().first)
        let path = database.file.blobs.path(of: digest)
        try FileManager.default.removeItem(atPath: path)
        #expect(try BundleChecker(database.file).findings().map(\.message) == ["its blob \(digest) is missing"])
        try Data("something else".utf8).write(to: URL(fileURLWithPath: path))
        #expect(try BundleChecker(database.file).findings().map(\.message) == ["the content does not have this digest"])
        #expect(throws: StoreError.self) { try database.file.checkIntegrity() }
    }

    @Test("blobs to which no document refers are counted, and are no findings")
    func unusedBlobs() throws {
        let database = try TestDatabase.withEachKind()
        _ = try database.file.blobs.store(Array("unused".utf8))
        let result = try BundleChecker(database.file).check()
        #expect(result.findings == [] && result.blobs == 2 && result.unusedBlobs == 1)
    }

    @Test("the findings tell what is damaged")
    func kinds() throws {
        let database = try TestDatabase.withEachKind()
        try database.sql("UPDATE kv_default SET sequence = 0 WHERE key = 'a'; UPDATE kv_info SET body = x'FFFF' WHERE key = 'SharedKeys'")
        let digest = try #require(try database.file.blobs.digests().first)
        try FileManager.default.removeItem(atPath: database.file.blobs.path(of: digest))
        let kinds = Set(try BundleChecker(database.file).findings().map(\.kind))
        #expect(kinds == [.document, .information])
        try database.sql("UPDATE kvmeta SET lastSeq = 1")
        #expect(try BundleChecker(database.file).findings().contains { $0.kind == .table && $0.subject == "_default._default" })
    }

    @Test("the checker reports a directory with the name of a blob and continues")
    func noFile() throws {
        let database = try TestDatabase.withEachKind()
        let path = database.file.blobs.path(of: [].withUnsafeBytes { BlobDigest(of: $0) })
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
        let result = try BundleChecker(database.file).check()
        #expect(result.findings.map(\.message) == ["it is a symbolic link or another entry that is not a file, and is ignored"])
        #expect(result.blobs == 1)
    }
}

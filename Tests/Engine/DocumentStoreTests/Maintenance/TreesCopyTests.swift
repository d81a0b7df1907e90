import Fleece
import TestSupport
import Testing

@testable import DocumentStore

@Suite("Copies with revision trees of databases with version vectors")
struct TreesCopyTests {
    private func makeDatabase() throws -> TestDatabase {
        let database = try TestDatabase()
        for id in ["tree", "changed", "deleted"] { try database.save(id, #"{"id":"\#(id)"}"#) }
        try database.save("tree", #"{"id":"tree","n":2}"#)
        try database.file.upgradeToVersionVectors()
        try database.save("changed", #"{"id":"changed","n":2}"#)
        try database.delete("deleted")
        let digest = try database.file.blobs.store(Array("blob".utf8))
        try database.save("new", #"{"b":{"@type":"blob","digest":"\#(digest.string)"}}"#, hasBlobs: true)
        try database.sql("UPDATE kv_default SET expiration = 4102444800000 WHERE key = 'new'")
        try database.save("conflict", #"{"n":1}"#)
        let theirs = RevisionID.version(Version(existing: 1 << 60, try #require(exampleSources["E"])))
        try database.receive("conflict", [theirs], #"{"n":2}"#)
        let collection = try database.file.createCollection(CollectionID(name: "other", scope: "scope"))
        try database.save("a", #"{"n":1}"#, in: collection.id)
        return database
    }

    @Test("a copy has the current revisions, conflicts as branches, tombstones, expirations and blobs, and 3.x can open it")
    func content() throws {
        let database = try makeDatabase()
        let path = BundlePath(database.directory.path("copy.cblite2"))
        var counts: [Int] = []
        let report = try TreesCopy.copy(database.path, to: path, options: .init(), indexNames: { _ in ["one"] }) { counts.append($0) }
        #expect(report.documents == 5 && report.tombstones == 1 && report.conflicts == 1 && report.renamed == 5)
        #expect(report.indexes == ["one"] && counts.last == 6)
        let copy = try DatabaseRegistry.open(path.directory)
        defer { DatabaseRegistry.closeLoggingErrors(copy) }
        #expect(try !copy.hasVersionVectors())
        #expect(try copy.publicUUID() != database.file.publicUUID())
        #expect(try BundleChecker(copy).findings().filter { $0.severity == .error } == [])
        let collection = try #require(try copy.collection(.default))
        let original = try database.collection()
        func history(_ id: String) throws -> [UInt64] { try #require(try collection.history(of: id)).map(\.generation) }
        #expect(try collection.history(of: "tree") == original.history(of: "tree"))
        #expect(try history("changed") == [2, 1] && history("deleted") == [2, 1] && history("new") == [1])
        for id in ["tree", "changed", "new", "conflict"] {
            #expect(try collection.document(id)?.canonicalJSON() == original.document(id)?.canonicalJSON())
        }
        #expect(try collection.document("deleted", includingDeleted: true)?.isDeleted == true)
        #expect(try collection.document("new")?.expiration == 4_102_444_800_000)
        let digest = try #require(try copy.blobs.digests().first)
        #expect(try copy.blobs.contents(of: digest) == Array("blob".utf8))
        let conflict = try #require(try collection.conflict(in: "conflict"))
        #expect(try JSON.string(try #require(conflict.remote.body.root), sharedKeys: conflict.sharedKeys) == #"{"n":2}"#)
        #expect(try copy.collection(CollectionID(name: "other", scope: "scope"))?.document("a") != nil)
    }

    @Test("a document whose tree has equal generations is reported as lost, and the others are copied")
    func lost() throws {
        let database = try TestDatabase()
        for id in ["a", "b"] {
            for number in 1...2 { try database.save(id, #"{"n":\#(number)}"#) }
        }
        try database.editTree(of: "b") { $0.revisions[1].id = .of("2-aa") }
        let lost = try database.change(of: "b").revision
        try database.file.upgradeToVersionVectors()
        let path = BundlePath(database.directory.path("copy.cblite2"))
        let report = try TreesCopy.copy(database.path, to: path, options: .init(), indexNames: { _ in [] })
        #expect(report.documents == 1 && report.losses.map(\.subject) == ["_default._default/b \(lost)"])
        #expect(report.losses.first?.message.contains("generations") == true)
        let copy = try DatabaseRegistry.open(path.directory)
        defer { DatabaseRegistry.closeLoggingErrors(copy) }
        #expect(try copy.collection(.default)?.document("a") != nil)
        #expect(try copy.collection(.default)?.document("b") == nil)
    }

    @Test("a database with revision trees is not copied, nor over an existing file, and a stopped copy leaves nothing")
    func refused() throws {
        let trees = try TestDatabase()
        let path = BundlePath(trees.directory.path("copy.cblite2"))
        #expect(throws: StoreError.revisionTrees(path: trees.path.directory)) {
            try TreesCopy.copy(trees.path, to: path, options: .init(), indexNames: { _ in [] })
        }
        let database = try makeDatabase()
        #expect(throws: CancellationError.self) {
            try TreesCopy.copy(database.path, to: path, options: .init(), indexNames: { _ in [] }) { _ in throw CancellationError() }
        }
        #expect(throws: StoreError.alreadyExists(path: database.path.directory)) {
            try TreesCopy.copy(database.path, to: database.path, options: .init(), indexNames: { _ in [] })
        }
        _ = try TreesCopy.copy(database.path, to: path, options: .init(), indexNames: { _ in [] })
    }
}

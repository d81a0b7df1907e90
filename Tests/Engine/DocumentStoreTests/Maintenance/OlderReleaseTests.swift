import Foundation
import SQLiteEngine
import TestSupport
import Testing

@testable import DocumentStore

@Suite("Copies for older releases")
struct OlderReleaseTests {
    /// What must be the same in the copy.
    private struct Content: Equatable {
        var documents: [String: String] = [:]
        var revisions: [String: String] = [:]
        var trees: [String: Int] = [:]
        var expirations: [String: Int64] = [:]
        var checkpoint: RawStore.Document?
        var lastSequence: UInt64 = 0

        init(_ file: DatabaseFile) throws {
            let collection = try #require(try file.collection(.default))
            try collection.forEachDocument(includingDeleted: true) { record in
                documents[record.id] = record.isDeleted ? nil : try record.canonicalJSON()
                revisions[record.id] = record.revision.description
                expirations[record.id] = record.expiration
                return true
            }
            let checked = try BundleChecker(file).check()
            trees = ["revisions": checked.revisions, "from other peers": checked.foreignRevisionIDs]
            checkpoint = try file.read { try RawStore.checkpoints.document("target", on: $0) }
            lastSequence = try collection.lastSequence()
        }
    }

    private func makeDatabase() throws -> TestDatabase {
        let database = try TestDatabase()
        for number in 0..<30 { try database.save("document \(number)", #"{"n":\#(number),"shared":"text"}"#) }
        for number in 0..<5 { try database.save("document \(number)", #"{"n":\#(number),"changed":true}"#) }
        try database.delete("document 20")
        let digest = try database.file.blobs.store(Array("blob".utf8))
        try database.save("withBlob", #"{"b":{"@type":"blob","digest":"\#(digest.string)"}}"#, hasBlobs: true)
        try database.sql("UPDATE kv_default SET expiration = 4102444800000 WHERE key = 'document 3'")
        // Synchronized, which is not yet recorded in the tree.
        try database.sql("UPDATE kv_default SET flags = flags | 8 WHERE key = 'document 4'")
        try database.file.transaction { writer in
            try RawStore.checkpoints.set("target", to: RawStore.Document(version: [1], body: [2, 3]), in: writer)
        }
        return database
    }

    @Test("a copy for an older release has its file version and the same content", arguments: OlderRelease.allCases)
    func content(_ release: OlderRelease) throws {
        let database = try makeDatabase()
        let copy = BundlePath(database.directory.path("copy.cblite2"))
        let report = try release.copy(database.path, to: copy, options: .init(), indexNames: { _ in ["one"] })
        #expect(report.documents == 30 && report.tombstones == 1 && report.indexes == ["one"])
        let expected = try Content(database.file)
        let connection = try Connection(path: copy.sqliteFile, mode: .readWrite)
        #expect(try connection.scalar("PRAGMA user_version") == [.collections: 500, .separateTrees: 400, .treesWithBodies: 302][release])
        let hasTrees = try connection.scalar("SELECT 1 FROM pragma_table_info('kv_default') WHERE name = 'extra'") != nil
        #expect(hasTrees == (release != .treesWithBodies))
        #expect(try connection.scalar("SELECT max(flags) FROM kv_default") ?? 0 < 8)
        try connection.close()
        #expect(try DatabaseChecker.check(URL(fileURLWithPath: copy.directory)).problems == [])
        var options = DatabaseFile.Options()
        for isReadOnly in [true, false] {
            // Opening for writing upgrades the file.
            options.isReadOnly = isReadOnly
            let file = try DatabaseRegistry.open(copy.directory, options: options)
            #expect(file.version == (isReadOnly ? release.version : .current))
            #expect(try Content(file) == expected)
            #expect(try BundleChecker(file).findings() == [])
            #expect(try file.blobs.digests().count == 1)
            #expect(try file.privateUUID() == database.file.privateUUID())
            try DatabaseRegistry.close(file)
        }
    }

    @Test(
        "collections are copied for release 3.1, and documents in them are an error for earlier releases",
        arguments: OlderRelease.allCases
    )
    func collections(_ release: OlderRelease) throws {
        let database = try TestDatabase()
        let id = try CollectionID(name: "Hotels", scope: "Travel")
        _ = try database.file.createCollection(id)
        let copy = BundlePath(database.directory.path("copy.cblite2"))
        _ = try release.copy(database.path, to: copy, options: .init(), indexNames: { _ in [] })
        try FileManager.default.removeItem(atPath: copy.directory)
        try database.save("a", #"{"n":1}"#, in: id)
        if release == .collections {
            _ = try release.copy(database.path, to: copy, options: .init(), indexNames: { _ in [] })
            let file = try DatabaseRegistry.open(copy.directory)
            #expect(try file.collection(id)?.count() == 1)
            try DatabaseRegistry.close(file)
            #expect(throws: StoreError.alreadyExists(path: copy.directory)) {
                try release.copy(database.path, to: copy, options: .init(), indexNames: { _ in [] })
            }
        } else {
            let error = #expect(throws: StoreError.self) {
                try release.copy(database.path, to: copy, options: .init(), indexNames: { _ in [] })
            }
            #expect(error?.description.contains("there are documents in Travel.Hotels") == true)
            #expect(!FileManager.default.fileExists(atPath: copy.directory))
        }
    }

    @Test("the copy of an encrypted database is not encrypted", arguments: OlderRelease.allCases)
    func encrypted(_ release: OlderRelease) throws {
        let database = try TestDatabase(options: .key(.test(1)))
        let digest = try database.file.blobs.store(Array("blob".utf8))
        try database.save("withBlob", #"{"b":{"@type":"blob","digest":"\#(digest.string)"}}"#, hasBlobs: true)
        let copy = BundlePath(database.directory.path("copy.cblite2"))
        _ = try release.copy(database.path, to: copy, options: .key(.test(1)), indexNames: { _ in [] })
        let result = try BundleChecker.check(copy.directory, options: .init())
        #expect(result.findings == [] && result.documents == 1 && result.blobs == 1)
    }
}

import Foundation
import TestSupport
import Testing

@testable import CouchbaseLiteSwift

@Suite("Timestamps and histories of documents")
struct TimestampTests {
    private let folder: DatabaseFolder

    init() throws { folder = try DatabaseFolder() }

    private func open(_ name: String, _ versioning: DatabaseConfiguration.Versioning) throws -> Collection {
        let config = folder.config
        config.versioning = versioning
        return try Database(name: name, config: config).defaultCollection()
    }

    @Test("the timestamp of a version is the time at which it was saved, in nanoseconds")
    func versions() throws {
        let collection = try open("db", .versionVectors)
        let document = MutableDocument(id: "a", data: ["n": 1])
        #expect(document.timestamp == 0)
        let before = UInt64(Date().timeIntervalSince1970 * 1e9)
        try collection.save(document: document)
        let first = document.timestamp
        // The clock of the process, the clock of the library, and their units differ by less than this.
        #expect(first > before - 60_000_000_000 && first < before + 600_000_000_000)
        #expect(document.revisionID == String(first, radix: 16) + "@*")
        document.setInt(2, forKey: "n")
        #expect(document.timestamp == first)
        try collection.save(document: document)
        #expect(document.timestamp > first)
        #expect(try collection.document(id: "a")?.timestamp == document.timestamp)
        #expect(document.toMutable().timestamp == document.timestamp)
        try collection.delete(document: document)
        #expect(document.timestamp > first)
        try collection.purge(id: "a")
    }

    @Test("the timestamp of a revision in a tree is its generation, so that each version is later")
    func trees() throws {
        let collection = try open("db", .automatic)
        let document = MutableDocument(id: "a")
        try collection.save(document: document)
        #expect(document.timestamp == 1)
        try collection.save(document: document)
        #expect(document.timestamp == 2)
        try collection.database.upgradeToVersionVectors()
        #expect(try collection.document(id: "a")?.timestamp == 2)
        try collection.save(document: document)
        #expect(document.timestamp > 1 << 40)
    }

    @Test("the history of a version is its vector with the ID of the database, and the revisions in trees before it")
    func history() throws {
        let collection = try open("db", .automatic)
        let document = MutableDocument(id: "a")
        #expect(document._getRevisionHistory() == nil)
        try collection.save(document: document)
        try collection.save(document: document)
        let tree = try #require(document.revisionID)
        let branch = try #require(document._getRevisionHistory())
        #expect(branch.hasPrefix(tree + ",1-"))
        try collection.database.upgradeToVersionVectors()
        #expect(document._getRevisionHistory() == branch)

        let earlier = try #require(try collection.document(id: "a"))
        try collection.save(document: document)
        let history = try #require(document._getRevisionHistory())
        #expect(!history.contains("*"))
        #expect(history.contains(/^[0-9a-f]+@[A-Za-z0-9+\/]{22}; 2-[0-9a-f]+$/))
        #expect(history.hasSuffix(tree))
        #expect(history.hasPrefix(String(document.timestamp, radix: 16) + "@"))
        #expect(earlier._getRevisionHistory() == tree)

        let new = MutableDocument(id: "b")
        try collection.save(document: new)
        let replaced = try #require(try collection.document(id: "b"))
        try collection.save(document: new)
        let source = history.split(separator: ";")[0].split(separator: "@")[1]
        #expect(new._getRevisionHistory() == "\(String(new.timestamp, radix: 16))@\(source)")
        #expect(replaced._getRevisionHistory() == "\(String(replaced.timestamp, radix: 16))@\(source)")
    }

    #if Replication
    @Test("by default, the version with the higher timestamp wins a conflict, whichever side has it", arguments: [true, false])
    func defaultResolver(isLocalLater: Bool) async throws {
        let (near, far) = (try open("near", .versionVectors), try open("far", .versionVectors))
        let document = MutableDocument(id: "a")
        try near.save(document: document)
        let config = ReplicatorConfiguration(
            collections: CollectionConfiguration.fromCollections([near]),
            target: DatabaseEndpoint(database: far.database)
        )
        try await Replicator(config: config).run()
        // The one with more changes is the earlier one.
        let (earlier, later) = isLocalLater ? (far, near) : (near, far)
        for (collection, text, count) in [(earlier, "earlier", 5), (later, "later", 1)] {
            let changed = try #require(try collection.document(id: "a")).toMutable()
            for _ in 0..<count { try collection.save(document: changed.setString(text, forKey: "text")) }
        }
        try await Replicator(config: config).run()
        for collection in [near, far] { #expect(try collection.document(id: "a")?.string(forKey: "text") == "later") }
    }
    #endif
}

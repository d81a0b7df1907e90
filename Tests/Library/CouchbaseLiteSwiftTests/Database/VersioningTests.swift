import CouchbaseLiteSwift
import Foundation
import TestSupport
import Testing

@Suite("Databases with version vectors")
struct VersioningTests {
    private let folder: DatabaseFolder

    init() throws { folder = try DatabaseFolder() }

    private func open(_ versioning: DatabaseConfiguration.Versioning = .automatic) throws -> Database {
        let config = folder.config
        config.versioning = versioning
        return try Database(name: "db", config: config)
    }

    @Test("a new database has revision trees, and the configuration is copied")
    func defaults() throws {
        #expect(DatabaseConfiguration().versioning == .automatic)
        let database = try open()
        #expect(database.config.versioning == .automatic)
        let document = MutableDocument(id: "a", data: ["n": 1])
        try database.defaultCollection().save(document: document)
        #expect(document.revisionID?.hasPrefix("1-") == true)
        let config = DatabaseConfiguration(config: database.config)
        config.versioning = .trees
        #expect(DatabaseConfiguration(config: config).versioning == .trees)
    }

    @Test("documents of a database with version vectors are saved, changed, deleted and queried")
    func documents() throws {
        let database = try open(.versionVectors)
        let collection = try database.defaultCollection()
        let document = MutableDocument(id: "a", data: ["n": 1])
        try collection.save(document: document)
        let first = try #require(document.revisionID)
        #expect(first.hasSuffix("@*"))
        document.setInt(2, forKey: "n")
        try collection.save(document: document)
        #expect(document.revisionID != first && document.sequence == 2)

        let stale = try #require(try collection.document(id: "a")?.toMutable())
        document.setInt(3, forKey: "n")
        try collection.save(document: document)
        #expect(try !collection.save(document: stale, concurrencyControl: .failOnConflict))

        let query = try database.createQuery("SELECT meta().id, meta().revisionID, n FROM _")
        let rows = try query.execute().map { [$0.string(at: 0), $0.string(at: 1), $0.string(at: 2) ?? "\($0.int(at: 2))"] }
        #expect(rows == [["a", document.revisionID, "3"]])
        try collection.delete(document: document)
        #expect(try collection.document(id: "a") == nil)
        try collection.save(document: MutableDocument(id: "a", data: ["n": 4]))
        try collection.purge(id: "a")
        #expect(collection.count == 0)
        try database.performMaintenance(type: .integrityCheck)
        try database.close()
    }

    @Test("blobs, batches and expiration work in a database with version vectors")
    func rest() throws {
        let database = try open(.versionVectors)
        let collection = try database.defaultCollection()
        let document = MutableDocument(id: "a")
        document.setBlob(Blob(contentType: "text/plain", data: Data("content".utf8)), forKey: "blob")
        try database.inBatch {
            try collection.save(document: document)
            try collection.save(document: MutableDocument(id: "b", data: ["n": 1]))
        }
        try database.performMaintenance(type: .compact)
        #expect(try collection.document(id: "a")?.blob(forKey: "blob")?.content == Data("content".utf8))
        try collection.setDocumentExpiration(id: "b", expiration: Date(timeIntervalSinceNow: 100_000))
        #expect(try collection.getDocumentExpiration(id: "b") != nil)
        try database.performMaintenance(type: .integrityCheck)
    }

    @Test("an upgrade converts documents when they are changed, and a database must be as the configuration requires")
    func upgrading() throws {
        let database = try open()
        let collection = try database.defaultCollection()
        for id in ["a", "b"] { try collection.save(document: MutableDocument(id: id, data: ["n": 1])) }
        try database.upgradeToVersionVectors()
        try database.upgradeToVersionVectors()
        let document = try #require(try collection.document(id: "a")?.toMutable())
        #expect(document.revisionID?.hasPrefix("1-") == true)
        document.setInt(2, forKey: "n")
        try collection.save(document: document)
        #expect(document.revisionID?.hasSuffix("@*") == true)
        #expect(try collection.document(id: "b")?.revisionID?.hasPrefix("1-") == true)
        try database.performMaintenance(type: .integrityCheck)
        try database.close()
        for versioning in [DatabaseConfiguration.Versioning.automatic, .versionVectors] { try open(versioning).close() }
        let error = #expect(throws: NSError.self) { try open(.trees) }
        #expect(error?.code == CBLError.unsupported)
    }

    @Test("a database that must have revision trees is not upgraded")
    func refused() throws {
        let database = try open(.trees)
        let error = #expect(throws: NSError.self) { try database.upgradeToVersionVectors() }
        #expect(error?.code == CBLError.unsupported)
        #expect(try database.defaultCollection().count == 0)
    }
}

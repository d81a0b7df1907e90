import CouchbaseLiteSwift
import Foundation
import TestSupport
import Testing

@Suite("Async forms of single functions")
struct AsyncFormTests {
    struct Oops: Error {}

    let folder: DatabaseFolder
    let database: Database
    let collection: Collection

    init() throws {
        folder = try DatabaseFolder()
        database = try folder.open()
        collection = try database.createCollection(name: "things")
    }

    /// Domain and code of the error that `body` throws; nil if it throws none.
    private func thrown(_ body: () async throws -> Void) async -> ErrorCode? {
        do {
            try await body()
            return nil
        } catch let error as NSError {
            return ErrorCode(domain: error.domain, code: error.code)
        }
    }

    @Test("the async functions of collections give the results of the synchronous ones")
    func collections() async throws {
        let document = MutableDocument(id: "a").setInt(1, forKey: "n")
        try await collection.async.save(document: document)
        #expect(document.sequence == 1)
        #expect(try await collection.async.count == 1)
        #expect(try await collection.async.document(id: "a")?.int(forKey: "n") == 1)
        #expect(try await collection.async.document(id: "b") == nil)
        let stale = try #require(try await collection.async.document(id: "a")).toMutable()
        try await collection.async.save(document: document.setInt(2, forKey: "n"))
        #expect(try await !collection.async.save(document: stale, concurrencyControl: .failOnConflict))
        let isSaved = try await collection.async.save(document: stale) { mine, theirs in
            mine.setInt((theirs?.int(forKey: "n") ?? 0) + 1, forKey: "n")
            return true
        }
        #expect(isSaved)
        #expect(try await collection.async.document(id: "a")?.int(forKey: "n") == 3)
        #expect(try await !collection.async.delete(document: document, concurrencyControl: .failOnConflict))
        try await collection.async.delete(document: document)
        #expect(try await collection.async.document(id: "a") == nil)
        try await collection.async.purge(document: document)
        #expect(await thrown { try await collection.async.purge(id: "a") } == .notFound)
        try await collection.async.save(document: document)
        let date = Date(timeIntervalSince1970: 4_000_000_000)
        try await collection.async.setDocumentExpiration(id: "a", expiration: date)
        #expect(try await collection.async.getDocumentExpiration(id: "a") == date)
        try await collection.async.createIndex(withName: "n", config: ValueIndexConfiguration(["n"]))
        try await collection.async.createIndex(IndexBuilder.valueIndex(items: ValueIndexItem.property("m")), name: "m")
        #expect(try await collection.async.indexes() == ["m", "n"])
        try await collection.async.deleteIndex(forName: "m")
        #expect(try await collection.async.index(withName: "m") == nil)
        #expect(try await collection.async.index(withName: "n")?.name == "n")
    }

    @Test("the async functions of databases give the results of the synchronous ones")
    func databases() async throws {
        let people = try await database.async.createCollection(name: "people", scope: "staff")
        #expect(people.fullName == "staff.people")
        #expect(try await database.async.scopes().map(\.name) == ["_default", "staff"])
        #expect(try await database.async.scope(name: "staff")?.name == "staff")
        #expect(try await database.async.collections(scope: "staff").map(\.name) == ["people"])
        #expect(try await database.async.collection(name: "people", scope: "staff") == people)
        try await database.async.deleteCollection(name: "people", scope: "staff")
        #expect(try await database.async.scope(name: "staff") == nil)

        let blob = Blob(contentType: "text/plain", data: Data("hello".utf8))
        try await database.async.saveBlob(blob: blob)
        let properties: [String: Any] = ["@type": "blob", "digest": try #require(blob.digest)]
        let stored = try await database.async.getBlob(properties: properties)
        #expect(try await stored?.async.content == Data("hello".utf8))

        try await collection.async.save(document: MutableDocument(id: "a").setInt(7, forKey: "n"))
        let query = try await database.async.createQuery("SELECT n FROM things")
        #expect(try await query.async.execute().allResults().map { $0.int(forKey: "n") } == [7])
        #expect(try await query.async.explain().contains("SCAN"))
        try await database.async.performMaintenance(type: .integrityCheck)

        try await database.async.changeEncryptionKey(.key(Data(repeating: 7, count: 32)))
        #expect(await thrown { _ = try await Database.async.open(name: database.name, config: folder.config) } != nil)
        try await database.async.changeEncryptionKey(nil)
        #expect(try await collection.async.count == 1)

        let copied = database.path
        try await database.async.close()
        #expect(database.path == nil)
        #expect(await thrown { try await collection.async.save(document: MutableDocument()) } == .notOpen)
        try await Database.async.copy(fromPath: try #require(copied), toDatabase: "copy", withConfig: folder.config)
        let copy = try await Database.async.open(name: "copy", config: folder.config)
        #expect(try copy.collection(name: "things")?.count == 1)
        try await copy.async.delete()
        #expect(try folder.contents == ["db.cblite2"])
        try await Database.async.delete(withName: "db", inDirectory: folder.path)
        #expect(try folder.contents == [])
    }

    @Test("an async batch is committed as a whole and returns the value of its block, or is rolled back")
    func batch() async throws {
        let database = database
        let collection = collection
        let count = try await database.async.inBatch {
            for number in 0..<10 { try collection.save(document: MutableDocument(id: "\(number)")) }
            return collection.count
        }
        #expect(count == 10)
        let error = await thrown {
            try await database.async.inBatch {
                try collection.purge(id: "0")
                throw Oops()
            }
        }
        #expect(error == .couchbaseLite(CBLError.unexpectedError))
        #expect(collection.count == 10)
    }

    @Test("an async batch returns its value, and passes on the error of its closure unchanged")
    func unchangedErrors() async throws {
        let database = database
        let collection = collection
        let count = try await database.async.batch {
            try collection.save(document: MutableDocument(id: "a"))
            return collection.count
        }
        #expect(count == 1)
        await #expect(throws: Oops.self) {
            try await database.async.batch {
                try collection.purge(id: "a")
                throw Oops()
            }
        }
        #expect(collection.count == 1)
    }
}

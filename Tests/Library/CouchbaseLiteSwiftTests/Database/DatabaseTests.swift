import CouchbaseLiteSwift
import Foundation
import TestSupport
import Testing

@Suite("Databases")
struct DatabaseTests {
    let directory: TemporaryDirectory

    init() throws {
        directory = try TemporaryDirectory()
    }

    func open(_ name: String = "db") throws -> Database {
        let config = DatabaseConfiguration()
        config.directory = directory.url.path
        return try Database(name: name, config: config)
    }

    @Test("a saved document can be read, also after the database was closed and opened again")
    func saveAndRead() throws {
        var database = try open()
        let document = MutableDocument(id: "airport").setString("CDG", forKey: "iata").setInt(392, forKey: "alt")
            .setDictionary(MutableDictionaryObject(data: ["lat": 49.01, "lon": 2.55]), forKey: "geo")
        try database.saveDocument(document)
        #expect(document.sequence == 1)
        #expect(document.revisionID?.hasPrefix("1-") == true)
        #expect(database.count == 1)
        try database.close()
        #expect(database.path == nil)
        database = try open()
        let read = try #require(database.document(withID: "airport"))
        #expect(read.string(forKey: "iata") == "CDG")
        #expect(read["geo"]["lat"].double == 49.01)
        #expect(read.revisionID == document.revisionID)
        #expect(read == document.toMutable() || read.collection != document.collection)
    }

    @Test("two objects of one file see each other's changes and detect conflicts")
    func twoObjects() throws {
        let first = try open()
        let second = try open()
        try first.saveDocument(MutableDocument(id: "a").setInt(1, forKey: "n"))
        let mine = try #require(first.document(withID: "a")).toMutable()
        let theirs = try #require(second.document(withID: "a")).toMutable()
        try second.saveDocument(theirs.setInt(2, forKey: "n"))
        mine.setInt(3, forKey: "n")
        #expect(try first.saveDocument(mine, concurrencyControl: .failOnConflict) == false)
        #expect(first.document(withID: "a")?.int(forKey: "n") == 2)
        #expect(try first.saveDocument(mine, concurrencyControl: .lastWriteWins))
        #expect(second.document(withID: "a")?.int(forKey: "n") == 3)
        #expect(second.document(withID: "a")?.revisionID?.hasPrefix("3-") == true)
    }

    @Test("an error in a batch rolls back all its changes")
    func batchRollback() throws {
        struct Oops: Error {}
        let database = try open()
        #expect(throws: NSError.self) {
            try database.inBatch {
                try database.saveDocument(MutableDocument(id: "a").setInt(1, forKey: "someKey"))
                #expect(database.count == 1)
                throw Oops()
            }
        }
        #expect(database.count == 0)
        try database.saveDocument(MutableDocument(id: "b").setInt(1, forKey: "otherKey"))
        #expect(database.document(withID: "b")?.int(forKey: "otherKey") == 1)
        #expect(database.document(withID: "b")?.sequence == 1)
    }

    @Test("a deleted document cannot be read, and can be saved again or purged")
    func deletion() throws {
        let database = try open()
        let document = MutableDocument(id: "a").setInt(1, forKey: "n")
        try database.saveDocument(document)
        try database.deleteDocument(document)
        #expect(database.document(withID: "a") == nil)
        #expect(database.count == 0)
        #expect(document.sequence == 2)
        try database.saveDocument(document)
        #expect(database.document(withID: "a")?.int(forKey: "n") == 1)
        #expect(document.sequence == 3)
        try database.purgeDocument(document)
        #expect(document.revisionID == nil)
        #expect(throws: NSError.self) { try database.purgeDocument(withID: "a") }
    }
}

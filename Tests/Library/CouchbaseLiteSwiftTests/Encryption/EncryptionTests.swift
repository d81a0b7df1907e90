import Foundation
import TestSupport
import TestTraits
import Testing

@testable import CouchbaseLiteSwift

@Suite("Encryption")
struct EncryptionTests {
    let folder: DatabaseFolder

    init() throws {
        folder = try DatabaseFolder()
    }

    private func key(_ number: UInt8) -> EncryptionKey {
        .key(Data(repeating: number, count: 32))
    }

    private func open(_ key: EncryptionKey?, _ name: String = "db") throws -> Database {
        let config = folder.config
        config.encryptionKey = key
        return try Database(name: name, config: config)
    }

    /// The message of the error with code 20 that opening throws.
    private func refusal(_ key: EncryptionKey?, _ name: String = "db") throws -> String {
        let error = try #require(throws: NSError.self) { _ = try open(key, name) }
        #expect(error.domain == CBLError.domain)
        #expect(error.code == CBLError.unreadableDatabase)
        #expect(error.code == 20)
        return error.localizedDescription
    }

    @Test("a database with a password is opened only with that password")
    func password() throws {
        let database = try open(.password("correct horse"))
        try database.saveDocument(MutableDocument(id: "a").setString("text", forKey: "s"))
        // The object's own configuration opens the same database, also after it was closed.
        #expect(try Database(name: "db", config: database.config)["a"]["s"].string == "text")
        try database.close()
        #expect(try Database(name: "db", config: database.config)["a"]["s"].string == "text")
        #expect(try open(.password("correct horse"))["a"]["s"].string == "text")
        #expect(try refusal(.password("correct hors")).contains("the key is wrong"))
        #expect(try refusal(key(1)).contains("the key is wrong"))
        #expect(try refusal(nil).contains("is encrypted: a key is needed"))
    }

    @Test("a database that is not encrypted cannot be opened with a key")
    func notEncrypted() throws {
        try open(nil).close()
        #expect(try refusal(key(1)).contains("is not encrypted"))
    }

    @Test("the error for a database that Couchbase Lite may have encrypted mentions Couchbase Lite's own codec")
    func original() throws {
        try FileManager.default.createDirectory(at: folder.bundle(), withIntermediateDirectories: true)
        var content = Data(repeating: 0xA5, count: 4096)
        content[16] = 0x10
        content[17] = 0
        try content.write(to: folder.bundle().appendingPathComponent("db.sqlite3"))
        #expect(try refusal(key(1)).contains("Couchbase Lite's own codec"))
        #expect(try refusal(nil).contains("Couchbase Lite's own codec"))
    }

    @Test("a key whose length is not 32 bytes raises an exception", arguments: [0, 16, 31, 33])
    func length(count: Int) {
        #expect(misuse { _ = EncryptionKey.key(Data(count: count)) }?.name == invalidArgument)
    }

    @Test("descriptions of a key do not reveal its bytes or password")
    func hidden() {
        for key in [EncryptionKey.password("marker"), key(0x41)] {
            var text = "\(key) \(String(reflecting: key)) \(key.secret)"
            dump(key, to: &text)
            #expect(!text.contains("marker"))
            #expect(!text.contains("65"))
        }
    }

    @Test("documents, blobs, queries and indexes remain usable after a key change", arguments: [nil, 2])
    func changing(to new: UInt8?) throws {
        let newKey = new.map(key)
        let database = try open(key(1))
        let collection = try database.createCollection(name: "Things", scope: "stock")
        try collection.createIndex(withName: "byNumber", config: ValueIndexConfiguration(["n"]))
        for i in 0..<100 { try collection.save(document: MutableDocument(id: "\(i)").setInt(i, forKey: "n")) }
        let content = Data(repeating: 7, count: 200_000)
        let blob = Blob(contentType: "text/plain", data: content)
        try collection.save(document: MutableDocument(id: "blob").setBlob(blob, forKey: "blob"))
        let query = try database.createQuery("SELECT meta().id FROM stock.Things WHERE n >= 90")
        #expect(try query.execute().allResults().count == 10)
        let document = try #require(try collection.document(id: "5")).toMutable()
        let old = try #require(try collection.document(id: "blob"))

        try database.changeEncryptionKey(newKey)

        #expect(try query.execute().allResults().count == 10)
        #expect(try query.explain().contains("byNumber"))
        try collection.save(document: document.setInt(95, forKey: "n"))
        #expect(try query.execute().allResults().count == 11)
        #expect(old.blob(forKey: "blob")?.content == content)
        #expect(collection.count == 101)
        #expect(try open(newKey)["x"].document == nil)
        #expect(try refusal(key(1)).isEmpty == false)
        try database.performMaintenance(type: .compact)
        try database.performMaintenance(type: .reindex)
        try database.performMaintenance(type: .integrityCheck)
        try database.close()
        let reopened = try open(newKey)
        let again = try #require(try reopened.collection(name: "Things", scope: "stock"))
        #expect(try again.document(id: "blob")?.blob(forKey: "blob")?.content == content)
        #expect(try again.indexes() == ["byNumber"])
        try reopened.close()
        if new == nil { #expect(try DatabaseChecker.check(folder.bundle()).problems == []) }
    }

    @Test(
        "databases of all releases are encrypted and decrypted without loss",
        arguments: ["v2.7", "v2.8", "v3.0-names-deleted", "travel-sample"]
    )
    func fixtures(name: String) throws {
        let bundle = try folder.directory.copy(RealDatabase.url(name))
        let database = try open(nil, name)
        try database.close()
        let before = try DatabaseChecker.dump(bundle)
        let plain = try open(nil, name)
        try plain.changeEncryptionKey(key(1))
        try plain.close()
        let encrypted = try open(key(1), name)
        try encrypted.performMaintenance(type: .integrityCheck)
        try encrypted.changeEncryptionKey(nil)
        try encrypted.close()
        #expect(try DatabaseChecker.dump(bundle) == before)
        #expect(try DatabaseChecker.check(bundle).problems == [])
        #expect(!before.isEmpty)
    }

    @Test("a key change is refused while other objects use the database, inside a batch, and when it is closed")
    func refused() throws {
        let database = try open(key(1))
        let second = try open(key(1))
        #expect(thrown { try database.changeEncryptionKey(key(2)) } == .busy)
        try second.close()
        #expect(thrown { try database.inBatch { try database.changeEncryptionKey(key(2)) } } != nil)
        try database.saveDocument(MutableDocument(id: "a"))
        try database.close()
        #expect(thrown { try database.changeEncryptionKey(key(2)) } == .notOpen)
        #expect(try open(key(1)).count == 1)
    }

    @Test("a copy of an encrypted database has the key of the original")
    func copying() throws {
        let database = try open(key(1))
        let blob = Blob(contentType: "text/plain", data: Data(repeating: 7, count: 100_000))
        try database.saveDocument(MutableDocument(id: "a").setBlob(blob, forKey: "blob"))
        let path = try #require(database.path)
        let config = folder.config
        #expect(thrown { try Database.copy(fromPath: path, toDatabase: "copy", withConfig: config) } == .couchbaseLite(20))
        config.encryptionKey = key(2)
        #expect(thrown { try Database.copy(fromPath: path, toDatabase: "copy", withConfig: config) } == .couchbaseLite(20))
        #expect(try folder.contents == ["db.cblite2"])
        config.encryptionKey = key(1)
        try Database.copy(fromPath: path, toDatabase: "copy", withConfig: config)
        let copy = try open(key(1), "copy")
        #expect(copy.document(withID: "a")?.blob(forKey: "blob")?.content == blob.content)
        try copy.delete()
        #expect(try folder.contents == ["db.cblite2"])
    }
}

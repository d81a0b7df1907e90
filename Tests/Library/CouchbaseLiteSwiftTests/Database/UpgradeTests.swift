import CouchbaseLiteSwift
import Foundation
import TestSupport
import TestTraits
import Testing

@Suite("Databases of earlier releases")
struct UpgradeTests {
    static let documentCounts: [(String, UInt64)] = [
        ("v2.7", 50), ("v2.8", 50), ("v3.0-names-deleted", 78), ("travel-sample", 2885), ("wal", 500),
    ]

    @Test("a database of an earlier release can be opened, changed and opened again", arguments: documentCounts)
    func upgrade(_ name: String, _ count: UInt64) throws {
        let folder = try DatabaseFolder()
        _ = try folder.directory.copy(RealDatabase.url(name))
        var database = try folder.open(name)
        #expect(database.count == count)
        let collection = try database.createCollection(name: "Added", scope: "Scope")
        try collection.save(document: MutableDocument(id: "new").setString("value", forKey: "a new key"))
        try database.saveDocument(MutableDocument(id: "new").setInt(1, forKey: "other new key"))
        try database.close()

        database = try folder.open(name)
        #expect(database.count == count + 1)
        #expect(database.document(withID: "new")?.int(forKey: "other new key") == 1)
        let again = try #require(try database.collection(name: "Added", scope: "Scope"))
        #expect(try again.document(id: "new")?.string(forKey: "a new key") == "value")
        try database.close()
        #expect(try folder.problems(name) == [])
    }

    @Test("a database of version 1.x is upgraded, and its attachments are readable as blobs", arguments: ["ios-1.2", "android-1.2"])
    func legacy(_ name: String) throws {
        let folder = try DatabaseFolder()
        _ = try folder.directory.copy(RealDatabase.url("v1/\(name)"))
        for _ in 1...2 {
            let database = try folder.open(name)
            for number in 1...2 {
                let document = try #require(database.document(withID: "doc\(number)"))
                #expect(document.revisionID?.hasPrefix("2-") == true)
                let blob = document.dictionary(forKey: "_attachments")?.blob(forKey: "attach\(number)")
                #expect(blob?.content == Data("attach\(number)".utf8))
                #expect(blob?.contentType == "text/plain; charset=utf-8")
            }
            try database.performMaintenance(type: .compact)
            try database.performMaintenance(type: .integrityCheck)
            try database.close()
        }
        #expect(try folder.problems(name) == [])
        #expect(try folder.contents == ["\(name).cblite2"])
    }

    @Test("copying a database of an earlier release does not change the original")
    func copied() throws {
        let folder = try DatabaseFolder()
        let original = try folder.directory.copy(RealDatabase.url("v2.8"))
        let file = original.appendingPathComponent("db.sqlite3")
        let before = try Data(contentsOf: file)
        try Database.copy(fromPath: original.path, toDatabase: "copy", withConfig: folder.config)
        #expect(try Data(contentsOf: file) == before)
        #expect(try folder.open("copy").count == 50)
    }
}

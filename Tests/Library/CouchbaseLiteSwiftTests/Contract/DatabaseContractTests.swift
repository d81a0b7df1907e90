import DocumentStore
import Foundation
import SQLiteEngine
import TestSupport
import Testing

@testable import CouchbaseLiteSwift

@Suite("Settings, maintenance and lifetime of databases")
struct DatabaseContractTests {
    let folder: DatabaseFolder

    init() throws {
        folder = try DatabaseFolder()
    }

    // MARK: Storage settings

    private func pragma(_ name: String, _ database: Database) throws -> (writer: Int64?, reader: Int64?) {
        let file = try database.openFile()
        return (
            try file.transaction { try $0.connection.scalar("PRAGMA \(name)") },
            try file.read { try $0.connection.scalar("PRAGMA \(name)") }
        )
    }

    @Test("full sync and memory mapping are set on the connections as configured", arguments: [false, true])
    func settings(_ isOn: Bool) throws {
        let config = folder.config
        config.fullSync = isOn
        config.mmapEnabled = isOn
        let database = try Database(name: "db", config: config)
        #expect(try pragma("synchronous", database).writer == (isOn ? 2 : 1))
        let map = try pragma("mmap_size", database)
        #if os(macOS)
        #expect(map == (0, 0))
        #else
        // The writer has no memory map: see `ConnectionSettings`.
        #expect(map == (0, isOn ? 1 << 30 : 0))
        #endif
        #expect(database.config.fullSync == isOn)
        #expect(database.config.mmapEnabled == isOn)
    }

    @Test("full sync is used if one of several objects of a file has enabled it")
    func sharedFullSync() throws {
        let first = try folder.open()
        let config = folder.config
        config.fullSync = true
        let second = try Database(name: "db", config: config)
        #expect(try pragma("synchronous", first).writer == 2)
        try second.close()
        try first.close()
        #expect(try pragma("synchronous", folder.open()).writer == 1)
    }

    // MARK: Purging

    @Test("a purged document is new and can be saved in any collection")
    func purgedDocument() throws {
        let database = try folder.open()
        let other = try database.createCollection(name: "other")
        let document = MutableDocument(id: "a").setInt(1, forKey: "n")
        try database.saveDocument(document)
        try database.purgeDocument(document)
        #expect(document.revisionID == nil)
        #expect(document.sequence == 0)
        #expect(document.collection == nil)
        #expect(document._getRevisionHistory() == nil)
        #expect(document.int(forKey: "n") == 1)
        #expect(thrown { try database.purgeDocument(document) } == .notFound)
        #expect(thrown { try database.deleteDocument(document) } == .notFound)
        try other.save(document: document)
        #expect(document.collection == other)
        #expect(document.revisionID?.hasPrefix("1-") == true)
        #expect(database.count == 0)
        #expect(other.count == 1)
    }

    // MARK: Maintenance

    @Test("every type of maintenance keeps all documents, blobs and indexes")
    func maintenance() throws {
        let database = try folder.open()
        for number in 0..<100 {
            let blob = Blob(contentType: "text/plain", data: Data("blob \(number)".utf8))
            let document = MutableDocument(id: "doc\(number)").setInt(number, forKey: "n").setBlob(blob, forKey: "blob")
            try database.saveDocument(document)
        }
        try database.createIndex(ValueIndexConfiguration(["n"]), name: "byN")
        for number in 50..<100 { try database.purgeDocument(withID: "doc\(number)") }
        for type in [MaintenanceType.compact, .reindex, .integrityCheck, .optimize, .fullOptimize] {
            try database.performMaintenance(type: type)
        }
        #expect(database.count == 50)
        #expect(database.indexes == ["byN"])
        let blobs = try FileManager.default.contentsOfDirectory(atPath: folder.bundle().path + "/Attachments")
        #expect(blobs.count == 50)
        for number in 0..<50 {
            #expect(database["doc\(number)"]["blob"].blob?.content == Data("blob \(number)".utf8))
        }
        try database.close()
        #expect(try folder.problems() == [])
    }

    @Test("an integrity check of a damaged database throws an error that names the damaged document")
    func integrityCheck() throws {
        let database = try folder.open()
        try database.saveDocument(MutableDocument(id: "a").setInt(1, forKey: "n"))
        try database.openFile().transaction { writer in
            try writer.connection.execute("UPDATE kv_default SET extra = x'00112233'")
        }
        do {
            try database.performMaintenance(type: .integrityCheck)
            Issue.record("nothing was found")
        } catch let error as NSError {
            #expect(error.domain == CBLError.domain)
            #expect(error.code == CBLError.corruptData)
            #expect(error.localizedDescription.contains("\"a\""), "\(error)")
        }
    }

    // MARK: Closing and deleting

    @Test("closing or deleting a database ends its listeners, and existing results and documents remain usable", arguments: [false, true])
    func endWithEverythingOpen(_ deletes: Bool) throws {
        let database = try folder.open()
        let collection = try database.createCollection(name: "c")
        let calls = Recorder<[String]>()
        let queue = DispatchQueue(label: "listeners")
        let token = collection.addChangeListener(queue: queue) { calls.append($0.documentIDs) }
        let documentToken = collection.addDocumentChangeListener(id: "a", queue: queue) {
            calls.append([$0.documentID])
        }
        try collection.save(document: MutableDocument(id: "a").setInt(1, forKey: "n"))
        calls.wait(forCount: 2)
        let query = try database.createQuery("SELECT n FROM c")
        let results = try query.execute()
        let document = try #require(try collection.document(id: "a"))
        if deletes { try database.delete() } else { try database.close() }
        #expect(results.next()?.int(forKey: "n") == 1)
        #expect(document.int(forKey: "n") == 1)
        #expect(thrown { _ = try query.execute() } == .notOpen)
        token.remove()
        documentToken.remove()
        token.remove()
        // Listeners of the closed object are not notified of changes by another object that opens the database again.
        let again = try folder.open()
        try again.createCollection(name: "c").save(document: MutableDocument(id: "b"))
        try again.close()
        queue.sync {}
        #expect(calls.all == [["a"], ["a"]])
        #expect(Database.exists(withName: "db", inDirectory: folder.path))
    }

    @Test("a document keeps its content after its database is deleted and released")
    func outliving() throws {
        var database: Database? = try folder.open()
        let text = String(repeating: "long enough to be a page of its own ", count: 500)
        let saved = MutableDocument(id: "a").setString(text, forKey: "text")
            .setValue(["deep": ["list": [1, 2, 3]]], forKey: "nested")
        try database?.saveDocument(saved)
        let document = try #require(database?.document(withID: "a"))
        try database?.delete()
        database = nil
        #expect(document.string(forKey: "text") == text)
        #expect(document["nested"]["deep"]["list"][2].int == 3)
        #expect(document.toMutable().setInt(1, forKey: "new").count == 3)
    }

    // MARK: Copying

    @Test("leftover files of an interrupted copy are deleted by the next copy")
    func interruptedCopy() throws {
        try folder.open("original").saveDocument(MutableDocument(id: "a"))
        let leftOver = folder.path + "/.copy.cblite2.replacing-0123456789abcdef"
        try FileManager.default.createDirectory(atPath: leftOver + "/new/copy.cblite2", withIntermediateDirectories: true)
        try Data("half".utf8).write(to: URL(fileURLWithPath: leftOver + "/new/copy.cblite2/db.sqlite3"))
        try Data("CouchbaseLiteSwift replacement of a bundle, 1\ncopy.cblite2".utf8)
            .write(to: URL(fileURLWithPath: leftOver + "/replacement"))
        try Database.copy(fromPath: folder.bundle("original").path, toDatabase: "copy", withConfig: folder.config)
        #expect(try folder.contents == ["copy.cblite2", "original.cblite2"])
        #expect(try folder.open("copy").count == 1)
    }
}

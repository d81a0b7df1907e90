import DocumentStore
import Foundation
import Testing

@testable import CouchbaseLiteSwift

@Suite("Documents with blobs")
struct SavedBlobTests {
    let folder: DatabaseFolder
    let database: Database

    init() throws {
        folder = try DatabaseFolder()
        database = try folder.open()
    }

    private func blob(_ text: String = "content") -> Blob {
        Blob(contentType: "text/plain", data: Data(text.utf8))
    }

    private var storedFiles: [String] {
        get throws {
            try FileManager.default.contentsOfDirectory(atPath: folder.bundle().path + "/Attachments").sorted()
        }
    }

    @Test("a blob gets its digest when its document is saved, and equal contents are stored once")
    func stored() throws {
        let blob = blob()
        #expect(blob.digest == nil)
        try database.saveDocument(
            MutableDocument(id: "a").setBlob(blob, forKey: "one").setValue([self.blob(), ["x": self.blob()]], forKey: "more")
        )
        try database.createCollection(name: "c").save(document: MutableDocument(id: "b").setBlob(blob, forKey: "one"))
        #expect(blob.digest == "sha1-BA8Gu0CQj3oAX1wnbZwxbpD1vTg=" || blob.digest?.hasPrefix("sha1-") == true)
        #expect(try storedFiles.count == 1)
        let read = try #require(database.document(withID: "a"))
        for found in [read.blob(forKey: "one"), read["more"][0].blob, read["more"][1]["x"].blob] {
            #expect(found == blob)
            #expect(found?.content == Data("content".utf8))
            #expect(found?.length == 7)
            #expect(found?.contentType == "text/plain")
        }
        try database.close()
        #expect(try folder.problems() == [])
    }

    @Test("large contents of blobs are written and read through streams")
    func streams() throws {
        let bytes = (0..<3_000_000).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) }
        let blob = Blob(contentType: "application/octet-stream", contentStream: InputStream(data: Data(bytes)))
        #expect(blob.length == 0)
        try database.saveDocument(MutableDocument(id: "a").setBlob(blob, forKey: "blob"))
        #expect(blob.length == 3_000_000)
        let stream = try #require(database.document(withID: "a")?.blob(forKey: "blob")?.contentStream)
        stream.open()
        defer { stream.close() }
        var read: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 70_001)
        while case let count = stream.read(&buffer, maxLength: buffer.count), count > 0 { read += buffer[..<count] }
        #expect(read == bytes)
    }

    @Test("a stored blob can be saved with another document, and is kept until the last of its documents is purged")
    func reused() throws {
        try database.saveDocument(MutableDocument(id: "a").setBlob(blob(), forKey: "blob"))
        let read = try #require(database.document(withID: "a")?.blob(forKey: "blob"))
        try database.saveDocument(MutableDocument(id: "b").setBlob(read, forKey: "blob"))
        #expect(database["b"]["blob"].blob?.content == Data("content".utf8))
        try database.performMaintenance(type: .compact)
        try database.purgeDocument(withID: "a")
        try database.performMaintenance(type: .compact)
        #expect(database["b"]["blob"].blob?.content == Data("content".utf8))
        try database.purgeDocument(withID: "b")
        try database.performMaintenance(type: .compact)
        #expect(try storedFiles == [])
    }

    @Test("saving a blob of another database raises an exception, and no document is saved", arguments: [false, true])
    func foreign(nested: Bool) throws {
        let other = try folder.open("other")
        let blob = Blob(contentType: "text/plain", data: Data(count: 20_000))
        try other.saveDocument(MutableDocument(id: "a").setBlob(blob, forKey: "blob"))
        let document = MutableDocument(id: "b")
        if nested {
            document.setValue([["blob": blob]], forKey: "list")
        } else {
            document.setBlob(blob, forKey: "blob")
        }
        let database = database
        #expect(misuse { try? database.saveDocument(document) }?.name == inconsistency)
        #expect(misuse { try? database.saveBlob(blob: blob) }?.name == inconsistency)
        #expect(database.count == 0)
        // No lock is held any longer.
        try database.saveDocument(MutableDocument(id: "c"))
    }

    @Test("a saved blob is found by its properties, and invalid properties raise an exception")
    func savedAlone() throws {
        let blob = blob()
        try database.saveBlob(blob: blob)
        let digest = try #require(blob.digest)
        let properties: [String: Any] = ["@type": "blob", "digest": digest, "length": 7, "content_type": "text/plain"]
        let found = try #require(try database.getBlob(properties: properties))
        #expect(found.content == Data("content".utf8))
        #expect(found == blob)
        let unknown: [String: Any] = ["@type": "blob", "digest": "sha1-AAAAAAAAAAAAAAAAAAAAAAAAAAA="]
        #expect(try database.getBlob(properties: unknown) == nil)
        #expect(try database.getBlob(properties: ["@type": "blob", "digest": "nonsense"]) == nil)
        for bad: [String: Any] in [[:], ["@type": "blob"], ["@type": "blob", "digest": 1], ["digest": digest]] {
            // Unsafe: used by one thread only, while this one waits.
            nonisolated(unsafe) let bad = bad
            let database = database
            #expect(misuse { _ = try? database.getBlob(properties: bad) }?.name == invalidArgument)
        }
        try database.performMaintenance(type: .compact)
        #expect(try database.getBlob(properties: properties) == nil)
    }
}

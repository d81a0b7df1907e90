import CouchbaseLiteSwift
import Foundation
import TestSupport
import Testing

@Suite("Full disks", .enabled(if: SmallDisk.canBeMade, "a small file system cannot be mounted here"))
struct FullDiskTests {
    @Test("saving on a full disk throws an error without losing data, and succeeds when there is free space")
    func full() throws {
        let disk = try #require(SmallDisk())
        let config = DatabaseConfiguration()
        config.directory = disk.url.path
        var database = try Database(name: "db", config: config)
        let ballast = disk.url.path + "/ballast"
        try Data(count: 1 << 20).write(to: URL(fileURLWithPath: ballast))

        func isIntact(_ count: Int) -> Bool {
            database.count == UInt64(count)
                && (0..<count).allSatisfy { database["doc\($0)"]["text"].string == Self.text($0) }
        }
        func save(_ number: Int) throws {
            try database.saveDocument(MutableDocument(id: "doc\(number)").setString(Self.text(number), forKey: "text"))
        }
        var saved = 0
        let error = try #require(thrown { while saved < 10_000 { try save(saved); saved += 1 } })
        #expect(error == ErrorCode(domain: "CouchbaseLite.SQLite", code: 13) || error == .posix(ENOSPC))
        #expect(saved > 10)
        #expect(isIntact(saved))

        // Nothing of a batch that does not fit is stored.
        let batchError = thrown {
            try database.inBatch { for number in saved..<saved + 100 { try save(number) } }
        }
        #expect(batchError != nil)
        #expect(isIntact(saved))
        // The same holds for a blob, and a document with one.
        let blob = Blob(contentType: "text/plain", data: Data(count: 600_000))
        #expect(thrown { try database.saveBlob(blob: blob) } == .posix(ENOSPC))
        #expect(blob.digest == nil)
        for stream in [nil, GeneratedContent(count: 600_000).stream()] {
            let blob = stream.map { Blob(contentType: "t", contentStream: $0) } ?? blob
            let document = MutableDocument(id: "blob").setBlob(blob, forKey: "b")
            #expect(thrown { try database.saveDocument(document) } == .posix(ENOSPC))
        }
        #expect(database.document(withID: "blob") == nil)
        #expect(try FileManager.default.contentsOfDirectory(atPath: disk.url.path + "/db.cblite2/Attachments") == [])

        try FileManager.default.removeItem(atPath: ballast)
        try save(saved)
        #expect(isIntact(saved + 1))
        try database.saveDocument(MutableDocument(id: "blob").setBlob(blob, forKey: "b"))
        #expect(database["blob"]["b"].blob?.content?.count == 600_000)
        try database.deleteDocument(#require(database.document(withID: "blob")))
        try database.close()
        database = try Database(name: "db", config: config)
        #expect(isIntact(saved + 1))
        try database.performMaintenance(type: .integrityCheck)
    }

    private static func text(_ number: Int) -> String {
        String(repeating: "text \(number) ", count: 1000)
    }
}

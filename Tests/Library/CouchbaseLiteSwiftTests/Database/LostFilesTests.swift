import CouchbaseLiteSwift
import Foundation
import TestSupport
import Testing

@Suite("Open databases whose files are removed")
struct LostFilesTests {
    let folder: DatabaseFolder
    let database: Database

    init() throws {
        folder = try DatabaseFolder()
        database = try folder.open()
        for number in 0..<10 {
            try database.saveDocument(MutableDocument(id: "doc\(number)").setInt(number, forKey: "n"))
        }
    }

    /// The error of the first save.
    private func savingError() -> ErrorCode? {
        thrown { try database.saveDocument(MutableDocument(id: "new")) }
    }

    private let expected = ErrorCode.couchbaseLite(CBLError.notWriteable)

    @Test("writing to a database whose files were deleted throws notWriteable and creates no files")
    func deleted() throws {
        try FileManager.default.removeItem(at: folder.bundle())
        #expect(savingError() == expected)
        #expect(thrown { try database.inBatch { Issue.record("a batch began") } } == expected)
        #expect(thrown { try database.performMaintenance(type: .compact) } == expected)
        #expect(thrown { _ = try database.createCollection(name: "new") } == expected)
        let blob = Blob(contentType: "text/plain", data: Data("content".utf8))
        #expect(thrown { try database.saveBlob(blob: blob) } != nil)
        // Files that are still open can be read; nothing crashes.
        _ = database.document(withID: "doc1")
        _ = database.count
        try database.close()
        #expect(try folder.contents == [])
        // The name can be used again.
        let again = try folder.open()
        #expect(again.count == 0)
        try again.saveDocument(MutableDocument(id: "a"))
        try again.close()
        #expect(try folder.problems() == [])
    }

    @Test("a database whose files were replaced by another one does not write into the other one")
    func replaced() throws {
        let other = try folder.open("other")
        try other.saveDocument(MutableDocument(id: "other"))
        try other.close()
        try FileManager.default.moveItem(at: folder.bundle(), to: folder.bundle("moved"))
        try FileManager.default.moveItem(at: folder.bundle("other"), to: folder.bundle())
        #expect(savingError() == expected)
        try database.close()
        let replacing = try folder.open()
        #expect(replacing.count == 1)
        #expect(replacing["other"].exists)
        try replacing.close()
        #expect(try folder.problems() == [])
    }

    @Test("a batch fails if the files are moved during it, and none of its changes are saved")
    func duringBatch() throws {
        let error = thrown {
            try database.inBatch {
                try database.saveDocument(MutableDocument(id: "first"))
                try FileManager.default.moveItem(at: folder.bundle(), to: folder.bundle("moved"))
                try database.saveDocument(MutableDocument(id: "second"))
            }
        }
        #expect(error == expected)
        try database.close()
        let moved = try folder.open("moved")
        #expect(moved.count == 10)
        try moved.close()
        #expect(try folder.problems("moved") == [])
    }

    @Test("a database can be written again when its files are moved back")
    func back() throws {
        try FileManager.default.moveItem(at: folder.bundle(), to: folder.bundle("moved"))
        for _ in 0..<3 { #expect(savingError() == expected) }
        try FileManager.default.moveItem(at: folder.bundle("moved"), to: folder.bundle())
        try database.saveDocument(MutableDocument(id: "new"))
        #expect(database.count == 11)
        try database.close()
        #expect(try folder.problems() == [])
    }

    @Test("compacting a database whose files were replaced does not delete the blobs of the other one")
    func foreignBlobs() throws {
        let other = try folder.open("other")
        let blob = Blob(contentType: "text/plain", data: Data("content".utf8))
        try other.saveDocument(MutableDocument(id: "other").setBlob(blob, forKey: "blob"))
        try other.close()
        try FileManager.default.moveItem(at: folder.bundle(), to: folder.bundle("moved"))
        try FileManager.default.moveItem(at: folder.bundle("other"), to: folder.bundle())
        #expect(thrown { try database.performMaintenance(type: .compact) } == expected)
        try database.close()
        let replacing = try folder.open()
        #expect(replacing.document(withID: "other")?.blob(forKey: "blob")?.content == Data("content".utf8))
        try replacing.close()
        #expect(try folder.problems() == [])
    }

    @Test("a database whose files were deleted can be deleted")
    func deleting() throws {
        try FileManager.default.removeItem(at: folder.bundle())
        let error = thrown { try database.delete() }
        #expect(error == nil || error == .notFound)
        try database.close()
        #expect(try folder.contents == [])
    }
}

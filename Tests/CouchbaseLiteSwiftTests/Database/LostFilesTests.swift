import CouchbaseLiteSwift
import Foundation
import TestSupport
import Testing

@Suite("A database whose files go away while it is open")
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

    /// Saves until that fails, which it does soon: the file system is not asked in every transaction.
    private func savingError() -> ErrorCode? {
        for number in 0..<1_000_000 {
            if let error = thrown({ try database.saveDocument(MutableDocument(id: "new\(number)")) }) { return error }
        }
        return nil
    }

    private let expected = ErrorCode.couchbaseLite(CBLError.notWriteable)

    @Test("refuses to save, says why, and makes no files", .timeLimit(.minutes(1)))
    func deleted() throws {
        try FileManager.default.removeItem(at: folder.bundle())
        #expect(savingError() == expected)
        #expect(thrown { try database.inBatch { Issue.record("a batch began") } } == expected)
        #expect(thrown { try database.performMaintenance(type: .compact) } == expected)
        #expect(thrown { _ = try database.createCollection(name: "new") } == expected)
        let blob = Blob(contentType: "text/plain", data: Data("content".utf8))
        #expect(thrown { try database.saveBlob(blob: blob) } != nil)
        // What is still held open can be read; nothing crashes.
        _ = database.document(withID: "doc1")
        _ = database.count
        try database.close()
        #expect(try folder.contents == [])
        // The name is free again.
        let again = try folder.open()
        #expect(again.count == 0)
        try again.saveDocument(MutableDocument(id: "a"))
        try again.close()
        #expect(try folder.problems() == [])
    }

    @Test("does not write into another one that has been put in its place", .timeLimit(.minutes(1)))
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

    @Test("that was deleted can be deleted")
    func deleting() throws {
        try FileManager.default.removeItem(at: folder.bundle())
        let error = thrown { try database.delete() }
        #expect(error == nil || error == .notFound)
        try database.close()
        #expect(try folder.contents == [])
    }
}

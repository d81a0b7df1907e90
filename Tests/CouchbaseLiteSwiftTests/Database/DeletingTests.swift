import CouchbaseLiteSwift
import Foundation
import Testing

@Suite("Deleted, purged and expiring documents")
struct DeletingTests {
    let folder: DatabaseFolder
    let database: Database
    let collection: Collection

    init() throws {
        folder = try DatabaseFolder()
        database = try folder.open()
        collection = try database.defaultCollection()
    }

    private func document(_ state: StoredState) throws -> MutableDocument {
        let document = MutableDocument(id: "doc").setInt(1, forKey: "n")
        if state == .neverSaved { return document }
        try database.saveDocument(document)
        let read = try #require(database.document(withID: "doc")).toMutable()
        if state == .changed || state == .changedAndDeleted {
            try database.saveDocument(document.setInt(2, forKey: "n"))
        }
        if state == .deleted || state == .changedAndDeleted { try database.deleteDocument(document) }
        if state == .purged { try database.purgeDocument(withID: "doc") }
        return read
    }

    private enum Outcome: Equatable {
        case deleted(Bool)
        case failed(ErrorCode)
    }

    private func outcome(_ body: () throws -> Bool) -> Outcome {
        var result = false
        if let error = thrown({ result = try body() }) { return .failed(error) }
        return .deleted(result)
    }

    @Test(
        "whether a deletion works depends on what is stored",
        arguments: StoredState.allCases,
        [ConcurrencyControl.lastWriteWins, .failOnConflict]
    )
    func deleting(_ state: StoredState, _ control: ConcurrencyControl) throws {
        for usesOldFunction in [false, true] {
            let document = try document(state)
            let before = (document.revisionID, document.sequence)
            let result = outcome {
                usesOldFunction
                    ? try database.deleteDocument(document, concurrencyControl: control)
                    : try collection.delete(document: document, concurrencyControl: control)
            }
            let makesTombstone: Bool
            switch state {
            case .neverSaved:
                #expect(result == .failed(.notFound))
                makesTombstone = false
            case .unchanged:
                #expect(result == .deleted(true))
                makesTombstone = true
            case .changed:
                #expect(result == .deleted(control == .lastWriteWins))
                makesTombstone = control == .lastWriteWins
            case .deleted, .changedAndDeleted:
                #expect(result == .deleted(true))
                makesTombstone = false
            case .purged:
                #expect(result == (usesOldFunction ? .deleted(true) : .failed(.notFound)))
                makesTombstone = false
            }
            #expect((document.sequence > before.1) == makesTombstone)
            #expect((document.revisionID != before.0) == makesTombstone)
            #expect(document.int(forKey: "n") == 1, "the object keeps its contents")
            #expect(collection["doc"].exists == (state == .changed && !makesTombstone))
            if state != .neverSaved, state != .purged { try collection.purge(id: "doc") }
        }
    }

    @Test("a deletion without a word on conflicts lets the last write win")
    func plainDeletion() throws {
        let stale = try document(.changed)
        try collection.delete(document: stale)
        #expect(collection.count == 0)
        try collection.delete(document: stale)
        try database.deleteDocument(stale)
        #expect(stale.revisionID?.hasPrefix("3-") == true, "a tombstone is not deleted again")
    }

    @Test("saving revives a deleted document")
    func revival() throws {
        let document = try document(.unchanged)
        try collection.delete(document: document)
        #expect(try collection.save(document: document, concurrencyControl: .failOnConflict))
        #expect(document.revisionID?.hasPrefix("3-") == true)
        #expect(collection["doc"]["n"].int == 1)
        try collection.delete(document: try #require(try collection.document(id: "doc")))
        #expect(collection.count == 0)
    }

    @Test("a purged document leaves nothing, and is like a new one")
    func purging() throws {
        let document = try document(.unchanged)
        try collection.purge(document: document)
        #expect(document.revisionID == nil)
        #expect(document.sequence == 0)
        #expect(!collection["doc"].exists)
        #expect(thrown { try collection.purge(document: document) } == .notFound)
        #expect(thrown { try collection.purge(id: "doc") } == .notFound)
        #expect(thrown { try database.purgeDocument(withID: "never") } == .notFound)
        #expect(thrown { try database.purgeDocument(MutableDocument(id: "doc")) } == .notFound)
        #expect(thrown { try collection.delete(document: document) } == .notFound)
        #expect(try collection.save(document: document, concurrencyControl: .failOnConflict))
        #expect(document.revisionID?.hasPrefix("1-") == true)
        #expect(document.sequence == 2, "numbers are not given twice")
    }

    @Test("tombstones can be purged too")
    func purgingTombstones() throws {
        let document = try document(.unchanged)
        try collection.delete(document: document)
        try collection.purge(id: "doc")
        #expect(thrown { try collection.purge(id: "doc") } == .notFound)
        try database.close()
        #expect(try folder.problems() == [])
    }

    // MARK: Expiration

    @Test("an expiration is kept to the millisecond, without a new revision, also over a save and a reopening")
    func expiration() throws {
        let date = Date(timeIntervalSince1970: 4_102_444_800.123)
        let document = try document(.unchanged)
        let revision = document.revisionID
        try database.setDocumentExpiration(withID: "doc", expiration: date)
        let read = try #require(database.document(withID: "doc"))
        #expect(read.revisionID == revision)
        #expect(read.sequence == document.sequence)
        try database.saveDocument(document.setInt(2, forKey: "n"))
        try database.close()
        let again = try folder.open()
        let stored = try #require(again.getDocumentExpiration(withID: "doc"))
        #expect(abs(stored.timeIntervalSince(date)) < 0.0005)
        #expect(try again.defaultCollection().getDocumentExpiration(id: "doc") == stored)
        try again.setDocumentExpiration(withID: "doc", expiration: nil)
        #expect(again.getDocumentExpiration(withID: "doc") == nil)
        try again.setDocumentExpiration(withID: "doc", expiration: .distantFuture)
        #expect(again.getDocumentExpiration(withID: "doc") == .distantFuture)
    }

    @Test("of a document that is not there no expiration can be set, and none is read")
    func expirationOfNothing() throws {
        #expect(thrown { try database.setDocumentExpiration(withID: "x", expiration: .distantFuture) } == .notFound)
        #expect(thrown { try database.setDocumentExpiration(withID: "x", expiration: nil) } == .notFound)
        #expect(database.getDocumentExpiration(withID: "x") == nil)
        #expect(try collection.getDocumentExpiration(id: "x") == nil)
    }

    @Test(
        "no date is too strange to be an expiration",
        arguments: [Double.nan, .infinity, -.infinity, .greatestFiniteMagnitude, 1e15]
    )
    func strangeDates(_ seconds: Double) throws {
        _ = try document(.unchanged)
        // What has expired is purged as soon as it is committed.
        try database.inBatch {
            try database.setDocumentExpiration(withID: "doc", expiration: Date(timeIntervalSince1970: seconds))
            _ = database.getDocumentExpiration(withID: "doc")
            try database.setDocumentExpiration(withID: "doc", expiration: nil)
        }
        #expect(database.getDocumentExpiration(withID: "doc") == nil)
    }
}

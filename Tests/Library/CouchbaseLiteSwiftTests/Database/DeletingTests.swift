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
        "the result of a deletion depends on the stored state of the document",
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
            // The object gets the revision of another writer's tombstone, and creates none.
            let becomesTombstone: Bool
            switch state {
            case .neverSaved:
                #expect(result == .failed(.notFound))
                becomesTombstone = false
            case .unchanged:
                #expect(result == .deleted(true))
                becomesTombstone = true
            case .changed, .deleted, .changedAndDeleted:
                #expect(result == .deleted(control == .lastWriteWins))
                becomesTombstone = control == .lastWriteWins
            case .purged:
                #expect(result == (usesOldFunction ? .deleted(true) : .failed(.notFound)))
                becomesTombstone = false
            }
            #expect((document.sequence > before.1) == becomesTombstone)
            #expect((document.revisionID != before.0) == becomesTombstone)
            #expect(document.int(forKey: "n") == 1, "the object keeps its contents")
            #expect(collection["doc"].exists == (state == .changed && !becomesTombstone))
            if state != .neverSaved, state != .purged { try collection.purge(id: "doc") }
        }
    }

    @Test("a deletion without a concurrency control uses lastWriteWins")
    func plainDeletion() throws {
        let stale = try document(.changed)
        try collection.delete(document: stale)
        #expect(collection.count == 0)
        try collection.delete(document: stale)
        try database.deleteDocument(stale)
        #expect(stale.revisionID?.hasPrefix("5-") == true)
    }

    @Test(
        "deleting a document twice through one object creates two tombstones",
        arguments: [ConcurrencyControl.lastWriteWins, .failOnConflict, nil]
    )
    func deletingTwice(_ control: ConcurrencyControl?) throws {
        func delete(_ document: Document) throws -> Bool {
            if let control { return try collection.delete(document: document, concurrencyControl: control) }
            try collection.delete(document: document)
            return true
        }
        for isMutable in [true, false] {
            let first = collection.database.count
            let saved = MutableDocument(id: "twice")
            try collection.save(document: saved)
            let begin = saved.sequence
            let document: Document = isMutable ? saved : try #require(try collection.document(id: "twice"))
            #expect(try delete(document))
            #expect(document.sequence == begin + 1)
            #expect(try delete(document))
            #expect(document.sequence == begin + 2 && document.revisionID?.hasPrefix("3-") == true)
            #expect(collection.count == first && collection["twice"].document == nil)
            // Saving the object again restores the document.
            #expect(try collection.save(document: document.toMutable(), concurrencyControl: .failOnConflict))
            try collection.purge(id: "twice")
        }
        try database.close()
        #expect(try folder.problems() == [])
    }

    @Test("deleting through a stale object adopts an existing tombstone without creating another")
    func deletingWhatIsDeleted() throws {
        let document = MutableDocument(id: "doc")
        try collection.save(document: document)
        let stale = try #require(try collection.document(id: "doc"))
        let other = try #require(try collection.document(id: "doc"))
        try collection.delete(document: document)
        #expect(try !collection.delete(document: stale, concurrencyControl: .failOnConflict))
        #expect(stale.sequence == 1)
        #expect(try collection.delete(document: stale, concurrencyControl: .lastWriteWins))
        #expect(stale.revisionID == document.revisionID && stale.sequence == document.sequence)
        try database.deleteDocument(other)
        #expect(other.revisionID == document.revisionID)
        // The object now has its own revision.
        #expect(try collection.delete(document: stale, concurrencyControl: .failOnConflict))
        #expect(stale.sequence == 3)
    }

    @Test("saving a deleted document restores it")
    func revival() throws {
        let document = try document(.unchanged)
        try collection.delete(document: document)
        #expect(try collection.save(document: document, concurrencyControl: .failOnConflict))
        #expect(document.revisionID?.hasPrefix("3-") == true)
        #expect(collection["doc"]["n"].int == 1)
        try collection.delete(document: try #require(try collection.document(id: "doc")))
        #expect(collection.count == 0)
    }

    @Test("a purged document cannot be found, and is saved as a new one")
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

    @Test("tombstones can be purged")
    func purgingTombstones() throws {
        let document = try document(.unchanged)
        try collection.delete(document: document)
        try collection.purge(id: "doc")
        #expect(thrown { try collection.purge(id: "doc") } == .notFound)
        try database.close()
        #expect(try folder.problems() == [])
    }

    // MARK: Expiration

    @Test("an expiration is kept to the millisecond without a new revision, also after saving and reopening")
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

    @Test("setting the expiration of a missing document throws notFound, and reading it returns nil")
    func expirationOfNothing() throws {
        #expect(thrown { try database.setDocumentExpiration(withID: "x", expiration: .distantFuture) } == .notFound)
        #expect(thrown { try database.setDocumentExpiration(withID: "x", expiration: nil) } == .notFound)
        #expect(database.getDocumentExpiration(withID: "x") == nil)
        #expect(try collection.getDocumentExpiration(id: "x") == nil)
    }

    @Test("any date is accepted as an expiration", arguments: [Double.nan, .infinity, -.infinity, .greatestFiniteMagnitude, 1e15])
    func strangeDates(_ seconds: Double) throws {
        _ = try document(.unchanged)
        // An expired document is purged as soon as the expiration is committed.
        try database.inBatch {
            try database.setDocumentExpiration(withID: "doc", expiration: Date(timeIntervalSince1970: seconds))
            _ = database.getDocumentExpiration(withID: "doc")
            try database.setDocumentExpiration(withID: "doc", expiration: nil)
        }
        #expect(database.getDocumentExpiration(withID: "doc") == nil)
    }
}

import Foundation
import Testing

@testable import CouchbaseLiteSwift

/// If documents saved in a failed batch kept revisions that are not stored, the next save of each of them would be a conflict.
@Suite("Documents saved in failed batches")
struct RolledBackDocumentTests {
    let folder: DatabaseFolder
    let database: Database

    init() throws {
        folder = try DatabaseFolder()
        database = try folder.open()
    }

    /// Runs `block` in a batch that fails at its end.
    private func failingBatch(_ block: () throws -> Void) {
        let error = thrown {
            try database.inBatch {
                try block()
                throw POSIXError(.EIO)
            }
        }
        #expect(error == .couchbaseLite(CBLError.unexpectedError))
    }

    @Test("a new document saved in a failed batch is new again and can be saved")
    func new() throws {
        let document = MutableDocument(id: "a").setInt(1, forKey: "n")
        failingBatch {
            for _ in 0..<2 { try database.saveDocument(document) }
            #expect(document.revisionID?.hasPrefix("2-") == true)
        }
        #expect(document.revisionID == nil)
        #expect(document.sequence == 0)
        #expect(document.collection == nil)
        #expect(document.int(forKey: "n") == 1)
        #expect(document.toMutable()._getRevisionHistory() == nil)
        #expect(try database.saveDocument(document, concurrencyControl: .failOnConflict))
        #expect(document.revisionID?.hasPrefix("1-") == true)
        #expect(document.sequence == 1)
    }

    @Test("a document saved in a failed batch has its previous revision and can be saved again")
    func saved() throws {
        let document = MutableDocument(id: "a")
        try database.saveDocument(document)
        let (revision, sequence) = (document.revisionID, document.sequence)
        for number in 0..<3 {
            failingBatch {
                try database.saveDocument(document.setInt(number, forKey: "n"))
                try database.inBatch { try database.saveDocument(document) }
            }
            #expect(document.revisionID == revision)
            #expect(document.sequence == sequence)
            #expect(document.collection != nil)
        }
        #expect(try database.saveDocument(document, concurrencyControl: .failOnConflict))
        #expect(database["a"]["n"].int == 2)
    }

    @Test("a document saved in a failed batch can be saved inside the next batch")
    func nextBatch() throws {
        let document = MutableDocument(id: "a")
        try database.saveDocument(document)
        failingBatch { try database.saveDocument(document) }
        try database.inBatch {
            let isSaved = try database.saveDocument(document, concurrencyControl: .failOnConflict)
            #expect(isSaved)
        }
        #expect(document.revisionID?.hasPrefix("2-") == true)
        failingBatch { try database.saveDocument(document) }
        #expect(document.revisionID?.hasPrefix("2-") == true)
    }

    @Test("a document saved in a committed batch keeps its revision when a later batch fails")
    func committed() throws {
        let document = MutableDocument(id: "a")
        try database.inBatch { try database.saveDocument(document) }
        failingBatch {}
        #expect(document.revisionID?.hasPrefix("1-") == true)
        #expect(try database.saveDocument(document, concurrencyControl: .failOnConflict))
    }

    @Test("a document deleted or purged in a failed batch has its previous revision and can be saved", arguments: [false, true])
    func removed(isPurged: Bool) throws {
        let document = MutableDocument(id: "a")
        try database.saveDocument(document)
        let revision = document.revisionID
        failingBatch {
            if isPurged { try database.purgeDocument(document) } else { try database.deleteDocument(document) }
            #expect(document.revisionID != revision)
        }
        #expect(document.revisionID == revision)
        #expect(try database.saveDocument(document, concurrencyControl: .failOnConflict))
    }

    @Test("a mutable copy of a document deleted in a failed batch has the previous revision")
    func copies() throws {
        let document = MutableDocument(id: "a")
        try database.saveDocument(document)
        let stored = try #require(database.document(withID: "a"))
        failingBatch { try database.deleteDocument(stored) }
        #expect(stored.toMutable().revisionID == document.revisionID)
        #expect(try database.deleteDocument(stored, concurrencyControl: .failOnConflict))
    }
}

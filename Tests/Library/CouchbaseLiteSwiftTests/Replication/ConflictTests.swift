#if Replication
import DocumentStore
import Foundation
import Replication
import TestSupport
import TestTraits
import Testing

@testable import CouchbaseLiteSwift

@Suite("Stored conflicts", .ownThreads)
struct StoredConflictTests {
    let folder: DatabaseFolder
    let collection: CouchbaseLiteSwift.Collection
    let documents: ConflictedDocuments

    init() throws {
        folder = try DatabaseFolder()
        collection = try folder.open().defaultCollection()
        documents = ConflictedDocuments(collection: collection)
    }

    @Test("a collection lists its conflicts, each with the local, the remote and the base version")
    func listing() throws {
        #expect(try collection.conflictedDocumentIDs().isEmpty)
        try documents.make("a")
        try documents.make("b", local: nil)
        try documents.make("c", remote: nil)
        #expect(try collection.conflictedDocumentIDs() == ["a", "b", "c"])
        let conflict = try #require(try collection.conflict(id: "a"))
        #expect(conflict.documentID == "a")
        #expect(conflict.localDocument?.string(forKey: "from") == "local")
        #expect(conflict.remoteDocument?.string(forKey: "from") == "remote")
        #expect(conflict.baseDocument?.string(forKey: "from") == "base")
        #expect(conflict.localDocument?.collection === collection)
        #expect(conflict.remoteDocument?.revisionID == "2-ffffffffffffffffffffffffffffffff")
        #expect(try collection.conflict(id: "b")?.localDocument == nil)
        #expect(try collection.conflict(id: "c")?.remoteDocument == nil)
        #expect(try collection.conflict(id: "none") == nil)
        // Until the conflict is resolved, the document is unchanged.
        #expect(try documents.winner("a") == "local")
    }

    @Test("another database object lists the committed conflicts inside a batch, also on the same thread and without an index")
    func otherBatch() throws {
        let theirs = try folder.open().defaultCollection()
        try documents.make("a")
        try collection.database.inBatch {
            try collection.resolveConflict(id: "a") { $0.localDocument }
            try documents.make("b")
            #expect(try theirs.conflictedDocumentIDs() == ["a"])
            #expect(try theirs.conflict(id: "a") != nil)
            #expect(try theirs.conflict(id: "b") == nil)
            #expect(try collection.conflictedDocumentIDs() == ["b"])
        }
        #expect(try theirs.conflictedDocumentIDs() == ["b"])
    }

    @Test("the default resolver prefers a deletion, then the higher generation, then the greater revision ID")
    func defaultResolver() throws {
        let resolver = ConflictResolver.default
        func resolve(_ id: String) throws -> String? {
            let conflict = try #require(try collection.conflict(id: id))
            return resolver.resolve(conflict: conflict)?.string(forKey: "from")
        }
        try documents.make("equal")
        #expect(try resolve("equal") == "remote")
        try documents.make("longer there", remoteGeneration: 5)
        #expect(try resolve("longer there") == "remote")
        try documents.make("deleted here", local: nil)
        #expect(try resolve("deleted here") == nil)
        try documents.make("deleted there", remote: nil, remoteGeneration: 9)
        #expect(try resolve("deleted there") == nil)
        try documents.make("longer here")
        let document = try #require(try collection.document(id: "longer here")).toMutable()
        try collection.save(document: document)
        #expect(try resolve("longer here") == "local")
    }

    @Test("a conflict is resolved with the local or the remote version", arguments: ["local", "remote"])
    func version(_ side: String) throws {
        try documents.make("x")
        let isResolved = try collection.resolveConflict(id: "x") {
            side == "local" ? $0.localDocument : $0.remoteDocument
        }
        #expect(isResolved)
        #expect(try documents.winner("x") == side)
        #expect(try collection.conflictedDocumentIDs().isEmpty)
        // The remote revision is not pushed again; the local revision follows it.
        let revision = try #require(try collection.document(id: "x")?.revisionID)
        #expect(side == "remote" ? revision == "2-ffffffffffffffffffffffffffffffff" : revision.hasPrefix("3-"))
        #expect(try folder.problems().isEmpty)
    }

    @Test("resolving a conflict with nil deletes the document")
    func deletion() throws {
        try documents.make("x")
        try collection.resolveConflict(id: "x") { _ in nil }
        #expect(try collection.document(id: "x") == nil)
        #expect(try collection.conflictedDocumentIDs().isEmpty)
    }

    @Test("a merged document may contain blobs of either version and new blobs")
    func merging() throws {
        let database = collection.database
        let blob = Blob(contentType: "text/plain", data: Data("mine".utf8))
        try database.saveBlob(blob: blob)
        let json = blob.toJSON()
        try documents.make("x", local: #"{"from":"local","mine":\#(json)}"#)
        try collection.resolveConflict(id: "x") { conflict in
            let merged = try #require(conflict.remoteDocument).toMutable()
            merged.setString("both", forKey: "from")
            merged.setBlob(conflict.localDocument?.blob(forKey: "mine"), forKey: "mine")
            merged.setBlob(Blob(contentType: "text/plain", data: Data("new".utf8)), forKey: "new")
            return merged
        }
        let document = try #require(try collection.document(id: "x"))
        #expect(document.string(forKey: "from") == "both")
        #expect(document.blob(forKey: "mine")?.content == Data("mine".utf8))
        #expect(document.blob(forKey: "new")?.content == Data("new".utf8))
        #expect(document.revisionID?.hasPrefix("3-") == true)
        try database.performMaintenance(type: .compact)
        #expect(document.blob(forKey: "mine")?.content == Data("mine".utf8))
        #expect(try folder.problems().isEmpty)
    }

    @Test("properties of a resolved document with another ID are saved under the ID of the conflict")
    func otherID() throws {
        try documents.make("x")
        try collection.resolveConflict(id: "x") { _ in
            MutableDocument(id: "y").setString("other", forKey: "from")
        }
        #expect(try documents.winner("x") == "other")
        #expect(try collection.document(id: "y") == nil)
    }

    @Test("a conflict cannot be resolved with a document of another collection")
    func otherCollection() throws {
        let other = try collection.database.createCollection(name: "other")
        let document = MutableDocument(id: "x").setString("other", forKey: "from")
        try other.save(document: document)
        try documents.make("x")
        let code = thrown { try collection.resolveConflict(id: "x") { _ in document } }
        #expect(code == .couchbaseLite(CBLError.conflict))
        #expect(try collection.conflictedDocumentIDs() == ["x"])
        #expect(try documents.winner("x") == "local")
    }

    @Test("a conflict stays when its resolver throws an error")
    func throwing() throws {
        struct NoIdea: Error {}
        try documents.make("x")
        #expect(thrown { try collection.resolveConflict(id: "x") { _ in throw NoIdea() } } != nil)
        #expect(try collection.conflictedDocumentIDs() == ["x"])
    }

    @Test("an outdated conflict is not resolved, and its resolver is called again with the current version")
    func obsolete() throws {
        try documents.make("x")
        let conflict = try #require(try collection.conflict(id: "x"))
        let document = try #require(try collection.document(id: "x")).toMutable()
        try collection.save(document: document.setString("later", forKey: "from"))
        #expect(try !collection.resolve(conflict: conflict, with: conflict.localDocument))
        #expect(try documents.winner("x") == "later")
        var seen: [String?] = []
        try collection.resolveConflict(id: "x") { conflict in
            if seen.isEmpty {
                try collection.save(document: document.setString("latest", forKey: "from"))
            }
            seen.append(conflict.localDocument?.string(forKey: "from"))
            return conflict.localDocument
        }
        #expect(seen == ["later", "latest"])
        #expect(try documents.winner("x") == "latest")
    }

    @Test("resolveConflict returns false for a document without a conflict")
    func noConflict() throws {
        #expect(try !collection.resolveConflict(id: "none") { _ in nil })
    }
}
#endif

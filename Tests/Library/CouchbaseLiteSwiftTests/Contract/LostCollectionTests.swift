import CouchbaseLiteSwift
import Foundation
import TestSupport
import Testing

@Suite("Collections deleted by another process")
struct LostCollectionTests {
    let folder: DatabaseFolder
    let database: Database
    let collection: Collection
    let document: MutableDocument

    init() throws {
        folder = try DatabaseFolder()
        database = try folder.open()
        collection = try database.createCollection(name: "things")
        document = MutableDocument(id: "a")
        try collection.save(document: document)
        try collection.createIndex(withName: "index", config: ValueIndexConfiguration(["n"]))
        let result = try ProcessRunner(product: "DatabaseWriter").run([
            folder.path, "db", "delete-collection", "things",
        ])
        #expect(result.ending == .exited(0), "\(result.errorOutput)")
    }

    private func checkUseless() {
        #expect(collection.count == 0)
        #expect(!collection["a"].exists)
        let functions: [(String, () throws -> Void)] = [
            ("document", { _ = try collection.document(id: "a") }),
            ("save", { try collection.save(document: MutableDocument(id: "b")) }),
            ("save again", { try collection.save(document: document) }),
            ("save with control", { try collection.save(document: document, concurrencyControl: .failOnConflict) }),
            ("save with handler", { try collection.save(document: document) { _, _ in true } }),
            ("delete", { try collection.delete(document: document) }),
            ("purge", { try collection.purge(document: document) }),
            ("purge by ID", { try collection.purge(id: "a") }),
            ("set expiration", { try collection.setDocumentExpiration(id: "a", expiration: Date()) }),
            ("get expiration", { _ = try collection.getDocumentExpiration(id: "a") }),
            ("indexes", { _ = try collection.indexes() }),
            ("index", { _ = try collection.index(withName: "index") }),
            ("create index", { try collection.createIndex(withName: "more", config: ValueIndexConfiguration(["m"])) }),
            (
                "create the builder's index",
                {
                    try collection.createIndex(IndexBuilder.valueIndex(items: ValueIndexItem.property("m")), name: "more")
                }
            ),
            ("delete index", { try collection.deleteIndex(forName: "index") }),
        ]
        for (name, function) in functions { #expect(thrown(function) == .notOpen, "\(name)") }
    }

    @Test("a collection deleted by another process throws notOpen, and the database does not contain it")
    func useless() throws {
        checkUseless()
        #expect(try database.collection(name: "things") == nil)
        #expect(try database.collections().map(\.name) == ["_default"])
        // The rest of the database is unchanged.
        try database.saveDocument(MutableDocument(id: "c"))
        try database.close()
        #expect(try folder.problems() == [])
    }

    @Test("an object of a deleted collection remains unusable after the collection is created again")
    func recreated() throws {
        let recreated = try database.createCollection(name: "things")
        #expect(recreated.count == 0)
        #expect(recreated != collection)
        #expect(try recreated.indexes() == [])
        checkUseless()
        try recreated.save(document: MutableDocument(id: "a"))
        #expect(recreated.count == 1)
        #expect(try database.collection(name: "things") == recreated)
        try database.close()
        #expect(try folder.problems() == [])
    }
}

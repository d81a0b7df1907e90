import CouchbaseLiteSwift
import Foundation
import Testing

@Suite("Scopes and collections")
struct CollectionTests {
    let folder: DatabaseFolder
    let database: Database

    init() throws {
        folder = try DatabaseFolder()
        database = try folder.open()
    }

    // MARK: The default ones

    @Test("the default scope and collection always exist")
    func defaults() throws {
        #expect(Database.defaultScopeName == "_default")
        #expect(Scope.defaultScopeName == "_default")
        #expect(Collection.defaultCollectionName == "_default")
        let collection = try database.defaultCollection()
        #expect(collection.name == "_default")
        #expect(collection.fullName == "_default._default")
        #expect(collection.scope.name == "_default")
        #expect(collection.database === database)
        #expect(try database.createCollection(name: "_default") == collection)
        #expect(try database.collection(name: "_default", scope: "_default") == collection)
        #expect(try database.defaultScope().collection(name: "_default") == collection)
        #expect(try database.collections().map(\.fullName) == ["_default._default"])
        #expect(try database.scopes().map(\.name) == ["_default"])
    }

    @Test("the default collection cannot be deleted, and its name cannot be used in another scope")
    func deletingDefault() throws {
        try database.saveDocument(MutableDocument(id: "a"))
        #expect(thrown { try database.deleteCollection(name: "_default") } == .invalidParameter)
        #expect(thrown { _ = try database.createCollection(name: "_default", scope: "other") } == .invalidParameter)
        #expect(database.count == 1)
    }

    @Test("the functions of a database use its default collection")
    func oldFunctions() throws {
        let collection = try database.defaultCollection()
        try collection.save(document: MutableDocument(id: "a").setInt(1, forKey: "n"))
        #expect(database["a"]["n"].int == 1)
        try database.saveDocument(MutableDocument(id: "b"))
        #expect(collection.count == 2)
        #expect(collection["b"].exists)
    }

    // MARK: Names

    @Test(
        "names of collections consist of letters, digits, underscore, dash and percent",
        arguments: ["a", "Z9", "a_b-c%d", "0", "-", String(repeating: "n", count: 251)]
    )
    func goodNames(_ name: String) throws {
        let collection = try database.createCollection(name: name, scope: name)
        #expect(collection.name == name)
        #expect(collection.scope.name == name)
        #expect(collection.fullName == "\(name).\(name)")
        try collection.save(document: MutableDocument(id: "a"))
        try database.close()
        let again = try folder.open()
        #expect(try again.collection(name: name, scope: name)?.count == 1)
    }

    @Test(
        "invalid names of collections and scopes are refused",
        arguments: ["", "_a", "%a", "a b", "a.b", "ä", "a\0", "a/b", "a\"", String(repeating: "n", count: 252)]
    )
    func badNames(_ name: String) throws {
        #expect(thrown { _ = try database.createCollection(name: name) } == .invalidParameter)
        #expect(thrown { _ = try database.createCollection(name: "a", scope: name) } == .invalidParameter)
        #expect(thrown { _ = try database.collection(name: name) } == .invalidParameter)
        #expect(thrown { try database.deleteCollection(name: name) } == .invalidParameter)
        #expect(try database.collections().count == 1)
    }

    @Test("names of collections and scopes are case-sensitive")
    func caseSensitive() throws {
        let names = ["people", "People", "PEOPLE"]
        for name in names {
            try database.createCollection(name: name, scope: "S").save(document: MutableDocument(id: name))
            try database.createCollection(name: "c", scope: name).save(document: MutableDocument(id: "in \(name)"))
        }
        for name in names {
            let collection = try #require(try database.collection(name: name, scope: "S"))
            #expect(collection.count == 1)
            #expect(collection[name].exists)
            #expect(try database.collection(name: "c", scope: name)?["in \(name)"].exists == true)
        }
        #expect(try database.collection(name: "peoplE", scope: "S") == nil)
        #expect(try database.collections(scope: "S").map(\.name) == ["PEOPLE", "People", "people"])
    }

    // MARK: Listing

    @Test("a scope exists as long as it has a collection")
    func scopes() throws {
        #expect(try database.scope(name: "travel") == nil)
        #expect(try database.collections(scope: "travel").isEmpty)
        let hotels = try database.createCollection(name: "hotels", scope: "travel")
        _ = try database.createCollection(name: "airports", scope: "travel")
        _ = try database.createCollection(name: "plain")
        #expect(try database.scopes().map(\.name) == ["_default", "travel"])
        let scope = try #require(try database.scope(name: "travel"))
        #expect(scope.database === database)
        #expect(try scope.collections().map(\.name) == ["airports", "hotels"])
        #expect(try scope.collection(name: "hotels") == hotels)
        #expect(try scope.collection(name: "plain") == nil)
        #expect(try database.collections().map(\.name) == ["_default", "plain"])
        #expect(try database.collections(scope: nil).map(\.name) == ["_default", "plain"])
        try database.deleteCollection(name: "hotels", scope: "travel")
        try database.deleteCollection(name: "airports", scope: "travel")
        #expect(try database.scopes().map(\.name) == ["_default"])
        #expect(try database.scope(name: "travel") == nil)
        #expect(try scope.collections().isEmpty)
    }

    @Test("creating an existing collection returns it with its documents")
    func createTwice() throws {
        let first = try database.createCollection(name: "things")
        try first.save(document: MutableDocument(id: "a"))
        let second = try database.createCollection(name: "things")
        #expect(second == first)
        #expect(second.count == 1)
    }

    @Test("collections have separate documents and sequences")
    func apart() throws {
        let one = try database.createCollection(name: "one")
        let two = try database.createCollection(name: "two")
        let document = MutableDocument(id: "a").setInt(1, forKey: "n")
        try one.save(document: document)
        let other = MutableDocument(id: "a").setInt(2, forKey: "n")
        try two.save(document: other)
        #expect(one["a"]["n"].int == 1)
        #expect(two["a"]["n"].int == 2)
        #expect([document.sequence, other.sequence] == [1, 1])
        #expect(document.collection == one)
        try one.delete(document: document)
        #expect(two.count == 1)
        #expect(database.count == 0)
    }

    // MARK: Equality

    @Test("collections of the same name, scope and file are equal")
    func equality() throws {
        let first = try database.createCollection(name: "c", scope: "s")
        let second = try #require(try database.collection(name: "c", scope: "s"))
        let elsewhere = try #require(try folder.open().collection(name: "c", scope: "s"))
        #expect(first == second)
        #expect(first == elsewhere)
        #expect(Set([first, second, elsewhere]).count == 1)
        #expect(try first != database.createCollection(name: "d", scope: "s"))
        #expect(try first != database.createCollection(name: "c"))
        #expect(try first != folder.open("other").createCollection(name: "c", scope: "s"))
    }

    // MARK: Deleting

    @Test(
        "objects of a deleted collection throw an error or return empty values, also after it is created again",
        arguments: [false, true]
    )
    func deleting(throughAnotherObject: Bool) throws {
        let collection = try database.createCollection(name: "things")
        let twin = try #require(try database.collection(name: "things"))
        let document = MutableDocument(id: "a")
        try collection.save(document: document)
        if throughAnotherObject {
            try folder.open().deleteCollection(name: "things")
        } else {
            try database.deleteCollection(name: "things")
        }
        for object in [collection, twin] { try checkUseless(object, document) }
        #expect(collection != twin)
        #expect(collection == collection)
        #expect(try database.collection(name: "things") == nil)
        #expect(try database.collections().count == 1)

        let recreated = try database.createCollection(name: "things")
        #expect(recreated.count == 0)
        #expect(recreated != collection)
        try checkUseless(collection, document)
        let fresh = MutableDocument(id: "a")
        try recreated.save(document: fresh)
        #expect(recreated.count == 1)
        #expect(fresh.sequence == 2, "numbers are not given twice")
        try database.close()
        #expect(try folder.problems() == [])
    }

    private func checkUseless(_ collection: Collection, _ document: MutableDocument) throws {
        #expect(collection.count == 0)
        #expect(!collection["a"].exists)
        let throwing: [() throws -> Void] = [
            { _ = try collection.document(id: "a") },
            { try collection.save(document: MutableDocument(id: "b")) },
            { try collection.save(document: document) },
            { try collection.save(document: document, concurrencyControl: .failOnConflict) },
            { try collection.save(document: document) { _, _ in true } },
            { try collection.delete(document: document) },
            { try collection.purge(document: document) },
            { try collection.purge(id: "a") },
            { try collection.setDocumentExpiration(id: "a", expiration: Date()) },
            { _ = try collection.getDocumentExpiration(id: "a") },
            { _ = try collection.indexes() },
        ]
        for (index, body) in throwing.enumerated() { #expect(thrown(body) == .notOpen, "\(index)") }
        collection.addChangeListener { _ in Issue.record("a listener of a deleted collection was called") }.remove()
        #expect(collection.database === database)
        #expect(collection.fullName == "_default.things")
    }

    @Test("deleting a collection that does not exist is no error")
    func deletingNothing() throws {
        try database.deleteCollection(name: "things")
        try database.deleteCollection(name: "things", scope: "nowhere")
    }

    // MARK: In batches

    @Test("a collection created in a failed batch does not exist afterwards")
    func creationRolledBack() throws {
        struct Oops: Error {}
        var made: Collection?
        #expect(throws: NSError.self) {
            try database.inBatch {
                let collection = try database.createCollection(name: "things")
                try collection.save(document: MutableDocument(id: "a"))
                made = collection
                throw Oops()
            }
        }
        let collection = try #require(made)
        #expect(thrown { try collection.save(document: MutableDocument(id: "b")) } == .notOpen)
        #expect(try database.collection(name: "things") == nil)
        let again = try database.createCollection(name: "things")
        try again.save(document: MutableDocument(id: "a"))
        #expect(again.count == 1)
        #expect(collection.count == 0)
    }

    @Test("a collection deleted in a failed batch exists afterwards with its documents")
    func deletionRolledBack() throws {
        struct Oops: Error {}
        let collection = try database.createCollection(name: "things")
        try collection.save(document: MutableDocument(id: "a"))
        #expect(throws: NSError.self) {
            try database.inBatch {
                try database.deleteCollection(name: "things")
                #expect(collection.count == 0)
                let recreated = try database.createCollection(name: "things")
                try recreated.save(document: MutableDocument(id: "b"))
                try database.deleteCollection(name: "things")
                throw Oops()
            }
        }
        #expect(collection.count == 1)
        let document = MutableDocument(id: "c")
        try collection.save(document: document)
        #expect(document.sequence == 2)
        #expect(try database.collection(name: "things") == collection)
    }

    @Test("a collection created in a batch is visible to other threads after the commit")
    func creationInBatch() throws {
        let database = database
        var made: Collection?
        try database.inBatch {
            let collection = try database.createCollection(name: "things")
            try collection.save(document: MutableDocument(id: "a"))
            let isSeen = try onOtherThread { try database.collection(name: "things") != nil }
            #expect(!isSeen)
            #expect(try onOtherThread { thrown { _ = try collection.document(id: "a") } } == .notOpen)
            try collection.save(document: MutableDocument(id: "b"))
            made = collection
        }
        #expect(made?.count == 2)
        #expect(try onOtherThread { try database.collection(name: "things")?.count } == 2)
    }
}

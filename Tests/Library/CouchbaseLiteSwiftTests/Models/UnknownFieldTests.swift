import Foundation
import TestSupport
import Testing

@testable import CouchbaseLiteSwift

@Suite("Properties that a model type does not have")
struct UnknownFieldTests {
    let folder: DatabaseFolder
    let database: Database
    let collection: Collection
    let notes: ModelCollection<Note>

    init() throws {
        folder = try DatabaseFolder()
        database = try folder.open()
        collection = try database.defaultCollection()
        notes = collection.models()
        let document = MutableDocument(id: "a")
        document.setString("A", forKey: "title").setString("text", forKey: "text").setInt(1, forKey: "visits")
        document.setString("x", forKey: "extra").setValue([1, ["k": 2]], forKey: "list")
        document.setValue(["city": "C", "street": "S", "country": "FR"], forKey: "place")
        document.setBlob(Blob(contentType: "text/plain", data: Data("content".utf8)), forKey: "picture")
        try collection.save(document: document)
    }

    private func stored() throws -> Document { try #require(try collection.document(id: "a")) }

    private func place() throws -> [String: String]? {
        try stored().dictionary(forKey: "place")?.toDictionary() as? [String: String]
    }

    @Test("a save keeps them, at the top level and in structures")
    func kept() throws {
        var note = try #require(try notes.get("a"))
        note.title = "B"
        note.place?.city = "D"
        try notes.save(&note)
        let document = try stored()
        #expect(document.string(forKey: "title") == "B")
        #expect(document.string(forKey: "extra") == "x")
        #expect(document.array(forKey: "list")?.toJSON() == #"[1,{"k":2}]"#)
        #expect(try place() == ["city": "D", "country": "FR", "street": "S"])
        #expect(document.blob(forKey: "picture")?.content == Data("content".utf8))
        try database.performMaintenance(type: .compact)
        #expect(try stored().blob(forKey: "picture")?.content == Data("content".utf8))
        try database.close()
        #expect(try folder.problems() == [])
    }

    @Test("a property that is nil is null, at the top level and in structures, and queries find it")
    func null() throws {
        var note = try #require(try notes.get("a"))
        note.text = nil
        note.place?.street = nil
        try notes.save(&note)
        #expect(try stored().value(forKey: "text") is NSNull)
        let place = try #require(try stored().dictionary(forKey: "place"))
        #expect(place.keys.sorted() == ["city", "country", "street"] && place.value(forKey: "street") is NSNull)
        let query = try database.createQuery("SELECT meta().id FROM \(collection.fullName) WHERE text IS NULL AND place.street IS NULL")
        #expect(try query.execute().allResults().count == 1)
        note.place = nil
        try notes.save(&note)
        #expect(try stored().value(forKey: "place") is NSNull)
        #expect(try stored().string(forKey: "extra") == "x")
        #expect(try notes.get("a")?.place == nil)
    }

    @Test("a value that was not read before also keeps them")
    func unread() throws {
        try notes.save(Note(id: "a", title: "B"))
        #expect(try stored().string(forKey: "title") == "B")
        #expect(try stored().value(forKey: "place") is NSNull)
        #expect(try stored().string(forKey: "extra") == "x")
    }

    @Test("they are removed if the model collection drops them, or by the functions for classes")
    func dropped() throws {
        let dropping = collection.models(Note.self, unknownFields: .drop)
        try dropping.save(try #require(try dropping.get("a")))
        #expect(try stored().contains(key: "extra") == false)
        #expect(try stored().dictionary(forKey: "place")?.contains(key: "country") == false)
        try collection.save(document: try stored().toMutable().setString("x", forKey: "extra"))
        try collection.save(from: Hotel("Ritz", id: "a"))
        #expect(try stored().contains(key: "extra") == false)
    }

    @Test("a conflict changes nothing")
    func conflict() throws {
        var note = try #require(try notes.get("a"))
        try collection.save(document: try stored().toMutable().setString("y", forKey: "extra"))
        let isSaved = try notes.save(&note, concurrencyControl: .failOnConflict)
        #expect(!isSaved)
        #expect(try stored().revisionID?.hasPrefix("2-") == true)
        let resolved = try notes.save(&note) { _, _ in true }
        #expect(resolved)
        #expect(try stored().string(forKey: "extra") == "y")
    }

    @Test("those of a deleted document are not kept")
    func deleted() throws {
        let note = try #require(try notes.get("a"))
        try notes.delete(note)
        try notes.save(note)
        #expect(try stored().contains(key: "extra") == false)
    }

    @Test("they are kept in a batch that has added their keys")
    func batch() throws {
        try database.batch {
            try collection.save(document: try stored().toMutable().setString("n", forKey: "addedInThisBatch"))
            var note = try #require(try notes.get("a"))
            note.title = "B"
            try notes.save(&note)
            try notes.save(&note)
        }
        #expect(try stored().string(forKey: "addedInThisBatch") == "n")
        #expect(try stored().string(forKey: "extra") == "x")
        try database.close()
        #expect(try folder.problems() == [])
    }

    @Test("values without DocumentID keep them too, and do not store their id")
    func identifiable() throws {
        struct Entry: Codable, Identifiable {
            var id: String
            var title: String
        }
        let entries = collection.models(Entry.self)
        try entries.save(Entry(id: "a", title: "B"))
        #expect(try stored().string(forKey: "title") == "B")
        #expect(try stored().string(forKey: "extra") == "x")
        #expect(try stored().string(forKey: "text") == "text")
        #expect(try stored().contains(key: "id") == false)
    }
}

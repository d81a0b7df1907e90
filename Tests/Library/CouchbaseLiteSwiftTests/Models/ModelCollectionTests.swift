import DocumentStore
import Foundation
import Testing

@testable import CouchbaseLiteSwift

/// A model that is a value.
struct Note: Codable, Identifiable, Equatable {
    struct Place: Codable, Equatable {
        var city: String
        var street: String?
    }

    @DocumentID var id: String?
    var title: String
    var text: String?
    var visits = 0
    var written: Date?
    var place: Place?
}

@Suite("Values as documents")
struct ModelCollectionTests {
    let folder: DatabaseFolder
    let database: Database
    let collection: Collection
    let notes: ModelCollection<Note>

    init() throws {
        folder = try DatabaseFolder()
        database = try folder.open()
        collection = try database.createCollection(name: "notes")
        notes = collection.models(Note.self)
    }

    @Test("a saved value is read back as it is after the save")
    func roundTrip() throws {
        var note = Note(title: "A", written: Date(timeIntervalSince1970: 1000.125), place: .init(city: "C"))
        try notes.save(&note)
        let id = try #require(note.id)
        #expect(id.count == 23)
        #expect(try notes.get(id) == note)
        #expect(note.title == "A" && note.place?.city == "C")
        #expect(try collection.document(id: id)?.contains(key: "id") == false)
        note.text = "t"
        try notes.save(&note)
        #expect(note.id == id)
        #expect(try notes.get(id)?.text == "t")
        #expect(try collection.document(id: id)?.revisionID?.hasPrefix("2-") == true)
        #expect(collection.count == 1)
        try database.close()
        #expect(try folder.problems() == [])
    }

    @Test("saving a constant returns the value with its ID, and leaves the constant as it is")
    func constant() throws {
        let note = Note(title: "A")
        let saved = try notes.save(note)
        #expect(note.id == nil)
        let id = try #require(saved.id)
        #expect(try notes.get(id) == saved)
        try notes.save(Note(id: "b", title: "B"))
        #expect(try notes.get("b")?.title == "B")
    }

    @Test("a value has the stored precision of dates after a save")
    func rounded() throws {
        let saved = try notes.save(Note(id: "a", title: "A", written: Date(timeIntervalSince1970: 1.0001)))
        #expect(saved.written == Date(timeIntervalSince1970: 1))
        #expect(try notes.get("a") == saved)
    }

    @Test("a missing or deleted document is nil")
    func missing() throws {
        #expect(try notes.get("a") == nil)
        let note = try notes.save(Note(id: "a", title: "A"))
        try notes.delete(note)
        #expect(try notes.get("a") == nil)
        #expect(note.id == "a")
    }

    @Test("deleting or purging a value without a document throws notFound")
    func deleteMissing() throws {
        #expect(thrown { try notes.delete(Note(title: "A")) } == .notFound)
        #expect(thrown { try notes.purge(Note(title: "A")) } == .notFound)
        #expect(thrown { try notes.delete(Note(id: "a", title: "A")) } == .notFound)
        #expect(thrown { try notes.purge(Note(id: "a", title: "A")) } == .notFound)
    }

    @Test("a purged value can be saved again")
    func purged() throws {
        var note = try notes.save(Note(id: "a", title: "A"))
        try notes.purge(note)
        #expect(try collection.document(id: "a") == nil)
        try notes.save(&note)
        #expect(try collection.document(id: "a")?.revisionID?.hasPrefix("1-") == true)
    }

    @Test("all documents, those that satisfy a condition, and their number are found")
    func queries() throws {
        for (id, title) in [("a", "C"), ("b", "B"), ("c", "A")] { try notes.save(Note(id: id, title: title)) }
        #expect(try notes.query(orderBy: [SortDescriptor(\.title)]).all().map(\.id) == ["c", "b", "a"])
        #expect(try notes.query(orderBy: [SortDescriptor(\.title)], limit: 1, offset: 1).all().map(\.id) == ["b"])
        #expect(try Set(notes.query().all().map(\.title)) == ["A", "B", "C"])
        let query = notes.query(where: #Predicate { $0.title < "C" }, orderBy: [SortDescriptor(\.id, order: .reverse)])
        #expect(try query.all().map(\.id) == ["c", "b"])
        #expect(try query.count() == 2)
        #expect(try notes.query(where: #Predicate { $0.id == "b" }).first()?.title == "B")
        #expect(try notes.query().count() == 3)
        #expect(try notes.query(where: #Predicate { $0.title == "A" }).count() == 1)
    }

    @Test("a value that was found by a query knows its revision")
    func queriedRevision() throws {
        try notes.save(Note(id: "a", title: "A"))
        var found = try #require(try notes.query().all().first)
        found.title = "B"
        let isSaved = try notes.save(&found, concurrencyControl: .failOnConflict)
        #expect(isSaved)
        #expect(try notes.get("a")?.title == "B")
    }

    @Test("the ID of a value that was saved cannot be changed")
    func changedID() throws {
        let saved = try notes.save(Note(id: "a", title: "A"))
        let reported = misuse {
            var copy = saved
            copy.id = "b"
        }
        #expect(reported?.name == invalidArgument)
    }

    // MARK: Errors

    @Test("a value that cannot be stored is refused, and stays as it is")
    func encodingErrors() throws {
        struct Measure: Codable {
            @DocumentID var id: String?
            var value: Double
        }
        let measures = collection.models(Measure.self)
        var measure = Measure(value: .infinity)
        #expect(thrown { try measures.save(&measure) } == .encoding)
        #expect(measure.id == nil)
        measure.value = 1
        measure.id = "my ID"
        try measures.save(&measure)
        #expect(try measures.get("my ID")?.value == 1)
    }

    @Test("a document of another form is refused with the path of the property")
    func decodingErrors() throws {
        try collection.save(document: MutableDocument(id: "a").setInt(1, forKey: "title"))
        let error = message { _ = try notes.get("a") }
        #expect(error?.code == .decoding)
        #expect(error?.text.contains("title") == true)
        #expect(thrown { _ = try notes.query().all() } == .decoding)
    }

    @Test("a value that cannot be decoded from what it encodes is not stored")
    func asymmetric() throws {
        struct Asymmetric: Codable {
            @DocumentID var id: String?
            var name = "x"

            init() {}
            init(from decoder: any Decoder) throws {
                _id = try decoder.container(keyedBy: AnyKey.self).decode(DocumentID.self, forKey: "id")
                name = try decoder.container(keyedBy: AnyKey.self).decode(String.self, forKey: "other")
            }
        }
        #expect(thrown { try collection.models(Asymmetric.self).save(Asymmetric()) } == .decoding)
        #expect(collection.count == 0)
    }

    @Test("a type that does not decode its ID is refused")
    func withoutDecodedID() throws {
        struct Forgetful: Codable {
            @DocumentID var id: String?
            var name = "x"

            enum CodingKeys: CodingKey { case name }
        }
        let models = collection.models(Forgetful.self)
        #expect(thrown { try models.save(Forgetful()) } == .decoding)
        #expect(collection.count == 0)
        try collection.save(document: MutableDocument(id: "a").setString("x", forKey: "name"))
        #expect(message { _ = try models.get("a") }?.text.contains("does not take its ID") == true)
    }

    @Test("a type without ID is refused")
    func withoutID() throws {
        struct Anonymous: Codable { var name = "x" }
        let models = collection.models(Anonymous.self)
        #expect(thrown { try models.save(Anonymous()) } == .invalidParameter)
        #expect(thrown { try models.delete(Anonymous()) } == .invalidParameter)
        #expect(thrown { try models.purge(Anonymous()) } == .invalidParameter)
        try collection.save(document: MutableDocument(id: "a").setString("x", forKey: "name"))
        #expect(thrown { _ = try models.get("a") } == .invalidParameter)
        #expect(thrown { _ = try models.query().all() } == .invalidParameter)
        #expect(try models.query().count() == 1)
    }

    @Test("a type that is only decodable is read, queried and observed, with or without an ID")
    func onlyDecodable() async throws {
        struct Heading: Decodable { let title: String }
        struct Entry: Decodable {
            @DocumentID var id: String?
            let title: String
        }
        struct Item: Decodable, Identifiable, Sendable {
            let id: String
            let title: String
        }
        final class Page: Decodable {
            @DocumentID var id: String?
            let title: String
        }
        try notes.save(Note(id: "a", title: "A"))
        try notes.save(Note(id: "b", title: "B"))
        let headings = collection.models(Heading.self)
        #expect(try headings.get("a")?.title == "A")
        #expect(try headings.query(where: #Predicate { $0.title > "A" }).all().map(\.title) == ["B"])
        #expect(try headings.query().count() == 2)
        #expect(try collection.models(Entry.self).get("b")?.id == "b")
        #expect(try collection.models(Page.self).query(where: #Predicate { $0.title == "B" }).first()?.id == "b")
        let items = collection.models(Item.self)
        #expect(try items.query(where: #Predicate { $0.id == "b" }).all().map(\.title) == ["B"])
        let live = await LiveDocument(id: "a", in: items)
        await observe({ live.value?.title }, until: { $0 == "A" })
    }

    @Test("an invalid ID, a reserved property and a closed database are refused")
    func refused() throws {
        struct Reserved: Codable {
            @DocumentID var id: String?
            var _rev = "1"
        }
        #expect(thrown { try notes.save(Note(id: "", title: "A")) } == .couchbaseLite(CBLError.badDocID))
        #expect(thrown { try collection.models(Reserved.self).save(Reserved()) } == .invalidParameter)
        try database.close()
        #expect(thrown { try notes.save(Note(title: "A")) } == .notOpen)
        #expect(thrown { _ = try notes.get("a") } == .notOpen)
        #expect(thrown { _ = try notes.query().all() } == .notOpen)
        #expect(thrown { try notes.delete(Note(id: "a", title: "A")) } == .notOpen)
        #expect(thrown { try notes.update { $0.visits += 1 } } == .notOpen)
        #expect(thrown { try notes.query(where: #Predicate { $0.visits == 1 }).delete() } == .notOpen)
    }

    @Test("values are encoded and decoded without holding the write lock")
    func outsideOfLocks() throws {
        struct Watching: Codable {
            @DocumentID var id: String?
            @TaskLocal static var check: @Sendable () -> Void = {}

            init(id: String) { self.id = id }
            init(from decoder: any Decoder) throws {
                Self.check()
                _id = try decoder.container(keyedBy: AnyKey.self).decode(DocumentID.self, forKey: "id")
            }
            func encode(to encoder: any Encoder) throws {
                Self.check()
                _ = encoder.container(keyedBy: AnyKey.self)
            }
        }
        let file = try database.openFile()
        try Watching.$check.withValue({ if file.isInTransaction { Issue.record("the write lock is held") } }) {
            let models = collection.models(Watching.self)
            try models.save(Watching(id: "a"))
            _ = try models.save(Watching(id: "a")) { _, _ in true }
        }
    }

    // MARK: Classes

    @Test("objects of classes are saved in place and keep properties that their class does not have")
    func classes() throws {
        let hotels = collection.models(Hotel.self)
        let hotel = Hotel("Ritz", id: "ritz")
        let returned = try hotels.save(hotel)
        #expect(returned === hotel)
        let document = try #require(try collection.document(id: "ritz")?.toMutable())
        try collection.save(document: document.setString("x", forKey: "extra"))
        #expect(try hotels.save(hotel, concurrencyControl: .failOnConflict) == nil)
        try hotels.save(hotel)
        #expect(try collection.document(id: "ritz")?.string(forKey: "extra") == "x")
        let read = try #require(try hotels.get("ritz"))
        #expect(read == hotel && read.id == "ritz")
        #expect(try hotels.delete(read, concurrencyControl: .failOnConflict))
        #expect(try hotels.save(read, concurrencyControl: .failOnConflict) === read)
        try hotels.purge(read)
        read.id = "new"
        try hotels.save(read)
        #expect(try hotels.query().all().map(\.id) == ["new"])
    }
}

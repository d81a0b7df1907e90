import Foundation
import Testing

@testable import CouchbaseLiteSwift

@Suite("Identifiable values without DocumentID")
struct IdentifiableModelTests {
    struct Book: Codable, Identifiable, Equatable {
        var id: String
        var title: String
        var pages: Int?
    }

    struct Device: Codable, Identifiable, Equatable {
        var id = UUID()
        var name: String

        enum CodingKeys: String, CodingKey {
            case id = "key"
            case name
        }
    }

    enum Key: String, Codable, CaseIterable { case theme, language }

    struct Setting: Codable, Identifiable, Equatable {
        var id: Key
        var value: Int
    }

    struct Serial: RawRepresentable, Codable, Hashable {
        let rawValue: String

        init(rawValue: String) { self.rawValue = rawValue }
    }

    struct Part: Codable, Identifiable, Equatable {
        var id: Serial
        var weight = 1.5
    }

    let folder: DatabaseFolder
    let database: Database
    let collection: Collection

    init() throws {
        folder = try DatabaseFolder()
        database = try folder.open()
        collection = try database.defaultCollection()
    }

    @Test("the id is the ID of the document, is not stored in it, and is read from it")
    func roundTrip() throws {
        let books = collection.models(Book.self)
        var book = Book(id: "b1", title: "T", pages: 3)
        try books.save(&book)
        #expect(book == Book(id: "b1", title: "T", pages: 3))
        #expect(try books.get("b1") == book)
        #expect(try collection.document(id: "b1")?.keys.sorted() == ["pages", "title"])
        book.pages = nil
        #expect(try books.save(book) == book)
        #expect(try books.query().all() == [book])
        #expect(try collection.document(id: "b1")?.value(forKey: "pages") is NSNull)
        try books.delete(book)
        #expect(try books.get("b1") == nil)
        try books.save(book)
        try books.purge(book)
        #expect(thrown { try books.delete(book) } == .notFound)
        try database.close()
        #expect(try folder.problems() == [])
    }

    @Test("the id may be a UUID, an enumeration or a structure that is encoded as a string")
    func types() throws {
        let device = Device(name: "D")
        let devices = collection.models(Device.self)
        try devices.save(device)
        #expect(try devices.get(device.id.uuidString) == device)
        #expect(try collection.document(id: device.id.uuidString)?.keys == ["name"])

        let settings = collection.models(Setting.self)
        try settings.save(Setting(id: .language, value: 2))
        #expect(try settings.get("language") == Setting(id: .language, value: 2))

        let parts = collection.models(Part.self)
        try parts.save(Part(id: Serial(rawValue: "s1")))
        #expect(try parts.get("s1") == Part(id: Serial(rawValue: "s1")))
    }

    @Test("conditions and orders on the id are those on the ID of the document")
    func queries() throws {
        let books = collection.models(Book.self)
        for id in ["a", "b", "c"] { try books.save(Book(id: id, title: "Title \(id)")) }
        #expect(try books.query(where: #Predicate { $0.id == "b" }).all().map(\.title) == ["Title b"])
        #expect(
            try books.query(where: #Predicate { $0.id > "a" }, orderBy: [SortDescriptor(\.id, order: .reverse)]).all().map(\.id) == [
                "c", "b",
            ]
        )
        let wanted = ["a", "c", "x"]
        #expect(try books.query(where: #Predicate { wanted.contains($0.id) }).count() == 2)
        #expect(try books.query(where: #Predicate { $0.id != "b" }).delete() == 2)
        #expect(try books.query().all().map(\.id) == ["b"])
    }

    @Test("conditions on an id of another type are those on the ID of the document")
    func otherQueries() throws {
        let devices = try database.createCollection(name: "devices").models(Device.self)
        let device = try devices.save(Device(name: "D"))
        try devices.save(Device(name: "E"))
        let id = device.id
        #expect(try devices.query(where: #Predicate { $0.id == id }).all() == [device])
        let settings = try database.createCollection(name: "settings").models(Setting.self)
        for key in Key.allCases { try settings.save(Setting(id: key, value: 1)) }
        let theme = Key.theme
        #expect(try settings.query(where: #Predicate { $0.id == theme }).all().map(\.id) == [.theme])
    }

    @Test("a query of the collection itself finds the stored property, as before")
    func plainQuery() throws {
        try collection.save(document: MutableDocument(id: "doc").setString("stored", forKey: "id").setString("T", forKey: "title"))
        #expect(try collection.documents(as: Book.self, where: #Predicate { $0.id == "stored" }).map(\.id) == ["stored"])
        #expect(try collection.models(Book.self).get("doc")?.id == "doc")
    }

    @Test("conflicts of values without a revision cannot be detected, which is an error")
    func noRevision() throws {
        let books = collection.models(Book.self)
        let book = try books.save(Book(id: "a", title: "A"), concurrencyControl: .lastWriteWins)
        #expect(book?.title == "A")
        let error = message { _ = try books.save(Book(id: "a", title: "A"), concurrencyControl: .failOnConflict) }
        #expect(error?.code == .invalidParameter)
        #expect(error?.text.contains("@DocumentID") == true)
        #expect(thrown { _ = try books.save(Book(id: "a", title: "A")) { _, _ in true } } == .invalidParameter)
        #expect(thrown { try books.delete(Book(id: "a", title: "A"), concurrencyControl: .failOnConflict) } == .invalidParameter)
        #expect(try books.delete(Book(id: "a", title: "A"), concurrencyControl: .lastWriteWins))
    }

    @Test("an id that is not encoded as a string is an error")
    func otherIDs() throws {
        struct Numbered: Codable, Identifiable {
            var id: Int
            var name = "x"
        }
        let error = message { try collection.models(Numbered.self).save(Numbered(id: 1)) }
        #expect(error?.code == .encoding)
        #expect(error?.text.hasSuffix("at id: the ID of a document must be encoded as a string") == true)
        #expect(thrown { try collection.models(Numbered.self).delete(Numbered(id: 1)) } == .encoding)
        try collection.save(document: MutableDocument(id: "1").setString("x", forKey: "name"))
        #expect(thrown { _ = try collection.models(Numbered.self).get("1") } == .decoding)
    }

    @Test("a document whose ID is no id of the type is refused")
    func foreignDocuments() throws {
        try collection.save(document: MutableDocument(id: "no UUID").setString("x", forKey: "name"))
        #expect(thrown { _ = try collection.models(Device.self).get("no UUID") } == .decoding)
        // This is a UUID, but saving the value would create another document.
        let id = UUID().uuidString.lowercased()
        try collection.save(document: MutableDocument(id: id).setString("x", forKey: "name"))
        #expect(message { _ = try collection.models(Device.self).get(id) }?.text.contains("does not take its ID") == true)
    }

    @Test("values may be made from other properties, which are then stored")
    func combinedID() throws {
        struct Seat: Codable, Identifiable, Equatable {
            var row: String
            var place: String
            var id: String { row + place }
        }
        let seats = collection.models(Seat.self)
        try seats.save(Seat(row: "1", place: "A"))
        #expect(try seats.get("1A") == Seat(row: "1", place: "A"))
        #expect(try collection.document(id: "1A")?.toDictionary() as? [String: String] == ["place": "A", "row": "1"])
    }
}

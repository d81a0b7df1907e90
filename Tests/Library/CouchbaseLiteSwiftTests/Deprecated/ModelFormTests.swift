import CouchbaseLiteSwift
import TestSupport
import Testing

@Suite("Earlier forms of model queries")
struct ModelFormTests {
    private let test: TestDatabase
    private let collection: Collection
    private let guests: ModelCollection<Guest>

    init() throws {
        test = try TestDatabase()
        collection = try test.database.createCollection(name: "guests")
        guests = collection.models()
        for (number, name) in ["Cem", "Ann", "Bob"].enumerated() {
            let guest = Guest()
            (guest.id, guest.name, guest.age) = ("\(number)", name, number)
            try collection.save(from: guest)
        }
    }

    @Test("the earlier functions find, count, change and delete the documents that queries do")
    func earlierForms() async throws {
        let byName = [SortDescriptor(\Guest.name)]
        let adult = #Predicate<Guest> { $0.age > 0 }
        #expect(try collection.query(of: Guest.self, where: adult, orderBy: byName).execute().map(\.name) == ["Ann", "Bob"])
        #expect(try collection.documents(as: Guest.self, orderBy: byName, limit: 1, offset: 1).map(\.name) == ["Bob"])
        #expect(try await collection.query(of: Guest.self, where: adult).async.execute().count == 2)
        #expect(try guests.where(adult, orderBy: byName).first()?.name == "Ann")
        #expect(try guests.all(orderBy: byName, limit: 2).map(\.name) == ["Ann", "Bob"])
        #expect(try guests.count(where: adult) == 2)
        #expect(try guests.update(where: adult) { $0.age = 9 } == 2)
        #expect(try guests.delete(where: #Predicate { $0.age == 9 }) == 2)
        #expect(try guests.count() == 1)
        #expect(throws: NSError.self) { try guests.where(#Predicate { $0.tags.max() == "a" }) }
        #expect(throws: NSError.self) { try collection.query(where: #Predicate<Guest> { $0.tags.max() == "a" }) }
    }

    @Test("model queries decode structures, and their result sets keep their rows")
    func structures() throws {
        struct Name: Decodable {
            var name: String
        }
        let query = try collection.query(of: Name.self, where: #Predicate { $0.name == "Ann" })
        let results = try query.query.execute()
        try collection.purge(id: "1")
        #expect(try query.models(in: results).map(\.name) == ["Ann"])
        #expect(try query.models(in: results).isEmpty)
        #expect(try query.execute().isEmpty)
    }

    private enum Room: String, Codable { case single, double }

    private final class Booking: Decodable, DocumentKeyProviding {
        var room: Room
        var guest: String

        static var documentKeys: [AnyKeyPath: String] { [\Booking.guest: "host.name"] }
    }

    @Test("a type that rejects sample values may provide its document keys")
    func documentKeys() throws {
        let query = try collection.query(of: Booking.self, where: #Predicate { $0.guest == "Ann" })
        #expect(query.query.description.contains(#"[".doc.host.name"]"#))
    }
}

import CouchbaseLiteSwift
import Testing

@Suite("Model queries")
struct ModelQueryTests {
    let test: TestDatabase
    let collection: Collection

    init() throws {
        test = try TestDatabase()
        collection = try test.database.createCollection(name: "guests", scope: "house")
        for (number, name) in ["Cem", "Ann", "bob", "Ånn"].enumerated() {
            let guest = Guest()
            guest.id = "\(number)"
            guest.name = name
            guest.age = 20 + number / 2
            guest.rating = number == 2 ? nil : Double(number)
            try collection.save(from: guest)
        }
    }

    private func names(_ guests: [Guest]) -> [String] { guests.map(\.name) }

    @Test("documents(as:) returns all documents in the given order")
    func ordering() throws {
        #expect(try collection.documents(as: Guest.self).count == 4)
        #expect(try names(collection.documents(orderBy: [SortDescriptor(\Guest.name)])) == ["Ann", "Cem", "bob", "Ånn"])
        #expect(
            try names(collection.documents(orderBy: [SortDescriptor(\Guest.name, order: .reverse)]))
                == ["Ånn", "bob", "Cem", "Ann"]
        )
        #expect(
            try names(collection.documents(orderBy: [SortDescriptor(\Guest.name, comparator: .lexical)]))
                == ["Ann", "Cem", "bob", "Ånn"]
        )
        #expect(
            try names(collection.documents(orderBy: [SortDescriptor(\Guest.age, order: .reverse), SortDescriptor(\.name)]))
                == ["bob", "Ånn", "Ann", "Cem"]
        )
        // Nil values come first, as in Swift.
        #expect(try collection.documents(orderBy: [SortDescriptor(\Guest.rating)]).map(\.id) == ["2", "0", "1", "3"])
        #expect(try collection.documents(orderBy: [SortDescriptor(\Guest.id, order: .reverse)]).map(\.id).first == "3")
    }

    @Test("model queries support limit, offset, first() and count()")
    func parts() throws {
        let query = try collection.query(
            of: Guest.self,
            where: #Predicate { $0.age > 0 },
            orderBy: [SortDescriptor(\.id)],
            limit: 2,
            offset: 1
        )
        #expect(try query.execute().map(\.id) == ["1", "2"])
        #expect(try query.first()?.id == "1")
        #expect(try query.count() == 4)
        #expect(try collection.documents(as: Guest.self, orderBy: [SortDescriptor(\.id)], offset: 3).map(\.id) == ["3"])
        #expect(try collection.query(of: Guest.self, limit: 0).first() == nil)
        #expect(try collection.query(of: Guest.self, limit: -1).first() == nil)
        #expect(try collection.query(of: Guest.self, where: #Predicate { $0.age > 99 }).first() == nil)
    }

    @Test("objects of model queries can be saved, and detect conflicts")
    func saving() throws {
        let guest = try #require(try collection.query(where: #Predicate<Guest> { $0.name == "bob" }).first())
        #expect(guest.id == "2")
        guest.name = "Bob"
        #expect(try collection.save(from: guest, concurrencyControl: .failOnConflict))
        let stale = try #require(try collection.query(where: #Predicate<Guest> { $0.name == "Bob" }).first())
        try collection.save(from: guest)
        #expect(try !collection.save(from: stale, concurrencyControl: .failOnConflict))
    }

    @Test("model queries find documents by ID")
    func identifiers() throws {
        #expect(try collection.documents(where: #Predicate<Guest> { $0.id == "1" }).map(\.name) == ["Ann"])
        let ids: [String?] = ["1", "3", "9"]
        #expect(try collection.documents(where: #Predicate<Guest> { ids.contains($0.id) }).count == 2)
    }

    @Test("model queries decode structures, and their result sets keep their rows")
    func structures() throws {
        struct Name: Decodable {
            var name: String
            var since: Date
        }
        let query = try collection.query(of: Name.self, where: #Predicate { $0.name == "Ann" })
        let results = try query.query.execute()
        try collection.purge(id: "1")
        #expect(try query.models(in: results).map(\.name) == ["Ann"])
        #expect(try query.models(in: results).isEmpty)
        #expect(try query.execute().isEmpty)
    }

    @Test("model queries use indexes")
    func indexes() throws {
        try collection.createIndex(withName: "byName", config: ValueIndexConfiguration(["name"]))
        try collection.createIndex(withName: "byRating", config: ValueIndexConfiguration(["rating"]))
        let predicates: [(Predicate<Guest>, String)] = [
            (#Predicate { $0.name == "Ann" }, "byName"), (#Predicate { $0.name > "B" }, "byName"),
            (#Predicate { $0.name.starts(with: "A") }, "byName"),
            (#Predicate { ["a", "b"].contains($0.name) }, "byName"),
            (#Predicate { $0.rating == 1 }, "byRating"), (#Predicate { ("a"..."b").contains($0.name) }, "byName"),
        ]
        for (predicate, index) in predicates {
            let plan = try collection.query(where: predicate).explain()
            #expect(plan.contains("USING INDEX house.guests.\(index)") || plan.contains("USING INDEX \(index)"), "\(plan)")
        }
    }

    @Test("model queries have an async form")
    func async() async throws {
        let query = try collection.query(of: Guest.self, where: #Predicate { $0.age == 20 })
        #expect(try await query.async.execute().count == 2)
    }

    @Test("the error for a document that cannot be decoded names the document and the property")
    func otherDocuments() throws {
        try collection.save(document: MutableDocument(id: "cat", data: ["name": 7]))
        let error = #expect(throws: NSError.self) { try collection.documents(as: Guest.self) }
        #expect(error?.code == CBLError.decodingError)
        #expect(error?.localizedDescription.contains("\"cat\"") == true)
        #expect(error?.localizedDescription.contains("name") == true)
    }

    @Test("the error for an unsupported operator of a predicate names the operator")
    func unsupported() throws {
        let number = 3
        let predicates: [(Predicate<Guest>, String)] = [
            (#Predicate { $0.tags.filter { $0 == "a" }.count == 1 }, "Filter"),
            (#Predicate { $0.limits.keys.contains("a") }, "only count, isEmpty and values"),
            (#Predicate { $0.tags.max() == "a" }, "max()"),
            (#Predicate { $0.scores[number - 1] == 1 }, "index"),
            (#Predicate { $0.scores.contains([1, 2]) }, "Array<Int>"),
            (#Predicate { $0.joined.timeIntervalSince1970 > 0 }, "Date"),
            (#Predicate { $0.limits[$0.name] == 1 }, "key of a dictionary"),
        ]
        for (predicate, name) in predicates {
            let error = #expect(throws: NSError.self) { try collection.query(where: predicate) }
            #expect(error?.code == CBLError.invalidQuery)
            #expect(error?.localizedDescription.contains(name) == true, "\(error?.localizedDescription ?? "")")
        }
    }

    @Test("model queries of a closed database throw notOpen")
    func closed() throws {
        let query = try collection.query(of: Guest.self)
        try test.database.close()
        #expect(thrown { _ = try query.execute() } == .couchbaseLite(CBLError.notOpen))
        #expect(thrown { _ = try query.count() } == .couchbaseLite(CBLError.notOpen))
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

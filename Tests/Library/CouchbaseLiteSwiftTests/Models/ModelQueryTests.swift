import CouchbaseLiteSwift
import TestSupport
import Testing

@Suite("Model queries")
struct ModelQueryTests {
    let test: TestDatabase
    let collection: Collection
    let guests: ModelCollection<Guest>

    init() throws {
        test = try TestDatabase()
        collection = try test.database.createCollection(name: "guests", scope: "house")
        guests = collection.models()
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

    @Test("a document that cannot be decoded is thrown, skipped or reported, as the query says")
    func undecodable() throws {
        try collection.save(document: MutableDocument(id: "bad").setInt(7, forKey: "name"))
        let query = guests.query(orderBy: [SortDescriptor(\.name)])
        let runs: [(DecodingErrorPolicy) throws -> [Guest]] = [
            { try query.all(onDecodingError: $0) },
            { try query.models(in: query.query.execute(), onDecodingError: $0) },
            { try query.first(onDecodingError: $0).map { [$0] } ?? [] },
        ]
        for (run, expected) in zip(runs, [["Ann", "Cem", "bob", "Ånn"], ["Ann", "Cem", "bob", "Ånn"], ["Ann"]]) {
            let thrown = #expect(throws: NSError.self) { try run(.throw) }
            #expect(thrown?.code == CBLError.decodingError && thrown?.localizedDescription.contains("\"bad\"") == true)
            #expect(try names(run(.skip)) == expected)
            let reported = Recorder<String>()
            let report = DecodingErrorPolicy.report { id, error in reported.append("\(id): \(error.localizedDescription)") }
            #expect(try names(run(report)) == expected)
            #expect(reported.all == ["bad: \(thrown?.localizedDescription ?? "")"])
        }
        #expect(throws: NSError.self) { try query.all() }
        #expect(throws: NSError.self) { try query.first() }
        try collection.purge(id: "bad")
        #expect(try query.first(onDecodingError: .skip)?.name == "Ann")
        try query.delete()
        #expect(try query.first(onDecodingError: .skip) == nil)
    }

    @Test("all() returns all documents in the given order")
    func ordering() throws {
        #expect(try guests.query().all().count == 4)
        #expect(try names(guests.query(orderBy: [SortDescriptor(\.name)]).all()) == ["Ann", "Cem", "bob", "Ånn"])
        #expect(
            try names(guests.query(orderBy: [SortDescriptor(\.name, order: .reverse)]).all())
                == ["Ånn", "bob", "Cem", "Ann"]
        )
        #expect(
            try names(guests.query(orderBy: [SortDescriptor(\.name, comparator: .lexical)]).all())
                == ["Ann", "Cem", "bob", "Ånn"]
        )
        #expect(
            try names(guests.query(orderBy: [SortDescriptor(\.age, order: .reverse), SortDescriptor(\.name)]).all())
                == ["bob", "Ånn", "Ann", "Cem"]
        )
        // Nil values come first, as in Swift.
        #expect(try guests.query(orderBy: [SortDescriptor(\.rating)]).all().map(\.id) == ["2", "0", "1", "3"])
        #expect(try guests.query(orderBy: [SortDescriptor(\.id, order: .reverse)]).all().map(\.id).first == "3")
    }

    @Test("model queries support limit, offset, first() and count()")
    func parts() throws {
        let query = guests.query(
            where: #Predicate { $0.age > 0 },
            orderBy: [SortDescriptor(\.id)],
            limit: 2,
            offset: 1
        )
        #expect(try query.all().map(\.id) == ["1", "2"])
        #expect(try query.first()?.id == "1")
        #expect(try query.count() == 4)
        #expect(try guests.query(orderBy: [SortDescriptor(\.id)], offset: 3).all().map(\.id) == ["3"])
        #expect(try guests.query(limit: 0).first() == nil)
        #expect(try guests.query(limit: -1).first() == nil)
        #expect(try guests.query(where: #Predicate { $0.age > 99 }).first() == nil)
    }

    @Test("objects of model queries can be saved, and detect conflicts")
    func saving() throws {
        let guest = try #require(try guests.query(where: #Predicate { $0.name == "bob" }).first())
        #expect(guest.id == "2")
        guest.name = "Bob"
        #expect(try collection.save(from: guest, concurrencyControl: .failOnConflict))
        let stale = try #require(try guests.query(where: #Predicate { $0.name == "Bob" }).first())
        try collection.save(from: guest)
        #expect(try !collection.save(from: stale, concurrencyControl: .failOnConflict))
    }

    @Test("model queries find documents by ID")
    func identifiers() throws {
        #expect(try guests.query(where: #Predicate { $0.id == "1" }).all().map(\.name) == ["Ann"])
        let ids: [String?] = ["1", "3", "9"]
        #expect(try guests.query(where: #Predicate { ids.contains($0.id) }).all().count == 2)
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
            let plan = try guests.query(where: predicate).explain()
            #expect(plan.contains("USING INDEX house.guests.\(index)") || plan.contains("USING INDEX \(index)"), "\(plan)")
        }
    }

    @Test("a model query changes only the documents that it finds, in its order and within its limit")
    func changing() throws {
        let byName = [SortDescriptor(\Guest.name)]
        #expect(try guests.query(orderBy: byName, limit: 2).update { $0.age = 50 } == 2)
        #expect(try names(guests.query(where: #Predicate { $0.age == 50 }, orderBy: byName).all()) == ["Ann", "Cem"])
        #expect(try guests.query(orderBy: byName, limit: 2, offset: 1).delete() == 2)
        #expect(try names(guests.query(orderBy: byName).all()) == ["Ann", "Ånn"])
        #expect(try guests.query(limit: 0).delete() == 0)
        #expect(try guests.query(where: #Predicate { $0.age == 50 }).delete() == 1)
        #expect(try guests.query().delete() == 1)
        #expect(collection.count == 0)
    }

    @Test("the error for a document that cannot be decoded names the document and the property")
    func otherDocuments() throws {
        try collection.save(document: MutableDocument(id: "cat", data: ["name": 7]))
        let error = #expect(throws: NSError.self) { try guests.query().all() }
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
            let error = #expect(throws: NSError.self) { try guests.query(where: predicate).all() }
            #expect(error?.code == CBLError.invalidQuery)
            #expect(error?.localizedDescription.contains(name) == true, "\(error?.localizedDescription ?? "")")
            #expect(thrown { _ = try guests.query(where: predicate).count() } == .couchbaseLite(CBLError.invalidQuery))
            #expect(thrown { try guests.query(where: predicate).update { _ in } } == .couchbaseLite(CBLError.invalidQuery))
            #expect(thrown { try guests.query(where: predicate).delete() } == .couchbaseLite(CBLError.invalidQuery))
        }
    }

    @Test("model queries of a closed database throw notOpen")
    func closed() throws {
        let query = guests.query()
        try test.database.close()
        #expect(thrown { _ = try query.all() } == .couchbaseLite(CBLError.notOpen))
        #expect(thrown { _ = try query.count() } == .couchbaseLite(CBLError.notOpen))
    }
}

import Foundation
import TestSupport
import Testing

@testable import CouchbaseLiteSwift

/// What the releases 3.3, 3.4, 4.0 and 4.1 of Couchbase Lite have fixed, as far as it concerns this library (Version vectors 9.4).
@Suite("Faults that later releases of the original have fixed")
struct LaterReleasesTests {
    let folder: DatabaseFolder
    let database: Database
    let collection: Collection

    init() throws {
        folder = try DatabaseFolder()
        database = try folder.open()
        collection = try database.createCollection(name: "people")
    }

    private func save(_ id: String, _ json: String) throws { try collection.save(document: MutableDocument(id: id, json: json)) }

    @Test("purging a deleted document notifies the listeners of queries for deleted documents", arguments: [false, true])
    func purgingDeletedDocuments(isByID: Bool) throws {
        try save("a", "{}")
        let query = try database.createQuery("SELECT meta().id FROM people WHERE meta().deleted")
        let rows = Recorder<[String]>()
        let token = query.addChangeListener(withQueue: DispatchQueue(label: "rows")) { change in
            rows.append(change.results?.map { $0.string(at: 0) ?? "" } ?? ["error"])
        }
        defer { token.remove() }
        #expect(rows.wait(forCount: 1) == [[]])
        let document = try #require(try collection.document(id: "a"))
        try collection.delete(document: document)
        #expect(rows.wait(forCount: 2).last == ["a"])
        if isByID { try collection.purge(id: "a") } else { try collection.purge(document: document) }
        #expect(rows.wait(forCount: 3).last == [])
    }

    @Test(
        "partial indexes can have compound conditions, and are used by queries that state them",
        arguments: [
            "name = 'x' AND age > 3", "name = 'x' OR name = 'y'", "(name = 'x' OR name = 'y') AND city IS VALUED",
            "NOT (name = 'x') AND age > 3",
            "name IN ['x', 'y'] AND age BETWEEN 3 AND 5",
        ]
    )
    func partialIndexes(condition: String) throws {
        for number in 0..<10 { try save("p\(number)", #"{"name":"\#(number % 2 == 0 ? "x" : "z")","age":\#(number),"city":"c"}"#) }
        let text = "SELECT meta().id FROM people WHERE (\(condition)) AND tall = 1 OR (\(condition)) AND tall IS NOT VALUED"
        let before = try database.createQuery(text).execute().allResults().map { $0.string(at: 0) }
        try collection.createIndex(withName: "part", config: ValueIndexConfiguration(["age"], where: condition))
        #expect(try database.createQuery(text).execute().allResults().map { $0.string(at: 0) } == before)
        #expect(!before.isEmpty)
        let plan = try database.createQuery("SELECT age FROM people WHERE (\(condition)) AND age >= 0").explain()
        #expect(plan.contains("part"), "\(plan)")
        try save("p0", #"{"name":"w"}"#)
        #expect(try folder.problems().isEmpty)
    }

    @Test("data(as:dataKey:) keeps the optional properties of the dictionary and of the columns")
    func optionalProperties() throws {
        struct Person: Codable, Equatable {
            var id: String?
            var name: String?
            var age: Int?
            var address: [String: String]?
        }
        try save("a", #"{"name":"Anna","age":7,"address":{"city":"Ulm"}}"#)
        try save("b", #"{"name":null}"#)
        let query = try database.createQuery("SELECT meta().id AS id, * FROM people ORDER BY meta().id")
        let expected = [Person(id: "a", name: "Anna", age: 7, address: ["city": "Ulm"]), Person(id: "b")]
        #expect(try query.execute().data(as: Person.self, dataKey: "people") == expected)
        #expect(try query.execute().map { try $0.data(as: Person.self, dataKey: "people") } == expected)
    }

    @Test(
        "dates in all usual forms of ISO 8601 are decoded",
        arguments: [
            "2025-10-01T12:30:00Z", "2025-10-01T12:30:00.000Z", "2025-10-01T12:30:00.0Z", "2025-10-01T14:30:00+02:00",
            "2025-10-01T14:30:00.000+02:00", "2025-10-01T12:30:00.000000Z",
        ]
    )
    func dates(text: String) throws {
        struct Row: Decodable { var date: Date }
        try save("a", #"{"date":"\#(text)"}"#)
        let row = try #require(try database.createQuery("SELECT date FROM people").execute().next())
        #expect(try row.data(as: Row.self).date == Date(timeIntervalSince1970: 1_759_321_800))
    }

    @Test(
        "databases can have names that the original of 4.x only warns about",
        arguments: ["with spaces", "a.b", "1", "-a", "ümlaut", String(repeating: "n", count: 120), "a+b@c"]
    )
    func databaseNames(name: String) throws {
        let database = try folder.open(name)
        #expect(database.name == name)
        try database.defaultCollection().save(document: MutableDocument(id: "a"))
        try database.close()
        #expect(try folder.open(name).defaultCollection().count == 1)
    }

    @Test("names of collections and scopes have at most 251 characters, and only letters, digits, and after the first one _ - %")
    func collectionNames() throws {
        for name in ["a", "Z9", "a_b-c%d", "0", String(repeating: "n", count: 251)] {
            #expect(try database.createCollection(name: name, scope: name).name == name)
        }
        for name in ["", "_a", "%a", "a b", "a.b", "ä", "a/b", String(repeating: "n", count: 252)] {
            #expect(thrown { _ = try database.createCollection(name: name) } == .invalidParameter, "\(name)")
            #expect(thrown { _ = try database.createCollection(name: "a", scope: name) } == .invalidParameter, "\(name)")
        }
    }

    @Test("a saved model and the objects in it are released when the app does not refer to the model any more")
    func modelsAreReleased() throws {
        final class Part: Codable {
            var text = "x"
        }
        final class Model: Codable {
            @DocumentID var id: String?
            var part = Part()
        }
        weak var released: Part?
        do {
            let model = Model()
            released = model.part
            try collection.save(from: model)
        }
        #expect(released == nil)
    }
}

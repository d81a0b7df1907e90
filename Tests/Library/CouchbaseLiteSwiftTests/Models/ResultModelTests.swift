import Foundation
import Testing

@testable import CouchbaseLiteSwift

@Suite("Models in query results")
struct ResultModelTests {
    let folder: DatabaseFolder
    let database: Database
    let collection: Collection

    init() throws {
        folder = try DatabaseFolder()
        database = try folder.open()
        collection = try database.createCollection(name: "hotels")
        for number in 0..<3 {
            let hotel = Hotel("hotel \(number)", id: "h\(number)")
            hotel.stars = number
            hotel.opened = number == 1 ? Date(timeIntervalSince1970: 0) : nil
            try collection.save(from: hotel)
        }
    }

    private func run(_ columns: String, order: String = "META().id") throws -> ResultSet {
        try database.createQuery("SELECT \(columns) FROM hotels ORDER BY \(order)").execute()
    }

    @Test("structures and classes are decoded from columns by name")
    func columns() throws {
        struct Row: Decodable, Equatable {
            var name: String
            var stars: Int8
            var opened: Date?
            var first: String
            var address: Hotel.Address
        }
        let rows = try run("name, stars, opened, tags[0] AS first, address").data(as: Row.self)
        #expect(rows.map(\.name) == ["hotel 0", "hotel 1", "hotel 2"])
        #expect(rows.map(\.opened) == [nil, Date(timeIntervalSince1970: 0), nil])
        #expect(rows[2].stars == 2 && rows[2].first == "a" && rows[2].address == .init(street: "Main St", zip: 94040))
        #expect(
            try run("name, stars").data(as: [String: StringOrInt].self)[1] == [
                "name": .string("hotel 1"), "stars": .int(1),
            ]
        )
    }

    private enum StringOrInt: Decodable, Equatable {
        case string(String), int(Int)

        init(from decoder: any Decoder) throws {
            let container = try decoder.singleValueContainer()
            if let int = try? container.decode(Int.self) {
                self = .int(int)
            } else {
                self = .string(try container.decode(String.self))
            }
        }
    }

    @Test("a model is decoded from its ID column and the dictionary of a star, and can be saved")
    func dataKey() throws {
        let hotels = try run("META().id, *").data(as: Hotel.self, dataKey: "hotels")
        #expect(hotels.map(\.id) == ["h0", "h1", "h2"])
        #expect(hotels[1] == (try collection.document(id: "h1", as: Hotel.self)))
        hotels[1].name = "changed"
        #expect(try !collection.save(from: hotels[1], concurrencyControl: .failOnConflict))
        try collection.save(from: hotels[1])
        #expect(try collection.document(id: "h1", as: Hotel.self)?.name == "changed")
        try collection.delete(for: hotels[2])
        #expect(collection.count == 2)
    }

    @Test("columns take precedence over properties of the dictionary")
    func order() throws {
        struct Row: Decodable {
            var name: String
            var stars: Int
        }
        let row = try #require(try run("'x' AS name, *").next()).data(as: Row.self, dataKey: "hotels")
        #expect(row.name == "x" && row.stars == 0)
        let all = try #require(try run("'x' AS name, *").next())
            .data(as: [String: AnyValue].self, dataKey: "hotels")
        #expect(
            all.keys.sorted() == [
                "address", "hotels", "isOpen", "kind", "name", "note", "opened", "prices", "rating", "share", "stars", "tags",
            ]
        )
    }

    private struct AnyValue: Decodable {
        init(from decoder: any Decoder) throws {}
    }

    @Test("a missing column throws invalidQuery, and a missing nested value throws a decoding error")
    func missing() throws {
        struct Row: Decodable { var name: String; var stops: Int }
        let found = message { _ = try run("name").data(as: Row.self) }
        #expect(found?.code == .invalidQuery)
        #expect(found?.text.contains(#""stops""#) == true)
        #expect(thrown { _ = try run("name, nothing AS stops").data(as: Row.self) } == .invalidQuery)
        #expect(thrown { _ = try run("name, *").data(as: Row.self, dataKey: "hotels") } == .invalidQuery)
        try collection.save(document: MutableDocument(id: "null").setValue(nil, forKey: "stops"))
        #expect(thrown { _ = try run("'x' AS name, stops", order: "stops DESC").data(as: Row.self) } == .decoding)
        struct Nested: Decodable { var address: [String: Row] }
        #expect(thrown { _ = try run("{'a': {'name': 'x'}} AS address").data(as: Nested.self) } == .decoding)
        #expect(thrown { _ = try run("*").data(as: Hotel.self, dataKey: "hotels") } == .invalidQuery)
    }

    @Test("a column of a wrong type throws a decoding error that names the column")
    func wrongTypes() throws {
        struct Row: Decodable { var name: Int }
        let found = message { _ = try run("name").data(as: Row.self) }
        #expect(found?.code == .decoding)
        #expect(found?.text == "The object cannot be decoded at name: a string instead of a value of type Int")
        #expect(thrown { _ = try run("name").data(as: String.self) } == .decoding)
        #expect(thrown { _ = try run("name").data(as: [String].self) } == .decoding)
    }

    @Test("a wrong data key throws an error, and a missing or null value is ignored")
    func wrongDataKey() throws {
        struct Row: Decodable { var name: String? }
        #expect(thrown { _ = try run("name").data(as: Row.self, dataKey: "hotel") } == .invalidQuery)
        #expect(thrown { _ = try run("name, stars").data(as: Row.self, dataKey: "stars") } == .decoding)
        #expect(try run("nothing, null AS other").data(as: Row.self, dataKey: "nothing").count == 3)
        #expect(try run("nothing, null AS other").data(as: Row.self, dataKey: "other").count == 3)
    }

    @Test("data(as:) of a result set decodes the remaining rows once")
    func remaining() throws {
        struct Row: Decodable { var name: String }
        let results = try run("name")
        #expect(try results.next()?.data(as: Row.self).name == "hotel 0")
        #expect(try results.data(as: Row.self).map(\.name) == ["hotel 1", "hotel 2"])
        #expect(try results.data(as: Row.self).isEmpty)
    }

    @Test("blobs decoded from results have their content")
    func blobs() throws {
        struct Row: Decodable { var value: Blob; var parts: [Blob] }
        try collection.save(from: Box(Blob(contentType: "text/plain", data: Data("x".utf8)), id: "blob"))
        let results = try database.createQuery("SELECT value, [value] AS parts FROM hotels WHERE META().id = 'blob'")
            .execute()
        let row = try #require(try results.data(as: Row.self).first)
        #expect(row.value.content == Data("x".utf8))
        #expect(row.parts.first?.content == Data("x".utf8))
    }
}

import CouchbaseLiteSwift
import Testing

final class Airline: Codable {
    @DocumentID var id: String?
    var name: String
    var callsign: String?
    var founded: Date
    var logo: Blob?
    var hubs: [Hub] = []

    struct Hub: Codable {
        var airport: String
        var gates: Int
    }

    init(name: String, founded: Date) {
        self.name = name
        self.founded = founded
    }
}

@Suite("The guide to models")
struct ModelsGuideTests {
    @Test("the examples of the guide to models save, read, change and merge objects, and decode rows")
    func works() throws {
        let test = try TestDatabase()
        let database = test.database
        let airlines = try database.createCollection(name: "airlines")

        let airline = Airline(name: "Air Nowhere", founded: Date(timeIntervalSince1970: 0))
        airline.hubs = [Airline.Hub(airport: "LPB", gates: 4)]
        try airlines.save(from: airline)

        guard let id = airline.id,
            let found = try airlines.document(id: id, as: Airline.self)
        else { return }
        found.callsign = "NOWHERE"
        let saved = try airlines.save(from: found, concurrencyControl: .failOnConflict)
        #expect(saved)

        try airlines.save(from: airline) { mine, stored in
            mine.callsign = mine.callsign ?? stored?.callsign
            return true
        }
        let document = try #require(try airlines.document(id: id))
        #expect(document.string(forKey: "callsign") == "NOWHERE")
        #expect(document.date(forKey: "founded") == Date(timeIntervalSince1970: 0))
        #expect(!document.contains(key: "id"))

        struct Row: Decodable {
            var name: String
            var gates: Int
        }
        let query = try database.createQuery(
            "SELECT name, hubs[0].gates AS gates FROM airlines"
        )
        let rows = try query.execute().data(as: Row.self)
        #expect(rows.map(\.name) == ["Air Nowhere"])
        #expect(rows.map(\.gates) == [4])
    }
}

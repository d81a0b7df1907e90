import CouchbaseLiteSwift
import Testing

struct Recipe: Codable, Identifiable {
    @DocumentID var id: String?
    var title: String
    var cooked = 0
    var notes: String?
}

struct Sensor: Codable, Identifiable {
    var id: UUID
    var place: String
}

struct Offer: Codable {
    @DocumentID var id: String?
    var price: Decimal
    var page: URL
    var delivery: Duration
}

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
    @Test("the examples of the guide to models save, find, change and delete values")
    func values() throws {
        let test = try TestDatabase()
        let collection = try test.database.defaultCollection()

        let recipes = collection.models(Recipe.self)

        var recipe = Recipe(title: "Soup")
        try recipes.save(&recipe)
        let id = recipe.id ?? ""
        let found = try recipes.get(id)

        let soups = recipes.query(
            where: #Predicate { $0.title.contains("Soup") },
            orderBy: [SortDescriptor(\.title)]
        )
        print(try soups.all().map(\.title), try soups.count())

        let new = recipes.query(where: #Predicate { $0.cooked == 0 })
        let changed = try new.update { $0.cooked += 1 }
        if let found { try recipes.delete(found) }

        #expect(changed == 1)
        #expect(try recipes.query().count() == 0)
    }

    @Test("the example of the guide to models resolves a conflict of two copies")
    func copies() throws {
        let test = try TestDatabase()
        let recipes = try test.database.defaultCollection().models(Recipe.self)

        var mine = try recipes.save(Recipe(id: "soup", title: "Soup"))
        var theirs = mine
        theirs.cooked = 3
        try recipes.save(&theirs)

        mine.notes = "More salt"
        let isSaved = try recipes.save(&mine, concurrencyControl: .failOnConflict)
        if !isSaved {
            try recipes.save(&mine) { mine, stored in
                mine.cooked = stored?.cooked ?? mine.cooked
                return true
            }
        }
        #expect(!isSaved)
        let merged = try #require(try recipes.get("soup"))
        #expect(merged.cooked == 3 && merged.notes == "More salt")
    }

    @Test("the example of the guide to models saves a value with its own ID")
    func ownIDs() throws {
        let test = try TestDatabase()
        let database = test.database

        let sensors = try database.createCollection(name: "sensors").models(Sensor.self)
        let sensor = Sensor(id: UUID(), place: "roof")
        try sensors.save(sensor)
        let same = try sensors.get(sensor.id.uuidString)

        #expect(same?.place == "roof")
    }

    @Test("the example of the guide to models compares and adds decimal numbers")
    func decimals() throws {
        let test = try TestDatabase()
        let database = test.database

        let offers = try database.createCollection(name: "offers").models(Offer.self)
        for (title, text) in [("tea", "10"), ("coffee", "9.99")] {
            if let price = Decimal(string: text),
                let page = URL(string: "https://example.com/\(title)")
            {
                try offers.save(Offer(price: price, page: page, delivery: .seconds(90)))
            }
        }
        let (limit, time) = (Decimal(10), Duration.seconds(90))
        let cheap = offers.query(
            where: #Predicate { $0.price < limit && $0.delivery <= time },
            orderBy: [SortDescriptor(\.price)]
        )
        print(try cheap.all().map(\.page.absoluteString))

        let query = try database.query(
            "SELECT sum(price) AS total FROM offers WHERE price <= \(limit)"
        )
        let total = try query.execute().next()?.double(forKey: "total")

        #expect(try cheap.all().map(\.page.absoluteString) == ["https://example.com/coffee"])
        #expect(abs((total ?? 0) - 19.99) < 1e-9)
        #expect("\(Recipe(id: "soup", title: "Soup"))" == #"Recipe(_id: "soup", title: "Soup", cooked: 0, notes: nil)"#)
    }

    @Test("the examples of the guide to models save, read, change and merge objects, and decode rows")
    func works() throws {
        let test = try TestDatabase()
        let database = test.database
        let airlines = try database.createCollection(name: "airlines")

        let airline = Airline(name: "Air Nowhere", founded: Date(timeIntervalSince1970: 0))
        airline.hubs = [Airline.Hub(airport: "LPB", gates: 4)]
        try airlines.save(from: airline)

        if let id = airline.id,
            let found = try airlines.document(id: id, as: Airline.self)
        {
            found.callsign = "NOWHERE"
            try airlines.save(from: found, concurrencyControl: .failOnConflict)
        }

        try airlines.save(from: airline) { mine, stored in
            mine.callsign = mine.callsign ?? stored?.callsign
            return true
        }
        let savedID = try #require(airline.id)
        let document = try #require(try airlines.document(id: savedID))
        #expect(document.string(forKey: "callsign") == "NOWHERE")
        #expect(document.date(forKey: "founded") == Date(timeIntervalSince1970: 0))
        #expect(!document.contains(key: "id"))

        struct Row: Decodable {
            var name: String
            var gates: Int
        }
        let query = try database.query(
            "SELECT name, hubs[0].gates AS gates FROM airlines"
        )
        let rows = try query.execute().data(as: Row.self)
        #expect(rows.map(\.name) == ["Air Nowhere"])
        #expect(rows.map(\.gates) == [4])
    }
}

import CouchbaseLiteSwift
import Testing

@Suite("The guide to indexes")
struct IndexesGuideTests {
    private let test: TestDatabase
    private let database: Database
    private let hotels: Collection

    init() throws {
        test = try TestDatabase()
        database = test.database
        hotels = try database.createCollection(name: "hotels")
        let documents = [
            "a": #"{"name":"Andino","stars":4,"address":{"city":"La Paz"},"rooms":[{"beds":4,"tags":["quiet"]}]}"#,
            "b": #"{"name":"Residencial","stars":3,"address":{"city":"La Paz"},"rooms":[{"beds":1}]}"#,
            "c": #"{"name":"Plaza","stars":5,"address":{"city":"Oruro"},"rooms":[]}"#,
        ]
        for (id, json) in documents { try hotels.save(document: MutableDocument(id: id, json: json)) }
    }

    private func names(_ query: Query) throws -> [String?] {
        try query.execute().map { $0.string(at: 0) }
    }

    @Test("the queries of the guide to indexes use its value indexes")
    func values() throws {
        try hotels.createIndex(
            withName: "by_city",
            config: ValueIndexConfiguration(["address.city", "stars"])
        )
        let inCity = try database.query(
            """
            SELECT name FROM hotels
            WHERE address.city = 'La Paz' AND stars >= 3 ORDER BY stars
            """
        )
        print(try inCity.plan)
        // searches index by_city of hotels for address.city = ? and stars > ?
        #expect("\(try inCity.plan)" == "searches index by_city of hotels for address.city = ? and stars > ?")
        #expect(try names(inCity) == ["Residencial", "Andino"])

        try hotels.createIndex(
            withName: "by_name",
            config: ValueIndexConfiguration(["name COLLATE (UNICODE NOCASE)"])
        )
        let plaza = try database.query(
            "SELECT stars FROM hotels WHERE (name = 'plaza') COLLATE (UNICODE NOCASE)"
        )
        #expect(try plaza.plan.steps.map(\.index) == ["by_name"])
        #expect(try plaza.execute().map { $0.int(at: 0) } == [5])

        try hotels.createIndex(
            withName: "good_ones",
            config: ValueIndexConfiguration(["name"], where: "stars >= 4")
        )
        let good = try database.query(
            "SELECT name FROM hotels WHERE stars >= 4 AND name = 'Plaza'"
        )
        #expect(try good.plan.steps.map(\.index) == ["good_ones"])
        #expect(try names(good) == ["Plaza"])
    }

    @Test("UNNEST uses the array indexes of the guide to indexes")
    func arrays() throws {
        try hotels.createIndex(
            withName: "beds",
            config: ArrayIndexConfiguration(path: "rooms", expressions: ["beds"])
        )
        try hotels.createIndex(
            withName: "tags",
            config: ArrayIndexConfiguration(path: "rooms[].tags")
        )
        let family = try database.query(
            "SELECT h.name FROM hotels AS h UNNEST h.rooms AS room WHERE room.beds = 4"
        )
        let quiet = try database.query(
            """
            SELECT h.name FROM hotels AS h UNNEST h.rooms AS room UNNEST room.tags AS tag
            WHERE tag = 'quiet'
            """
        )
        #expect(try family.plan.steps.first?.index == "beds" && quiet.plan.steps.first?.index == "tags")
        #expect(try names(family) == ["Andino"] && names(quiet) == ["Andino"])
    }

    @Test("the query of the guide uses an index after the advised index has been created")
    func advice() throws {
        let query = try database.query("SELECT name FROM hotels WHERE stars = 5")
        for advice in try query.plan.advice {
            print(advice.reason, advice.statement)
            try hotels.createIndex(withName: advice.name, config: advice.configuration)
        }
        #expect(try query.plan.steps.map(\.index) == ["stars"])
    }
}

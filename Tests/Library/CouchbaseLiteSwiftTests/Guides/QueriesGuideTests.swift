import CouchbaseLiteSwift
import Testing

@Suite("The guide to queries")
struct QueriesGuideTests {
    private let test: TestDatabase
    private let database: Database
    private let hotels: Collection

    init() throws {
        test = try TestDatabase()
        database = test.database
        hotels = try database.createCollection(name: "hotels")
        let documents = [
            "a":
                #"{"name":"Café Andino","stars":4,"address":{"city":"La Paz"},"rooms":[{"beds":2,"floor":5,"balcony":false}]}"#,
            "b": #"{"name":"Residencial","stars":3,"address":{"city":"La Paz"},"rooms":[{"beds":1,"floor":1}]}"#,
            "c": #"{"name":"Plaza","stars":5,"address":{"city":"Oruro"},"rooms":[]}"#,
        ]
        for (id, json) in documents { try hotels.save(document: MutableDocument(id: id, json: json)) }
        let reviews = try database.createCollection(name: "reviews")
        try reviews.save(document: MutableDocument(id: "r", json: #"{"hotel":"c","score":5}"#))
    }

    @Test("the guide's queries in SQL++ and with the builder return the same rows")
    func works() throws {
        let least = 3
        let query = try database.query(
            """
            SELECT meta().id, name, address.city AS city FROM hotels
            WHERE stars >= \(least) AND city LIKE 'La %' ORDER BY stars DESC, name LIMIT 20
            """
        )
        for row in try query.execute() {
            print(
                row.string(forKey: "name") ?? "?",
                "in",
                row.string(forKey: "city") ?? "?"
            )
        }

        // swift-format-ignore
        let built = QueryBuilder
            .select(
                SelectResult.expression(Meta.id),
                SelectResult.property("name"),
                SelectResult.property("address.city").as("city")
            )
            .from(DataSource.collection(hotels))
            .where(
                Expression.property("stars")
                    .greaterThanOrEqualTo(Expression.parameter("least"))
                    .and(
                        Expression.property("address.city")
                            .like(Expression.string("La %"), caseSensitive: true)
                    )
            )
            .orderBy(Ordering.property("stars").descending(), Ordering.property("name"))
            .limit(Expression.int(20))
        built.parameters = Parameters().setInt(3, forName: "least")
        #expect(try built.execute().map { $0.toJSON() } == query.execute().map { $0.toJSON() })

        if let first = try query.execute().next() {
            let name = first.string(forKey: "name")
            let city = first[2].string
            let all = first.toDictionary()
            print(name ?? "?", city ?? "?", all.count)
        }

        struct Stay: Decodable {
            var id: String
            var name: String
        }
        let stays = try query.execute().data(as: Stay.self)
        #expect(stays.map(\.name) == ["Café Andino", "Residencial"])
    }

    @Test("the guide's queries with joins, arrays, groups and collations return the expected rows")
    func combines() throws {
        let joined = try database.query(
            """
            SELECT h.name, r.score FROM reviews AS r
            JOIN hotels AS h ON r.hotel = meta(h).id WHERE r.score > 4
            """
        )
        let rooms = try database.query(
            """
            SELECT h.name, room.beds FROM hotels AS h
            UNNEST h.rooms AS room WHERE room.beds >= 2
            """
        )
        let quiet = try database.query(
            """
            SELECT name FROM hotels
            WHERE ANY room IN rooms SATISFIES room.floor > 3 AND room.balcony = FALSE END
            """
        )
        let cities = try database.query(
            """
            SELECT address.city AS city, count(*) AS hotels, avg(stars) AS stars
            FROM hotels GROUP BY address.city HAVING count(*) > 1
            """
        )
        let search = try database.query(
            """
            SELECT name FROM hotels
            WHERE name = 'cafe andino' COLLATE (UNICODE NOCASE NODIAC)
            ORDER BY name COLLATE UNICODE:es
            """
        )
        #expect(try joined.execute().map { $0.toJSON() } == [#"{"name":"Plaza","score":5}"#])
        #expect(try rooms.execute().map { $0.toJSON() } == [#"{"name":"Café Andino","beds":2}"#])
        #expect(try quiet.execute().map { $0.string(at: 0) } == ["Café Andino"])
        #expect(try cities.execute().map { $0.toJSON() } == [#"{"city":"La Paz","hotels":2,"stars":3.5}"#])
        #expect(try search.execute().map { $0.string(at: 0) } == ["Café Andino"])
    }
}

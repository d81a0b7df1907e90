import CouchbaseLiteSwift
import Testing

@Suite("The guide to predictive queries", .serialized)
struct PredictiveQueriesGuideTests {
    private let test: TestDatabase
    private let database: Database
    private let stations: Collection

    init() throws {
        test = try TestDatabase()
        database = test.database
        stations = try database.createCollection(name: "stations")
        for (id, json) in [
            ("a", #"{"name":"Summit","samples":[1,5],"position":[0,0],"celsius":5}"#),
            ("b", #"{"name":"Harbour","samples":[20,35],"position":[0,4],"celsius":25}"#), ("c", #"{"name":"Closed"}"#),
        ] {
            try stations.save(document: MutableDocument(id: id, json: json))
        }
    }

    private func names(_ query: Query) throws -> [String?] { try query.execute().map { $0.string(at: 0) } }

    @Test("the guide's models are called by its queries, and the index answers them without the model")
    func models() throws {
        struct Statistics: PredictiveModel {
            func predict(input: DictionaryObject) -> DictionaryObject? {
                guard let numbers = input.array(forKey: "numbers"), numbers.count > 0 else {
                    return nil
                }
                let values = (0..<numbers.count).map { numbers.double(at: $0) }
                return MutableDictionaryObject()
                    .setDouble(values.reduce(0, +), forKey: "sum")
                    .setDouble(values.max() ?? 0, forKey: "max")
            }
        }

        Database.prediction.registerModel(Statistics(), withName: "Statistics")
        let high = try database.query(
            """
            SELECT name, PREDICTION(Statistics, {'numbers': samples}).sum AS total
            FROM stations
            WHERE PREDICTION(Statistics, {'numbers': samples}).max > 30
            """
        )
        #expect(try high.execute().map { $0.double(forKey: "total") } == [55])

        Database.prediction.registerModel(withName: "Initial") { input in
            input.string(forKey: "text").map { text in
                MutableDictionaryObject().setString(String(text.prefix(1)), forKey: "letter")
            }
        }

        struct Reading: Decodable, Sendable {
            let celsius: Double
        }
        struct Comfort: Encodable, Sendable {
            let label: String
            let confidence: Double
        }
        Database.prediction.registerModel(
            withName: "Comfort",
            input: Reading.self,
            output: Comfort.self
        ) { reading in
            let isWarm = reading.celsius > 22
            return Comfort(label: isWarm ? "warm" : "cool", confidence: 0.9)
        }
        let typed = try database.query("SELECT PREDICTION(Comfort, {'celsius': celsius}).label FROM stations ORDER BY name")
        #expect(try names(typed) == [nil, "warm", "cool"])
        let initials = try database.query("SELECT PREDICTION(Initial, {'text': name}).letter FROM stations ORDER BY name")
        #expect(try names(initials) == ["C", "H", "S"])

        let index = IndexBuilder.predictiveIndex(
            model: "Statistics",
            input: Expression.dictionary(["numbers": Expression.property("samples")]),
            properties: ["max"]
        )
        try stations.createIndex(index, name: "maxima")

        let prediction = Function.prediction(
            model: "Statistics",
            input: Expression.dictionary(["numbers": Expression.property("samples")])
        )
        let built =
            QueryBuilder
            .select(SelectResult.property("name"))
            .from(DataSource.collection(stations))
            .where(prediction.property("max").greaterThan(Expression.int(30)))
        #expect(try names(built) == ["Harbour"])
        Database.prediction.unregisterModel(withName: "Statistics")
        #expect(try names(high) == ["Harbour"])
        for name in ["Initial", "Comfort"] { Database.prediction.unregisterModel(withName: name) }
    }

    @Test("the guide's query by distance finds the nearest station")
    func distances() throws {
        let nearest = try database.query(
            """
            SELECT name FROM stations WHERE position IS VALUED
            ORDER BY EUCLIDEAN_DISTANCE(position, $here) LIMIT 1
            """
        )
        nearest.parameters = Parameters().setValue([0, 3], forName: "here")
        #expect(try names(nearest) == ["Harbour"])
    }
}

import CouchbaseLiteSwift
import TestSupport
import Testing

@Suite("Query plans")
struct QueryPlanTests {
    let directory: TemporaryDirectory
    let database: Database
    let collection: Collection

    init() throws {
        directory = try TemporaryDirectory()
        let config = DatabaseConfiguration()
        config.directory = directory.url.path
        database = try Database(name: "db", config: config)
        collection = try database.createCollection(name: "hotels", scope: "travel")
        for index in 0..<20 {
            let document = MutableDocument(id: "h\(index)").setString("Hotel \(index)", forKey: "name")
                .setInt(index % 5, forKey: "stars").setString("hotel", forKey: "type")
            try collection.save(document: document)
        }
    }

    @Test("a query plan describes its steps and the index that would help")
    func description() throws {
        let query = try database.createQuery("SELECT name FROM travel.hotels WHERE type = \"hotel\" ORDER BY stars")
        #expect(
            "\(try query.plan)" == """
                reads all 20 documents of travel.hotels
                sorts the rows by stars: no index provides this order

                An index would help: the documents are found without a full scan and returned in order.
                  try collection.createIndex(withName: "type_stars", config: ValueIndexConfiguration(["type", "stars"]))
                """
        )
        let step = try #require(try query.plan.steps.first)
        #expect(step.kind == .scan && step.collection == "travel.hotels" && step.documentCount == 20 && step.depth == 0)
        #expect(step.description == "reads all 20 documents of travel.hotels")
    }

    @Test("the advice of a query plan can be followed by the program")
    func advice() async throws {
        let text = "SELECT h.name FROM travel.hotels AS h UNNEST h.rooms AS r WHERE r.beds = 2 AND h.stars = 3"
        let query = try database.createQuery(text)
        let advice = try await database.read { try query.plan.advice }
        #expect(!advice.isEmpty)
        for piece in advice {
            #expect(piece.collection == "travel.hotels")
            #expect(piece.description == "\(piece.reason): \(piece.statement)")
            try collection.createIndex(withName: piece.name, config: piece.configuration)
        }
        #expect(try query.plan.steps.contains { $0.kind == .search && $0.index != nil })
    }

    @Test("a vector index is advised with its configuration, for a query with another function")
    func vectors() throws {
        for index in 0..<16 {
            let document = MutableDocument(id: "v\(index)").setArray(MutableArrayObject(data: [index, 1, 2]), forKey: "v")
            try collection.save(document: document)
        }
        let text = "SELECT meta().id FROM travel.hotels ORDER BY cosine_distance(v, $target) LIMIT 3"
        let advice = try #require(try database.createQuery(text).plan.advice.first)
        let start = #"var config = VectorIndexConfiguration(expression: "v", dimensions: 3, centroids: 6); config.metric = .cosine; "#
        #expect(advice.statement == start + #"try collection.createIndex(withName: "v", config: config)"#)
        #expect(advice.reason.contains("APPROX_VECTOR_DISTANCE") && advice.collection == "travel.hotels")
        var expected = VectorIndexConfiguration(expression: "v", dimensions: 3, centroids: 6)
        expected.metric = .cosine
        #expect(advice.configuration as? VectorIndexConfiguration == expected)
        try collection.createIndex(withName: advice.name, config: advice.configuration)
        let nearest = "SELECT meta().id FROM travel.hotels ORDER BY APPROX_VECTOR_DISTANCE(v, [0, 1, 2]) LIMIT 3"
        #expect(try database.createQuery(nearest).plan.steps.contains { $0.description.contains("vector index v") })
        #expect(try database.createQuery(nearest).execute().next()?.string(at: 0) == "v0")
    }

    @Test("a builder query has a plan, which throws an error if the query is invalid")
    func builder() throws {
        try collection.createIndex(withName: "byStars", config: ValueIndexConfiguration(["stars"]))
        let query = QueryBuilder.select(SelectResult.property("name")).from(DataSource.collection(collection))
            .where(Expression.property("stars").equalTo(Expression.int(3)))
        #expect(try query.plan.steps.map(\.index) == ["byStars"])
        #expect(try query.plan.advice == [])
        let bad = QueryBuilder.select(SelectResult.property("a..b")).from(DataSource.collection(collection))
        let error = #expect(throws: NSError.self) { try bad.plan }
        #expect(error?.code == CBLError.invalidQuery)
    }
}

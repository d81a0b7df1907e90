import DocumentStore
import QueryEngine
import QueryLanguage
import Testing
import VectorSearch

@Suite("Advice on vector indexes")
struct VectorAdviceTests {
    private let database: QueryDatabase
    private let parameters: QueryParameters

    init() throws {
        database = try QueryDatabase()
        parameters = try QueryParameters(json: #"{"p":[0,10]}"#)
        try database.file.transaction { [database] _ in
            for n in 0..<100 {
                for collection in ["_default._default", "Shop.hotels"] {
                    try database.save("d\(n)", #"{"n":\#(n),"v":[\#(n),10],"w":[1,2]}"#, in: collection)
                }
            }
            // One component more than an index can have.
            try database.save("long", #"{"long":\#(Array(repeating: 1, count: 4097))}"#)
        }
    }

    private func advice(_ text: String) throws -> [PlanDescription.Advice] {
        try database.prepare(text).plan(on: database.file).advice.filter { $0.vectorOptions != nil }
    }

    @Test(
        "a vector index is advised for the nearest documents, with the expression, the number of components and the metric of the query",
        arguments: [
            ("euclidean_distance(v, [0, 10])", VectorMetric.euclidean), ("EUCLIDEAN_DISTANCE($p, v)", VectorMetric.euclidean),
            ("euclidean_distance(v, $p, 2)", VectorMetric.euclideanSquared), ("cosine_distance(v, $p)", VectorMetric.cosine),
        ]
    )
    func advised(_ order: String, _ metric: VectorMetric) throws {
        for (collection, fullName) in [("_", "_default._default"), ("Shop.hotels", "Shop.hotels")] {
            let text = "SELECT n FROM \(collection) WHERE n >= 0 ORDER BY \(order) LIMIT 3"
            let rows = try database.rows(text, order.contains("$p") ? parameters : QueryParameters())
            let found = try advice(text)
            #expect(found.count == 1)
            let piece = try #require(found.first)
            #expect(piece.collection == fullName && piece.expressions == ["v"] && piece.name == "v" && piece.arrayPath == nil)
            #expect(piece.vectorOptions == VectorIndexOptions(dimensions: 2, centroids: 10, metric: metric))
            try database.indexes.create(piece.definition, on: database.collection(fullName))
            #expect(try database.rows("SELECT n FROM \(collection) ORDER BY APPROX_VECTOR_DISTANCE(v, [0, 10]) LIMIT 3") == rows)
            #expect(try advice(text) == [])
        }
    }

    @Test("an advised vector index gets an unused name, also if the distance is a column and the collection has an alias")
    func names() throws {
        try database.indexes.create(IndexDefinition(name: "V", text: "n"), on: database.collection())
        let found = try advice("SELECT d.n, cosine_distance(d.v, [1, 2, 3]) AS far FROM _ AS d ORDER BY far LIMIT 3")
        #expect(found.map(\.name) == ["v_2"])
        #expect(found.map(\.vectorOptions?.dimensions) == [3])
    }

    @Test("the statements of the advice create the index")
    func statement() throws {
        let found = try advice("SELECT n FROM _ ORDER BY euclidean_distance(v, $p) LIMIT 3")
        #expect(
            found.map(\.statement) == [
                #"var config = VectorIndexConfiguration(expression: "v", dimensions: 2, centroids: 10); config.metric = .euclidean; "#
                    + #"try collection.createIndex(withName: "v", config: config)"#
            ]
        )
    }

    @Test(
        "no vector index is advised for other queries, and if the number of components is unknown or cannot be indexed",
        arguments: [
            "euclidean_distance(v, [1, 2])", "euclidean_distance(v, [1, 2]) DESC LIMIT 3", "euclidean_distance(v, w) LIMIT 3",
            "euclidean_distance(v, [1, 2], 3) LIMIT 3", "n LIMIT 3", "euclidean_distance(nothing, $p) LIMIT 3",
            "euclidean_distance(n, $p) LIMIT 3", "euclidean_distance(v, [1]) LIMIT 3", "euclidean_distance(long, $p) LIMIT 3",
        ]
    )
    func notAdvised(_ order: String) throws {
        #expect(try advice("SELECT n FROM _ ORDER BY \(order)") == [])
    }
}

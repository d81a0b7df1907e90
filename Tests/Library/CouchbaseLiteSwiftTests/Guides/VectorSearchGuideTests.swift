import CouchbaseLiteSwift
import Testing

@Suite("The guide to vector search")
struct VectorSearchGuideTests {
    private let test: TestDatabase
    private let database: Database

    init() throws {
        test = try TestDatabase()
        database = test.database
    }

    private func vector(of text: String) async throws -> [Float] { [Float(text.count), 0] }

    @Test("the queries of the guide to vector search find the nearest colors")
    func searching() throws {
        let colors = try database.createCollection(name: "colors")
        try colors.save(document: MutableDocument(id: "red", json: #"{"name":"red","rgb":[255,0,0],"dark":false}"#))
        try colors.save(document: MutableDocument(id: "maroon", json: #"{"name":"maroon","rgb":[128,0,0],"dark":true}"#))
        let color = MutableDocument(id: "navy")
        color.setString("navy", forKey: "name")
        color.setArray(MutableArrayObject(data: [0, 0, 128]), forKey: "rgb")
        try colors.save(document: color)
        var config = VectorIndexConfiguration(expression: "rgb", dimensions: 3, centroids: 8)
        config.metric = .euclidean
        try colors.createIndex(withName: "by_rgb", config: config)
        let query = try database.createQuery(
            """
            SELECT name, APPROX_VECTOR_DISTANCE(rgb, $target) AS distance
            FROM colors ORDER BY distance LIMIT 3
            """
        )
        query.parameters = Parameters().setArray(MutableArrayObject(data: [0, 0, 100]), forName: "target")
        for row in try query.execute() { print(row.string(forKey: "name") ?? "") }
        #expect(try query.execute().map { $0.string(at: 0) } == ["navy", "maroon", "red"])
        let dark = try database.createQuery(
            """
            SELECT name FROM colors WHERE dark = true
            ORDER BY APPROX_VECTOR_DISTANCE(rgb, $target) LIMIT 3
            """
        )
        dark.parameters = Parameters().setArray(MutableArrayObject(data: [0, 0, 100]), forName: "target")
        print(try dark.execute().allResults().count)
        #expect(try dark.execute().map { $0.string(at: 0) } == ["maroon"])
    }

    @Test("the lazy index of the guide to vector search gets the vectors of its documents")
    func lazyIndexes() async throws {
        let notes = try database.createCollection(name: "notes")
        try notes.save(document: MutableDocument(id: "n", json: #"{"text":"a note"}"#))
        var lazy = VectorIndexConfiguration(expression: "text", dimensions: 2, centroids: 8)
        lazy.isLazy = true
        try notes.createIndex(withName: "by_meaning", config: lazy)
        let index = try notes.index(withName: "by_meaning")!
        let count = try await index.update { value in
            try await vector(of: value as? String ?? "")
        }
        print(count)
        #expect(count == 1)
        #expect(try index.vectorCount == 1)
    }
}

import DocumentStore
import QueryEngine
import QueryLanguage
import TestSupport
import Testing
import VectorSearch

/// The second comparison of candidates by the vectors in the documents (Vector search EN-12).
@Suite("Second comparison of vectors")
struct VectorRerankingTests {
    /// Documents with vectors on a line, which 4 bits or a few codes cannot tell apart.
    private func words(_ encoding: StoredVectorEncoding, isLazy: Bool = false, expression: String = "vector") throws -> VectorDatabase {
        let words = try VectorDatabase.withPoints(1000, nil)
        try words.createIndex(
            expression: expression,
            options: VectorIndexOptions(dimensions: 2, centroids: 1, encoding: encoding, isLazy: isLazy)
        )
        return words
    }

    /// Returns the distances of the five nearest documents of a search for more.
    private func distances(_ words: VectorDatabase, _ limit: Int = 40, expression: String = "vector") throws -> [Double] {
        let query = "SELECT APPROX_VECTOR_DISTANCE(\(expression), $t) AS d FROM words ORDER BY d LIMIT \(limit)"
        return try words.rows(query, target: "[500,0]").prefix(5).compactMap { Double($0) }
    }

    @Test("with a coarse encoding, the best candidates have exact distances")
    func exact() throws {
        let words = try words(.scalar(bits: 4))
        #expect(try words.state().isTrained)
        #expect(try distances(words) == [0, 1, 1, 4, 4])
        #expect(try words.nearest(40, target: "[500,0]").prefix(3) == ["w500", "w499", "w501"])
        let rest = "SELECT meta().id FROM words ORDER BY APPROX_VECTOR_DISTANCE(vector, $t) LIMIT 38 OFFSET 2"
        #expect(try words.rows(rest, target: "[500,0]").first == #""w501""#)
    }

    @Test("with a product quantizer too")
    func product() throws {
        let words = try words(.product(subquantizers: 2, bits: 4))
        #expect(try words.state().isTrained)
        #expect(try distances(words) == [0, 1, 1, 4, 4])
    }

    @Test("computed expressions, large limits and finer encodings keep the distances of the index")
    func others() throws {
        let computed = "CASE WHEN n >= 0 THEN vector END"
        let words = try words(.scalar(bits: 4), expression: computed)
        #expect(try distances(words, expression: computed) != [0, 1, 1, 4, 4])
        let many = try self.words(.scalar(bits: 4))
        #expect(try distances(many, 251) != [0, 1, 1, 4, 4])
        let plan = try many.database.prepare("SELECT n FROM words ORDER BY APPROX_VECTOR_DISTANCE(vector, $t) LIMIT 5")
            .plan(on: many.database.file).steps.map(\.text).joined()
        #expect(plan.contains("compares the best again"))
    }

    @Test("a document whose vector has changed in the same transaction has its new distance")
    func changed() throws {
        let words = try words(.scalar(bits: 4))
        try words.save("w3", 500, 0)
        #expect(try words.nearest(40, target: "[500,0]").prefix(2) == ["w3", "w500"])
        try words.database.delete("w500", in: "words")
        #expect(try words.nearest(40, target: "[500,0]").prefix(2) == ["w3", "w499"])
    }

    @Test(
        "in a query with conditions the first rows have exact distances, in whatever order documents come",
        arguments: [StoredVectorEncoding.scalar(bits: 4), .product(subquantizers: 2, bits: 4)],
        ["n % 2 = 0", "n > 100", "-n < 0"]
    )
    func hybrid(_ encoding: StoredVectorEncoding, _ condition: String) throws {
        let words = try words(encoding)
        func first(_ distance: String) throws -> [String] {
            let query = "SELECT n, \(distance) AS d FROM words WHERE \(condition) ORDER BY d, n LIMIT 40 OFFSET 2"
            return try Array(words.rows(query, target: "[500,0]").prefix(5))
        }
        #expect(try first("APPROX_VECTOR_DISTANCE(vector, $t)") == first("EUCLIDEAN_DISTANCE(vector, $t, 2)"))
    }

    @Test("conditions on the distance, joins and changed documents have exact distances too")
    func hybridForms() throws {
        let words = try words(.scalar(bits: 4))
        let distance = "APPROX_VECTOR_DISTANCE(vector, $t)"
        let near = "SELECT n FROM words WHERE n > 0 AND \(distance) < 2.5 ORDER BY \(distance), n LIMIT 40"
        #expect(try words.rows(near, target: "[500,0]") == ["500", "499", "501"])
        let joined = """
            SELECT b.n FROM words AS a JOIN words AS b ON b.n = a.n + 1 WHERE a.n > 0
            ORDER BY APPROX_VECTOR_DISTANCE(a.vector, $t), a.n LIMIT 40
            """
        #expect(try words.rows(joined, target: "[500,0]").prefix(3) == ["501", "500", "502"])
        try words.save("w3", 500, 0, more: #","n":3"#)
        let ids = "SELECT meta().id FROM words WHERE n > 0 ORDER BY \(distance), n LIMIT 40"
        #expect(try words.rows(ids, target: "[500,0]").prefix(3) == [#""w3""#, #""w500""#, #""w499""#])
    }

    @Test(
        "LIMIT and OFFSET of a query with conditions may be any numbers",
        arguments: ["0", "-1", "-9223372036854775808", "9223372036854775807"],
        ["0", "-9223372036854775808", "9223372036854775807"]
    )
    func hybridLimits(_ limit: String, _ offset: String) throws {
        let words = try words(.scalar(bits: 4))
        let query = "SELECT n FROM words WHERE n > 0 ORDER BY APPROX_VECTOR_DISTANCE(vector, $t) "
        let expected = limit.hasPrefix("9") && !offset.hasPrefix("9") ? 999 : 0
        #expect(try words.rows(query + "LIMIT \(limit) OFFSET \(offset)").count == expected)
        let parameters = try QueryParameters(json: "{\"t\":[0,0],\"limit\":\(limit),\"offset\":\(offset)}")
        #expect(try words.database.rows(query + "LIMIT $limit OFFSET $offset", parameters).count == expected)
    }

    @Test("all rows of a query without LIMIT, in descending order, or in groups, keep the distances of the index")
    func hybridWithout() throws {
        let words = try words(.scalar(bits: 4))
        let distance = "APPROX_VECTOR_DISTANCE(vector, $t)"
        for query in [
            "SELECT \(distance) AS d FROM words WHERE n > 0 ORDER BY d",
            "SELECT min(\(distance)) AS d FROM words WHERE n > 0 GROUP BY n ORDER BY d LIMIT 40",
            "SELECT DISTINCT \(distance) AS d FROM words WHERE n > 0 ORDER BY d LIMIT 40",
            "SELECT \(distance) AS d FROM words WHERE n > 0 ORDER BY d LIMIT 251",
        ] {
            #expect(try words.rows(query, target: "[500,0]").prefix(5) != ["0", "1", "1", "4", "4"], "\(query)")
        }
        let plans = try ["ORDER BY \(distance) LIMIT 5", "ORDER BY \(distance) DESC LIMIT 5"].map { order in
            try words.database.prepare("SELECT n FROM words WHERE n > 0 \(order)").plan(on: words.database.file).steps.map(\.text).joined()
        }
        #expect(plans.map { $0.contains("compares the best again") } == [true, false])
    }
}

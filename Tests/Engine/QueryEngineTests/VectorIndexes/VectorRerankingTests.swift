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
}

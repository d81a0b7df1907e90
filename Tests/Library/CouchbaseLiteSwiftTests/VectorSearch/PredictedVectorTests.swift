import Foundation
import Testing

@testable import CouchbaseLiteSwift

/// Vector indexes of the outputs of predictive models (Vector search VS-8, VI-12).
@Suite("Vector indexes of predictions", .serialized)
struct PredictedVectorTests {
    private let folder: DatabaseFolder
    private let database: Database
    private let words: Collection
    private let model = "VectorsOfWords"
    private let expression = #"prediction(VectorsOfWords, {"word": word}).vector"#

    init() throws {
        folder = try DatabaseFolder()
        database = try folder.open()
        words = try database.createCollection(name: "words")
        try save("a", "aa")
        try save("b", "bbbb")
    }

    private func save(_ id: String, _ word: String) throws {
        try words.save(document: MutableDocument(id: id, data: ["word": word]))
    }

    /// Registers a model that looks up the word in another database object of the same file before it counts the letters.
    private func register() throws {
        let other = try folder.open()
        Database.prediction.registerModel(withName: model) { input in
            guard let word = input.string(forKey: "word") else { return nil }
            let known = try? other.createQuery("SELECT count(*) FROM words WHERE word = '\(word)'").execute().next()?.int(at: 0)
            guard known != nil else { return nil }
            return MutableDictionaryObject().setArray(MutableArrayObject(data: [word.count, 0]), forKey: "vector")
        }
    }

    private func createIndex() throws {
        try words.createIndex(withName: "vectors", config: VectorIndexConfiguration(expression: expression, dimensions: 2, centroids: 1))
    }

    private func found(nearestTo length: Int) throws -> [String?] {
        let query = "SELECT meta().id FROM words ORDER BY approx_vector_distance(\(expression), [\(length), 0]) LIMIT 10"
        return try database.createQuery(query).execute().map { $0.string(at: 0) }
    }

    @Test("documents are found by the vectors that a model computes, which may query the same database")
    func nearest() throws {
        try register()
        defer { Database.prediction.unregisterModel(withName: model) }
        try createIndex()
        #expect(try found(nearestTo: 4) == ["b", "a"])
        try save("c", "ccccccccc")
        #expect(try found(nearestTo: 9) == ["c", "b", "a"])
        #expect(try folder.problems() == [])
    }

    @Test("without the model an index cannot be created, and documents that are saved are indexed when the model is there")
    func missingModel() throws {
        #expect(thrown { try createIndex() } == ErrorCode(domain: "CouchbaseLite.SQLite", code: 1))
        try register()
        try createIndex()
        Database.prediction.unregisterModel(withName: model)
        try save("c", "ccccccccc")
        try register()
        defer { Database.prediction.unregisterModel(withName: model) }
        #expect(try found(nearestTo: 9) == ["c", "b", "a"])
        try save("d", "dd")
        #expect(try found(nearestTo: 9).first == "c")
        #expect(try folder.problems() == [])
    }
}

import DocumentStore
import Fleece
import QueryEngine
import QueryLanguage
import SQLiteEngine
import TestSupport
import Testing
import VectorSearch

/// A database with a collection `words`, whose documents have vectors.
final class VectorDatabase {
    let database: QueryDatabase

    init(_ database: QueryDatabase? = nil) throws {
        self.database = try database ?? QueryDatabase()
    }

    var words: CollectionStore { get throws { try database.collection("words") } }

    /// Creates the documents w0, w1, … at the points (0, 0), (1, 0), … with the property `n`.
    static func withPoints(_ count: Int, _ options: VectorIndexOptions? = VectorIndexOptions(dimensions: 2, centroids: 1)) throws
        -> VectorDatabase
    {
        let made = try VectorDatabase()
        _ = try made.words
        try made.database.file.transaction { _ in
            for n in 0..<count { try made.save("w\(n)", n, 0, more: #","n":\#(n),"even":\#(n % 2 == 0)"#) }
        }
        if let options { try made.createIndex(options: options) }
        return made
    }

    func save(_ id: String, _ x: Int, _ y: Int, more: String = "") throws {
        try database.save(id, #"{"vector":[\#(x),\#(y)]\#(more)}"#, in: "words")
    }

    func createIndex(
        _ name: String = "words_index",
        expression: String = "vector",
        options: VectorIndexOptions = VectorIndexOptions(dimensions: 2, centroids: 1)
    ) throws {
        try database.indexes.create(IndexDefinition(name: name, kind: .vector(options), text: expression), on: words)
    }

    /// Returns the rows of a query, in which `$t` is the target.
    func rows(_ text: String, target: String = "[0,0]") throws -> [String] {
        try database.rows(text, QueryParameters(json: "{\"t\":\(target)}"))
    }

    /// Returns the IDs of the nearest documents.
    func nearest(_ limit: Int = 300, target: String = "[0,0]", distance: String = "APPROX_VECTOR_DISTANCE(vector, $t)") throws -> [String] {
        try rows("SELECT meta().id FROM words ORDER BY \(distance) LIMIT \(limit)", target: target)
            .map { $0.filter { $0 != "\"" } }
    }

    /// The number of vectors in the index, and whether it is trained.
    func state(_ name: String = "words_index") throws -> IndexRegistry.VectorState {
        try #require(try database.indexes.vectorState(of: name, on: words))
    }

    /// The differences that the check of the database finds.
    func findings() throws -> [String] { try BundleChecker(database.file).findings().map(\.description) }
}

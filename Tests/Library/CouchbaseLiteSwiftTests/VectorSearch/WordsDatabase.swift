import Foundation
import TestSupport
import Testing

@testable import CouchbaseLiteSwift

/// The collections `words` and `extwords` with vectors in clusters (Vector search 12.2). All tests copy one database.
struct WordsDatabase {
    let directory: TemporaryDirectory
    let database: Database
    let words: Collection
    let moreWords: Collection

    /// The number of components.
    static let dimensions: UInt32 = 300

    private static let template = Swift.Result {
        let directory = try TemporaryDirectory()
        let config = DatabaseConfiguration()
        config.directory = directory.url.path
        let database = try Database(name: "words", config: config)
        let vectors = WordVectors()
        for (name, base, count, letter) in [("words", UInt64(16), 300, "w"), ("extwords", 48, 50, "x")] {
            let collection = try database.createCollection(name: name)
            try database.inBatch {
                for n in 0..<count {
                    let document = MutableDocument(id: "word\(n + 1)")
                    document.setString("\(letter)\(n + 1)", forKey: "word")
                    document.setString("cat\(n % 6 + 1)", forKey: "catid")
                    document.setArray(MutableArrayObject(data: vectors.vector(base, n)), forKey: "vector")
                    try collection.save(document: document)
                }
            }
        }
        let path = try #require(database.path)
        try database.close()
        return (directory: directory, path: path)
    }

    static let dinner: [Double] = WordVectors().vector(64, 0)

    init() throws {
        let template = try Self.template.get()
        directory = try TemporaryDirectory()
        let config = DatabaseConfiguration()
        config.directory = directory.url.path
        try Database.copy(fromPath: template.path, toDatabase: "words", withConfig: config)
        database = try Database(name: "words", config: config)
        words = try database.createCollection(name: "words")
        moreWords = try database.createCollection(name: "extwords")
    }

    func createIndex(_ change: (inout VectorIndexConfiguration) -> Void = { _ in }) throws {
        var config = VectorIndexConfiguration(expression: "vector", dimensions: Self.dimensions, centroids: 8)
        change(&config)
        try words.createIndex(withName: "words_index", config: config)
    }

    /// Runs the query of most tests, and checks that it uses the index.
    func search(_ limit: Int = 20, where condition: String? = nil, metric: String? = nil, by expression: String = "vector") throws
        -> [CouchbaseLiteSwift.Result]
    {
        let distance = "APPROX_VECTOR_DISTANCE(\(expression), $vector\(metric.map { ", \"\($0)\"" } ?? ""))"
        let filter = condition.map { " WHERE \($0)" } ?? ""
        let query = try database.createQuery("SELECT meta().id, word, catid FROM words\(filter) ORDER BY \(distance) LIMIT \(limit)")
        let parameters = Parameters()
        parameters.setArray(MutableArrayObject(data: Self.dinner), forName: "vector")
        query.parameters = parameters
        #expect(try query.explain().contains("kv_.words:vector:words_index"))
        return try query.execute().allResults()
    }

    func ids(_ limit: Int = 20, where condition: String? = nil) throws -> Set<String> {
        Set(try search(limit, where: condition).compactMap { $0.string(forKey: "id") })
    }
}

/// The generator of the vectors (Vector search 11.1).
struct WordVectors {
    private static let (dimensions, clusters, directions, seed) = (300, 6, 4, UInt64(7))

    private static func mix(_ number: UInt64) -> UInt64 {
        var z = number
        z = (z ^ z >> 30) &* 0xBF58_476D_1CE4_E5B9
        z = (z ^ z >> 27) &* 0x94D0_49BB_1331_11EB
        return z ^ z >> 31
    }

    private static func uniform(_ stream: UInt64, _ index: Int) -> Double {
        Double(mix(mix(seed &+ stream) &+ (UInt64(index) + 1) &* 0x9E37_79B9_7F4A_7C15) >> 11) * 0x1p-53
    }

    private static func normal(_ stream: UInt64, _ index: Int) -> Double {
        (1..<12).reduce(uniform(stream, 12 * index)) { $0 + uniform(stream, 12 * index + $1) } - 6
    }

    private static let centres = (0..<clusters * dimensions).map { 200 * uniform(1, $0) * uniform(2, $0) }
    private static let spread = (0..<clusters * directions * dimensions).map { 14 * normal(3, $0) }

    /// Returns a vector of cluster n mod 6, with components from 0 to 1.
    func vector(_ base: UInt64, _ number: Int) -> [Double] {
        let cluster = number % Self.clusters
        var sums = Array(Self.centres[cluster * Self.dimensions..<(cluster + 1) * Self.dimensions])
        for direction in 0..<Self.directions {
            let length = Self.normal(base + 1, number * Self.directions + direction)
            let start = (cluster * Self.directions + direction) * Self.dimensions
            for index in 0..<Self.dimensions { sums[index] += length * Self.spread[start + index] }
        }
        return (0..<Self.dimensions).map { index in
            let sum = sums[index] + 24 * (Self.uniform(base + 2, number * Self.dimensions + index) - 0.5)
            return (min(255, max(0, (sum + 0.5).rounded(.down))) / 255 * 1e6).rounded() / 1e6
        }
    }
}

/// Runs `body`, and expects an error with the code.
func expectFailure(_ code: Int, sourceLocation: SourceLocation = #_sourceLocation, _ body: () throws -> Void) {
    let error = #expect(throws: NSError.self, sourceLocation: sourceLocation) { try body() }
    #expect(error?.code == code, sourceLocation: sourceLocation)
}

/// Returns the code of the error that `body` throws; `nil` if it throws none.
nonisolated(nonsending) func code(_ body: () async throws -> Void) async -> Int? {
    do {
        try await body()
        return nil
    } catch {
        return (error as NSError).code
    }
}

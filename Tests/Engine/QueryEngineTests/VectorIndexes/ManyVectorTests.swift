import Base
import DocumentStore
import Fleece
import Foundation
import TestSupport
import Testing
import VectorSearch

@testable import QueryEngine

/// Searches among as many vectors and buckets as the tests of LiteCore have (Vector search 12.1).
@Suite("Many vectors")
struct ManyVectorTests {
    private static let (count, centroids, dimensions) = (7680, 256, 8)
    private static let options = VectorIndexOptions(dimensions: dimensions, centroids: centroids, encoding: .none)

    /// Vectors in as many clusters as there are buckets; all are different. They are the same in each run.
    private static let vectors: [[Int]] = {
        var random = SeededGenerator(seed: 12)
        func number(below limit: UInt64) -> Int { Int(random.next() % limit) }
        let centers = (0..<256).map { _ in (0..<dimensions).map { _ in number(below: 256) } }
        return (0..<count).map { _ in
            let center = centers[number(below: 256)]
            return center.map { $0 + number(below: 41) - 20 }
        }
    }()

    private typealias State = IndexRegistry.VectorState

    /// The file from which the tests begin, and the index while it was filled.
    private static let template = Swift.Result {
        let directory = try TemporaryDirectory()
        let words = try VectorDatabase(QueryDatabase(path: directory.path("db.cblite2"), directory: directory))
        try words.createIndex(options: options)
        try save(0..<100, in: words)
        let few = try words.state()
        try save(100..<count, in: words)
        return (directory: directory, few: few, all: try words.state())
    }

    private static func save(_ numbers: Range<Int>, in words: VectorDatabase) throws {
        let collection = try words.words
        try words.database.file.transaction { writer in
            for n in numbers {
                _ = try collection.save(DocumentSave("w\(n)", base: .latest), in: writer) { encoder in
                    encoder.beginDictionary()
                    encoder.writeKey("n")
                    encoder.write(Int64(n))
                    encoder.writeKey("vector")
                    encoder.beginArray()
                    for component in vectors[n] { encoder.write(Int64(component)) }
                    encoder.endArray()
                    encoder.endDictionary()
                    return false
                }
            }
        }
    }

    /// A copy of the template.
    private func words() throws -> VectorDatabase {
        let template = try Self.template.get()
        let directory = try TemporaryDirectory()
        let copy = try directory.copy(template.directory.url.appendingPathComponent("db.cblite2"))
        return try VectorDatabase(QueryDatabase(path: copy.path, directory: directory))
    }

    /// The documents that satisfy the condition and are the nearest ones, with their distances.
    private func nearest(_ limit: Int, to target: Int, where condition: (Int) -> Bool = { _ in true }) -> [String] {
        let target = Self.vectors[target]
        let all: [(distance: Int, n: Int)] = Self.vectors.indices.filter(condition).map { n in
            let differences = zip(Self.vectors[n], target).map { $0 - $1 }
            return (distance: differences.reduce(0) { $0 + $1 * $1 }, n: n)
        }
        return all.sorted { ($0.distance, $0.n) < ($1.distance, $1.n) }.prefix(limit).map { "\($0.n) \($0.distance).0" }
    }

    /// Returns the numbers and distances of documents, sorted, so that the order of equal distances does not matter.
    private func search(_ words: VectorDatabase, _ target: Int, _ text: String) throws -> [String] {
        try words.rows(text.replacing("DISTANCE", with: "APPROX_VECTOR_DISTANCE(vector, $t"), target: "\(Self.vectors[target])").sorted()
    }

    @Test("L-2: a search finds exactly the nearest documents if it looks at all buckets, and else nearly all of them and its own document")
    func exactNeighbours() throws {
        let words = try words()
        var found = 0
        let targets = [5, 1000, 2500, 4321, 7679]
        for target in targets {
            let wanted = nearest(10, to: target)
            // The nearest is the document of the target itself.
            #expect(wanted.first == "\(target) 0.0")
            for limit in [5, 10] {
                let query = "SELECT n, DISTANCE, NULL, 256) AS d FROM words ORDER BY d LIMIT \(limit)"
                #expect(try search(words, target, query) == wanted.prefix(limit).sorted())
            }
            #expect(try search(words, target, "SELECT n, DISTANCE) AS d FROM words ORDER BY d LIMIT 1") == ["\(target) 0.0"])
            let probed = try search(words, target, "SELECT n, DISTANCE) AS d FROM words ORDER BY d LIMIT 10")
            #expect(probed.count == 10)
            found += Set(exactly: probed).intersection(Set(exactly: wanted)).count
        }
        // 8 of 256 buckets are looked at.
        #expect(found >= 9 * targets.count)
    }

    @Test("L-5: a search with a condition that one of a hundred documents satisfies finds exactly the ten nearest of these")
    func exactConditions() throws {
        let words = try words()
        for (target, rest) in [(5, 5), (1000, 7), (7679, 99)] {
            let query = "SELECT n, DISTANCE) AS d FROM words WHERE n % 100 = \(rest) ORDER BY d LIMIT 10"
            let wanted = nearest(10, to: target) { $0 % 100 == rest }
            #expect(try search(words, target, query) == wanted.sorted())
        }
    }

    @Test("L-9: an index of 256 buckets is not trained with 100 documents, and is trained with 7680, which come before or after it")
    func training() throws {
        let template = try Self.template.get()
        #expect(template.few == State(vectorCount: 100, isTrained: false))
        #expect(template.all == State(vectorCount: Self.count, isTrained: true))
        let words = try words()
        try words.createIndex("later", options: Self.options)
        _ = try search(words, 5, "SELECT n, DISTANCE) AS d FROM words LIMIT 10")
        #expect(try words.state("later") == State(vectorCount: Self.count, isTrained: true))
        // That needs 25 vectors for each bucket.
        let larger = VectorIndexOptions(dimensions: Self.dimensions, centroids: Self.count / 25 + 1, encoding: .none)
        try words.createIndex("untrained", options: larger)
        #expect(try words.state("untrained") == State(vectorCount: Self.count, isTrained: false))
    }
}

import DocumentStore
import Fleece
import QueryLanguage
import TestSupport
import Testing
import VectorSearch

@testable import QueryEngine

/// Lazy indexes under random changes (Vector search T-16).
@Suite("Random lazy vectors")
struct RandomLazyTests {
    /// What is known about a document.
    private struct Known {
        var n: Int
        /// Whether the app has decided since the last change; and the vector, if it has one.
        var isDecided = false
        var vector: [Float]?
    }

    @Test("updates that set, skip, set nothing, are released, or race with changes leave the index that they should")
    func random() throws {
        let seed = TestSeed.forThisTest()
        var random = SeededGenerator(seed: seed)
        try VectorIndexWriter.$maximumLoose.withValue(8) {
            let directory = try TemporaryDirectory()
            func open() throws -> VectorDatabase {
                try VectorDatabase(QueryDatabase(path: directory.path("db.cblite2"), directory: directory))
            }
            var opened: VectorDatabase? = try open()
            var options = VectorIndexOptions(dimensions: 2, centroids: 2, encoding: .none)
            options.isLazy = true
            try opened?.createIndex(expression: "n", options: options)
            var known: [String: Known] = [:]
            var last = 0
            func change(_ words: VectorDatabase) throws {
                let id = "d\(Int.random(in: 0..<60, using: &random))"
                if Int.random(in: 0..<6, using: &random) == 0, known[id] != nil {
                    if Bool.random(using: &random) {
                        try words.database.delete(id, in: "words")
                    } else {
                        try words.database.purge(id, in: "words")
                    }
                    known[id] = nil
                } else {
                    last += 1
                    try words.database.save(id, #"{"n":\#(last)}"#, in: "words")
                    known[id] = Known(n: last)
                }
            }
            /// Returns the documents of an update, which are identified by their numbers.
            func ids(_ update: VectorUpdate) -> [(id: String, n: Int)] {
                (0..<update.count).map { index in
                    let n = Int(update.values.root?.array?[index]?.int64 ?? -1)
                    return (known.first { $0.value.n == n && !$0.value.isDecided }?.key ?? "", n)
                }
            }
            for round in 0..<60 {
                // The last updates were finished, or released, before the file is closed.
                if round % 9 == 8 {
                    opened = nil
                    opened = try open()
                }
                let words = try #require(opened)
                for _ in 0..<Int.random(in: 0..<12, using: &random) { try change(words) }
                let undecided = known.count { !$0.value.isDecided }
                let update = try VectorUpdate.begin("words_index", on: words.words, limit: Int.random(in: 1...30, using: &random))
                #expect((update == nil) == (undecided == 0), "seed \(seed), round \(round)")
                guard let update else { continue }
                let offered = ids(update)
                // Some documents change before the update is finished.
                if round % 3 == 0 { for _ in 0..<3 { try change(words) } }
                if round % 7 == 0 { continue }
                var results: [VectorUpdate.Result] = []
                for (id, n) in offered {
                    let isCurrent = known[id].map { $0.n == n } ?? false
                    switch Int.random(in: 0..<5, using: &random) {
                    case 0: results.append(.skipped)
                    case 1:
                        results.append(.vector(nil))
                        if isCurrent { known[id] = Known(n: n, isDecided: true, vector: nil) }
                    default:
                        let vector = [Float(n), Float(round)]
                        results.append(.vector(vector))
                        if isCurrent { known[id] = Known(n: n, isDecided: true, vector: vector) }
                    }
                }
                try update.finish(results, on: words.words)
                let wanted = Set(
                    known.compactMap { id, known in
                        known.vector.map { "\"\(id)\" \(Double($0[0] * $0[0] + $0[1] * $0[1]))" }
                    }
                )
                let rows = try words.rows("SELECT meta().id, APPROX_VECTOR_DISTANCE(n, $t) FROM words LIMIT 1000")
                #expect(Set(rows) == wanted, "seed \(seed), round \(round)")
                #expect(try words.findings() == [], "seed \(seed), round \(round)")
                guard round % 10 == 9 else { continue }
                let reader = try words.database.reopenedForReading()
                let collection = try #require(try reader.file.collection(CollectionID(name: "words")))
                let left = try VectorUpdate.begin("words_index", on: collection, limit: 1000)?.count ?? 0
                #expect(left == known.count { !$0.value.isDecided }, "seed \(seed), round \(round)")
            }
        }
    }
}

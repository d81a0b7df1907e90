import Base
import DocumentStore
import TestSupport
import Testing
import VectorSearch

@testable import QueryEngine

/// A vector index under random changes, compared with the vectors that the documents should have (Vector search T-2, T-20).
@Suite("Random vectors")
struct RandomVectorTests {
    /// The largest component of a vector.
    private static let largest = 49

    private struct Undo: Error {}

    /// Changes documents at random, and knows the vectors that they should have then.
    private struct Changes {
        private(set) var vectors: [ExactString: [Int]] = [:]
        private var random: SeededGenerator

        init(seed: UInt64) { random = SeededGenerator(seed: seed) }

        mutating func number(below limit: Int) -> Int { Int.random(in: 0..<limit, using: &random) }

        /// Saves two documents that no other change concerns. The components of all others are between theirs, so that codes are exact to half a
        /// step, and an index that is built anew has the same steps.
        mutating func saveCorners(in words: VectorDatabase) throws {
            for (id, component) in [("least", 0), ("most", largest)] {
                try words.save(id, component, component)
                vectors[ExactString(id)] = [component, component]
            }
        }

        mutating func change(_ words: VectorDatabase) throws {
            let id = "d\(number(below: 240))"
            let key = ExactString(id)
            switch number(below: 12) {
            case 0 where vectors[key] != nil:
                try words.database.delete(id, in: "words")
                vectors[key] = nil
            case 1 where vectors[key] != nil:
                try words.database.purge(id, in: "words")
                vectors[key] = nil
            case 2:
                try words.database.save(id, #"{"vector":1}"#, in: "words")
                vectors[key] = nil
            case 3:
                // Another property changes, and not the vector.
                guard let vector = vectors[key] else { return }
                try words.save(id, vector[0], vector[1], more: #","other":\#(number(below: 1000))"#)
            default:
                // Some of these are new, some were deleted before.
                let vector = [number(below: largest + 1), number(below: largest + 1)]
                try words.save(id, vector[0], vector[1])
                vectors[key] = vector
            }
        }

        /// Makes changes that are not committed, or only in part.
        mutating func undoSome(_ words: VectorDatabase) throws {
            let before = vectors
            #expect(throws: Undo.self) {
                try words.database.file.transaction { _ in
                    for _ in 0..<20 { try change(words) }
                    // So that they are in the index before they are rolled back.
                    let (count, wanted) = (try words.nearest(1000).count, vectors.count)
                    #expect(count == wanted)
                    throw Undo()
                }
            }
            vectors = before
            try words.database.file.transaction { _ in
                for _ in 0..<5 { try change(words) }
                let inside = vectors
                #expect(throws: Undo.self) {
                    try words.database.file.statement { _ in
                        for _ in 0..<5 { try change(words) }
                        throw Undo()
                    }
                }
                vectors = inside
            }
        }
    }

    /// Checks that searches find exactly the documents that have vectors, at their distances.
    private func check(_ words: VectorDatabase, _ changes: Changes, step: Float, _ hint: Comment) throws {
        let rows = try words.rows("SELECT meta().id, APPROX_VECTOR_DISTANCE(vector, $t) AS d FROM words LIMIT 1000")
        var found: [ExactString: Double] = [:]
        for row in rows {
            let parts = row.split(separator: " ")
            found[ExactString(String(parts[0].dropFirst().dropLast()))] = Double(parts[1])
        }
        #expect(rows.count == found.count, hint)
        #expect(Set(found.keys) == Set(changes.vectors.keys), hint)
        // Each component of a code is wrong by half a step at most.
        let error = Double(step) / 2 * 2.0.squareRoot() + 1e-4
        let areNear = changes.vectors.allSatisfy { id, vector in
            let wanted = Double(vector[0] * vector[0] + vector[1] * vector[1])
            if step == 0 { return found[id] == wanted }
            return abs((found[id] ?? -1).squareRoot() - wanted.squareRoot()) <= error
        }
        #expect(areNear, hint)
    }

    @Test(
        "random changes, batches that are undone, reindexing and reopening leave the index that would be built anew",
        arguments: [StoredVectorEncoding.none, .scalar(bits: 8)]
    )
    func random(_ encoding: StoredVectorEncoding) throws {
        let seed = TestSeed.forThisTest()
        let step = encoding == .none ? 0 : Float(Self.largest) / 255
        var changes = Changes(seed: seed)
        let directory = try TemporaryDirectory()
        func open() throws -> VectorDatabase {
            try VectorDatabase(QueryDatabase(path: directory.path("db.cblite2"), directory: directory))
        }
        // Two buckets, so that they have more vectors than one cell. All vectors are used for training.
        let options = VectorIndexOptions(dimensions: 2, centroids: 2, encoding: encoding, maximumTraining: 512)
        try VectorIndexWriter.$maximumLoose.withValue(16) {
            var opened: VectorDatabase? = try open()
            try opened?.createIndex(options: options)
            if let words = opened { try changes.saveCorners(in: words) }
            for round in 0..<30 {
                let hint: Comment = "seed \(seed), \(encoding.name), round \(round)"
                if round % 7 == 6 {
                    opened = nil
                    opened = try open()
                }
                let words = try #require(opened)
                switch round % 5 {
                case 0: for _ in 0..<6 { try changes.change(words) }
                case 1: try changes.undoSome(words)
                case 2 where round % 3 == 0: try words.database.indexes.rebuild()
                default: try words.database.file.transaction { _ in for _ in 0..<32 { try changes.change(words) } }
                }
                let isTrained = try words.state().isTrained
                try check(words, changes, step: isTrained ? step : 0, hint)
                if round % 4 == 3 { #expect(try words.findings() == [], hint) }
            }
            let words = try #require(opened)
            #expect(try words.state() == .init(vectorCount: changes.vectors.count, isTrained: true), "seed \(seed)")
            #expect(try words.findings() == [], "seed \(seed)")
            // The steps are the same, so that also the distances are.
            let before = try words.distances()
            try words.createIndex("anew", options: options)
            try words.database.indexes.delete("words_index", on: words.words)
            #expect(try words.state("anew") == .init(vectorCount: changes.vectors.count, isTrained: true), "seed \(seed)")
            #expect(try words.distances() == before, "seed \(seed)")
        }
    }
}

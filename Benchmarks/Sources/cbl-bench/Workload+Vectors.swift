import CouchbaseLiteSwift
import Foundation

extension Workload {
    /// Vector indexes over 128 components. SQLite has nothing to compare them with; `cbl-bench vectors` measures how much is found.
    static let vectors = [
        Workload("vector_build", needsDocuments: false, ours: buildVectors),
        Workload("vector_query", needsDocuments: false) { try searchVectors($0, percent: 100) },
        Workload("vector_hybrid_1", needsDocuments: false) { try searchVectors($0, percent: 1) },
        Workload("vector_hybrid_10", needsDocuments: false) { try searchVectors($0, percent: 10) },
        Workload("vector_hybrid_50", needsDocuments: false) { try searchVectors($0, percent: 50) },
    ]

    private static let queryCount = 100

    /// A fifth of the other workloads' documents: 20,000 of 100,000.
    private static func vectors(_ stage: Stage) -> VectorSet {
        VectorSet(count: max(400, stage.documents / 5), dimensions: 128, targets: queryCount)
    }

    /// As few as train with all numbers of documents.
    private static func centroids(_ set: VectorSet) -> Int { min(Int(Double(set.count).squareRoot()), set.count / 25) }

    private static func buildVectors(_ stage: Stage) throws -> Outcome {
        let set = vectors(stage)
        return try stage.withFreshDatabase { database in
            let made = try VectorDatabase(database, set)
            let seconds = try timed {
                try made.createIndex(dimensions: set.dimensions, centroids: centroids(set), encoding: .scalarQuantizer(type: .SQ8))
            }
            try expect(made.collection.index(withName: VectorDatabase.indexName)?.vectorCount, toBe: set.count, "vectors")
            return Outcome(seconds: seconds)
        }
    }

    /// Searches among so many of 100 documents.
    private static func searchVectors(_ stage: Stage, percent: Int) throws -> Outcome {
        let set = vectors(stage)
        return try stage.withFreshDatabase { database in
            let made = try VectorDatabase(database, set)
            try made.createIndex(dimensions: set.dimensions, centroids: centroids(set), encoding: .scalarQuantizer(type: .SQ8))
            let query = try made.query(where: percent == 100 ? "" : "part < \(percent)")
            let targets = (0..<queryCount).map { VectorDatabase.Target(set.target($0), isBase64: false) }
            _ = try made.nearest(query, targets[0])
            var found = 0
            let seconds = try timed { for target in targets { found += try made.nearest(query, target).count } }
            let candidates = (0..<set.count).count { $0 % 100 < percent }
            try expect(found, toBe: min(VectorSet.wanted, candidates) * queryCount, "rows")
            return Outcome(seconds: seconds)
        }
    }
}

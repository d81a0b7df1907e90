import Base
import QueryLanguage
import VectorSearch

/// Searches in vector indexes (Vector search VA-8).
extension PlanDescriber {
    func text(ofVectorSearch use: VectorSearchUse) -> String {
        let name = "vector index \(use.index.name)"
        let options = collections.flatMap(\.indexes).first { $0.kind == .vector && use.index.name.isExactly($0.name) }?.vectorOptions
        let ranksAgain = use.index.isTrained && options.map { VectorIndexEntry.ranksAgain($0, use.index.expression) } ?? false
        let again = ranksAgain ? ", and compares the best again by those in the documents" : ""
        guard use.findsNearest else {
            return "looks up the distance in \(name), which compares all its vectors once\(use.returnsNearest ? again : "")"
        }
        guard use.index.isTrained else { return "finds the nearest vectors in \(name), which is not trained, by comparing all of them" }
        guard let options else { return "finds the nearest vectors in \(name)" }
        let probes = options.effectiveProbes(requested: use.probes)
        guard probes < options.centroids else {
            return "finds the nearest vectors in \(name), in all of its \(options.centroids) buckets\(again)"
        }
        return "finds the nearest vectors in \(name), in \(probes) of its \(options.centroids) buckets, before all conditions\(again)"
    }

    /// The end of the description of a sort that a vector index makes unnecessary.
    static let vectorAdvice = "; with a vector index, APPROX_VECTOR_DISTANCE finds the nearest documents without reading all"

    /// Whether the query returns the documents whose vectors are nearest to another one, but computes all distances.
    var sortsByDistance: Bool { DistanceOrder(select) != nil }
}

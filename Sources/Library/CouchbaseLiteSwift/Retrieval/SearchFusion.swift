import QueryEngine

/// How a search for words and near vectors makes one order of both; see ``HybridSearch``.
public struct SearchFusion: Hashable, Sendable {
    let rule: RankFusion

    /// Reciprocal rank fusion: the score of a document is the sum of weight / (k + rank) over both lists, with ranks from 1. Only the order in
    /// the lists counts, so neither scores nor distances have to be comparable (Cormack, Clarke and Büttcher, SIGIR 2009).
    ///
    /// - Parameters:
    ///   - k: How little the first ranks differ. Default: 60.
    ///   - textWeight: The weight of the words. Default: 1.
    ///   - vectorWeight: The weight of the vectors. Default: 1.
    public static func reciprocalRank(k: Double = 60, textWeight: Double = 1, vectorWeight: Double = 1) -> SearchFusion {
        SearchFusion(rule: .reciprocalRank(k: k, text: textWeight, vector: vectorWeight))
    }

    /// The weighted sum of the score of the words (BM25) and of the nearness of the vector, each as its share of the range from the worst to the
    /// best document of its list. A document that a list does not contain has 0 there.
    ///
    /// - Parameters:
    ///   - text: The weight of the words. Default: 0.5.
    ///   - vector: The weight of the vectors. Default: 0.5.
    public static func weightedScores(text: Double = 0.5, vector: Double = 0.5) -> SearchFusion {
        SearchFusion(rule: .weightedScores(text: text, vector: vector))
    }
}

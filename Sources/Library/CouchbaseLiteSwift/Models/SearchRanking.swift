/// How a full-text search computes how well a document matches.
public struct SearchRanking: Hashable, Sendable {
    /// The arguments of `bm25()` after the index; `nil` for `rank()`.
    let bm25: [Double]?

    /// The sum, over the words of the pattern, of the fraction of the word's occurrences in all documents that are in the document; see
    /// ``FullTextFunction/rank(_:)-(IndexExpressionProtocol)``.
    public static let shares = SearchRanking(bm25: nil)

    /// The usual formula of search engines, in which long texts count less; see ``FullTextFunction/bm25(_:k1:b:weights:)``.
    ///
    /// - Parameters:
    ///   - k1: How much repetitions of a word count, from 0 to 1000. Default: 1.2.
    ///   - b: How much the length of the text counts, from 0 to 1. Default: 0.75.
    ///   - weights: The weights of the first properties of the index, in its order, each at least 0. Default: 1 for each.
    public static func bm25(k1: Double = 1.2, b: Double = 0.75, weights: [Double] = []) -> SearchRanking {
        SearchRanking(bm25: [k1, b] + weights)
    }
}

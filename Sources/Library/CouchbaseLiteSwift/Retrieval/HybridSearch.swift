import Base
import DocumentStore
import Foundation
import QueryEngine
import QueryLanguage

/// A document that a search for words and near vectors has found; see
/// ``ModelCollection/search(text:in:vector:by:where:limit:fusion:candidates:)``.
public struct HybridHit<Model> {
    /// The document.
    public let model: Model
    /// The score by which the documents are sorted: higher is better. Only scores of the same search can be compared.
    public let score: Double
    /// The score of the words (BM25), higher is better; `nil` if the document is not among the best for the words.
    public let textScore: Double?
    /// The distance of the vector, lower is nearer; `nil` if the document is not among the nearest ones.
    public let distance: Double?
    /// A part of the text with the words that were found; `nil` if the document is not among the best for the words.
    public let snippet: SearchSnippet?
}

extension HybridHit: Sendable where Model: Sendable {}

extension HybridHit: Identifiable where Model: Identifiable {
    /// The identity of the document.
    public var id: Model.ID { model.id }
}

/// A search for words in a full-text index and for near vectors in a vector index at once, created by
/// ``ModelCollection/search(text:in:vector:by:where:limit:fusion:candidates:)``.
///
/// Thread-safe. It can be run any number of times. Its functions block; tasks call them inside of ``Database/read(_:)``.
public struct HybridSearch<Model: Decodable>: Sendable {
    /// The search for the words alone.
    public let text: ModelSearch<Model>
    /// The search for the vectors alone.
    public let vector: NearestSearch<Model>
    /// How both are combined.
    public let fusion: SearchFusion
    let limit: Int

    /// Runs both searches in one snapshot, and returns the best documents of both, best first.
    ///
    /// - Parameter policy: What happens if a document cannot be decoded. Default: the error is thrown.
    /// - Throws: ``CBLError/invalidQueryParam`` if a number of the fusion is negative, infinite or none; the errors of
    ///   ``ModelSearch/all(onDecodingError:)`` and ``NearestSearch/all(onDecodingError:)``.
    public func all(onDecodingError policy: DecodingErrorPolicy = .throw) throws -> [HybridHit<Model>] {
        try throwingPublicErrors { try found().compactMap { try hit($0, policy) } }
    }

    /// A document that one of the searches has found.
    struct Found {
        let item: RankFusion.Item<ExactString>
        let row: Result
        let snippet: SearchSnippet?
    }

    /// Runs both searches, and returns the best documents of both before they are decoded.
    func found() throws -> [Found] {
        try fusion.rule.check()
        return try text.query.draft.source.withFile { file in
            // One snapshot for both, and for the texts of the snippets.
            try file.read { _ in
                let rows = (text: try text.query.execute().allResults(), vector: try vector.query.execute().allResults())
                var byID: [ExactString: Result] = [:]
                let candidates = (
                    text: rows.text.map { candidate($0, text.found, &byID) },
                    vector: rows.vector.map { candidate($0, vector.found, &byID) }
                )
                let best = fusion.rule.fused(text: candidates.text, vector: candidates.vector).prefix(max(0, limit))
                return try best.compactMap { item in
                    guard let row = byID[item.id] else { return nil }
                    return Found(item: item, row: row, snippet: item.textScore == nil ? nil : try text.snippet(of: row, on: file))
                }
            }
        }
    }

    /// Returns the candidate of a row, and notes the first row of each document: that of the words, which has the matches.
    private func candidate(
        _ row: Result,
        _ query: ModelQuery<Model>,
        _ byID: inout [ExactString: Result]
    ) -> RankFusion.Candidate<ExactString> {
        let id = ExactString(row.string(at: 0) ?? "")
        if byID[id] == nil { byID[id] = row }
        return RankFusion.Candidate(id: id, value: query.value(of: row))
    }

    /// Returns the hit of a document; `nil` if it is left out.
    func hit(_ found: Found, _ policy: DecodingErrorPolicy) throws -> HybridHit<Model>? {
        guard let model = try text.found.model(found.row, policy) else { return nil }
        let item = found.item
        return HybridHit(model: model, score: item.score, textScore: item.textScore, distance: item.distance, snippet: found.snippet)
    }
}

extension ModelCollection {
    /// Returns the search for the documents that are best for words, for a vector, or for both: words find names and rare terms, vectors find
    /// what means the same.
    ///
    /// ```swift
    /// let search = passages.search(text: "lemon tart", in: "texts", vector: vector, by: "embedding", limit: 5)
    /// for hit in try search.all() { print(hit.score, hit.model.text) }
    /// ```
    ///
    /// <doc:Retrieval> shows the whole way from documents to answers. Never throws and does not access the disk: the functions of the search
    /// throw.
    ///
    /// - Parameters:
    ///   - pattern: The words, as in ``search(_:in:where:orderBy:limit:offset:snippetOf:snippetLength:rankedBy:)``.
    ///   - index: The name of a full-text index of the collection.
    ///   - vector: The vector, with as many components as those of the vector index.
    ///   - expression: The expression of the vector index in SQL++, for example the path of a property.
    ///   - predicate: A condition that all documents must satisfy. Default: `nil`, none.
    ///   - limit: The maximum number of documents. Default: 10.
    ///   - fusion: How both are combined. Default: reciprocal rank fusion.
    ///   - candidates: How many documents each of both searches contributes, from 1 to 10,000. Default: four times the limit, and at least 50.
    public func search(
        text pattern: String,
        in index: String,
        vector: [Float],
        by expression: String,
        where predicate: Predicate<Model>? = nil,
        limit: Int = 10,
        fusion: SearchFusion = .reciprocalRank(),
        candidates: Int? = nil
    ) -> HybridSearch<Model> {
        let count = max(1, candidates ?? SearchSource.candidateCount(limit: max(0, limit)))
        return HybridSearch(
            text: search(pattern, in: index, where: predicate, limit: count, rankedBy: .bm25()),
            vector: nearest(to: vector, by: expression, where: predicate, limit: count),
            fusion: fusion,
            limit: limit
        )
    }
}

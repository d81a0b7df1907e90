import DocumentStore
import Fleece
import ModelCoding
import QueryEngine
import QueryLanguage

/// A document that a full-text search has found; see ``ModelCollection/search(_:in:where:orderBy:limit:offset:snippetOf:snippetLength:rankedBy:)``.
public struct SearchHit<Model> {
    /// The document.
    public let model: Model
    /// How well the document matches: higher is better. Only ranks of the same search can be compared; see <doc:FullTextSearch>.
    public let rank: Double
    /// A part of the text with the words that were found; `nil` if the text has been removed from the index since.
    public let snippet: SearchSnippet?
}

extension SearchHit: Sendable where Model: Sendable {}

extension SearchHit: Identifiable where Model: Identifiable {
    /// The identity of the document.
    public var id: Model.ID { model.id }
}

/// A full-text search for documents as values of a model type, created by
/// ``ModelCollection/search(_:in:where:orderBy:limit:offset:snippetOf:snippetLength:rankedBy:)``.
///
/// Thread-safe. It can be run any number of times. Its functions block; tasks call them inside of ``Database/read(_:)``.
public struct ModelSearch<Model: Decodable>: Sendable {
    /// What the snippets of a search are made of.
    struct Snippets: Sendable {
        let property: String?
        let length: Int
    }

    /// The query for the documents, as any other query; see ``ModelQuery/query`` and ``Query/plan``.
    public var query: Query { found.query }

    let found: ModelQuery<Model>
    let snippets: Snippets

    /// Runs the search and returns all documents that it finds, best matches first unless another order was specified.
    ///
    /// Reads all documents found into memory, so set a limit. Blocks as ``Query/execute()`` does.
    ///
    /// - Parameter policy: What happens if a document cannot be decoded. Default: the error is thrown.
    /// - Complexity: O(*n*) in the number of matches to rank them, and the decoding of the documents up to the limit, with their texts.
    /// - Throws: ``CBLError/missingIndex`` if the collection has no such full-text index; ``CBLError/invalidQuery`` if the pattern or the condition
    ///   is invalid; the errors of ``ModelQuery/all(onDecodingError:)``.
    public func all(onDecodingError policy: DecodingErrorPolicy = .throw) throws -> [SearchHit<Model>] {
        try throwingPublicErrors {
            // One snapshot, so that the texts are those that were searched.
            let found = try query.draft.source.withFile { file in
                try file.read { _ in try query.execute().allResults().map { ($0, try snippet(of: $0, on: file)) } }
            }
            return try found.compactMap { try hit($0, $1, policy.handle) }
        }
    }

    /// Runs the search and returns the number of documents that match, ignoring the limit and the offset. Decodes no documents.
    ///
    /// - Throws: As ``all(onDecodingError:)``.
    public func count() throws -> Int { try found.count() }

    /// Reads the snippet of a row; `nil` if the index does not contain the text any more.
    func snippet(of result: Result, on file: DatabaseFile) throws -> SearchSnippet? {
        guard let matches = result.table.rows.matches(row: result.row) else { return nil }
        return try SearchSnippet(matches, snippets.property, length: snippets.length, on: file)
    }

    /// Returns the hit of a row; `nil` if its document is left out.
    func hit(
        _ result: Result,
        _ snippet: SearchSnippet?,
        _ handle: (ModelRowError) throws -> Void
    ) throws -> SearchHit<Model>? {
        let rows = result.table.rows
        guard let model = try found.rows.model(result.row, of: rows, result.table.source, handling: handle) else { return nil }
        let rank = rows.value(row: result.row, column: ModelRows<Model>.rankColumn)?.double ?? 0
        return SearchHit(model: model, rank: rank, snippet: snippet)
    }
}

extension ModelCollection {
    /// Returns the search for the documents that match a pattern in a full-text index, best matches first, with their ranks and a snippet of the
    /// text.
    ///
    /// ```swift
    /// let search = recipes.search("lemon past*", in: "texts", where: #Predicate { $0.isPublic }, limit: 20)
    /// for hit in try search.all() { print(hit.model.title, hit.snippet?.marked("[", "]") ?? "") }
    /// ```
    ///
    /// <doc:FullTextSearch> describes indexes, patterns and ranks. Never throws and does not access the disk: the functions of the search throw
    /// if the index does not exist or the pattern is invalid.
    ///
    /// - Parameters:
    ///   - pattern: The pattern: words, which may end with `*`, phrases in double quotes, and `AND`, `OR`, `NOT`, `NEAR` and parentheses.
    ///   - index: The name of a full-text index of the collection.
    ///   - predicate: A condition that the documents must satisfy too. Default: `nil`, none.
    ///   - sortDescriptors: Another order. Default: none, by rank, and by ID where ranks are equal.
    ///   - limit: The maximum number of documents. Default: `nil`, no limit.
    ///   - offset: The number of documents to skip at the beginning. Default: 0.
    ///   - property: The property from which snippets are taken, as the index names it: `content`, `address.city`. Default: `nil`, for each
    ///     document the first one with the most different words of the pattern.
    ///   - length: The length of snippets, in Unicode code points. A value below 1 counts as 1. Default: 160.
    ///   - ranking: How well a document matches. Default: ``SearchRanking/shares``.
    public func search(
        _ pattern: String,
        in index: String,
        where predicate: Predicate<Model>? = nil,
        orderBy sortDescriptors: [SortDescriptor<Model>] = [],
        limit: Int? = nil,
        offset: Int = 0,
        snippetOf property: String? = nil,
        snippetLength length: Int = 160,
        rankedBy ranking: SearchRanking = .shares
    ) -> ModelSearch<Model> {
        let selection = ModelSelection(
            predicate.map { .predicate($0) },
            sortDescriptors,
            limit,
            offset,
            search: ModelSelection.Search(index: index, pattern: pattern, bm25: ranking.bm25)
        )
        let found = ModelQuery(selection, in: collection, unknownFields, shape, reportsMatches: true)
        return ModelSearch(found: found, snippets: ModelSearch.Snippets(property: property, length: max(1, length)))
    }
}

import QueryLanguage

/// A reference to an index in a query.
public protocol IndexExpressionProtocol {}

/// A reference to a full-text index in a query, created by ``Expression/fullTextIndex(_:)``.
public protocol FullTextIndexExpressionProtocol: IndexExpressionProtocol {
    /// Returns the index of the data source with that alias.
    func from(_ alias: String) -> any FullTextIndexExpressionProtocol
}

/// Full-text search in the query builder.
///
/// ```swift
/// let index = Expression.fullTextIndex("articles")
/// let query = QueryBuilder.select(SelectResult.expression(Meta.id))
///     .from(DataSource.collection(collection))
///     .where(FullTextFunction.match(index, query: "linux AND problem*"))
///     .orderBy(Ordering.expression(FullTextFunction.rank(index)).descending())
/// ```
public final class FullTextFunction {
    private init() {}

    /// Whether a document matches a full-text pattern. Allowed only as the whole condition of a query, or as one of the conditions joined
    /// with `and`.
    ///
    /// - Parameters:
    ///   - index: A full-text index.
    ///   - query: The pattern: words, which may end with `*`, phrases in double quotes, and `AND`, `OR`, `NOT`, `NEAR` and parentheses
    ///     between them. Running the query throws if the pattern is malformed.
    public static func match(_ index: any IndexExpressionProtocol, query: String) -> any ExpressionProtocol {
        BuiltExpression { () throws(QueryError) in .match(index: try index.qualifiedName(), pattern: .string(query)) }
    }

    /// Whether a document has all words of a text, also with typing errors: some letters may be added, removed or replaced. Allowed where
    /// ``match(_:query:)`` is. Reads all words of the index.
    ///
    /// - Parameters:
    ///   - index: A full-text index.
    ///   - words: The words. Nothing in this text is an operator.
    ///   - distance: The number of letters of each word that may be wrong: 0, 1 or 2, and at most half of the word. Running the query throws for
    ///     any other number. Default: 1.
    public static func match(_ index: any IndexExpressionProtocol, fuzzy words: String, distance: Int = 1) -> any ExpressionProtocol {
        let pattern = QueryExpression.function(name: "fuzzy", arguments: [.string(words), .integer(Int64(distance))])
        return BuiltExpression { () throws(QueryError) in .match(index: try index.qualifiedName(), pattern: pattern) }
    }

    /// How well a document matches; higher is better. The sum, over the words of the pattern, of the fraction of the word's occurrences in
    /// all documents that are in this document. Allowed only in a query that matches against the index.
    public static func rank(_ index: any IndexExpressionProtocol) -> any ExpressionProtocol {
        BuiltExpression { () throws(QueryError) in .rank(index: try index.qualifiedName()) }
    }

    /// How well a document matches, by the usual formula of search engines (Okapi BM25); higher is better. A word that few documents contain
    /// counts more; repetitions count less and less; long texts count less. Allowed where ``rank(_:)-(IndexExpressionProtocol)`` is.
    ///
    /// - Parameters:
    ///   - index: A full-text index.
    ///   - k1: How much repetitions of a word count, from 0 to 1000. Default: 1.2.
    ///   - b: How much the length of the text counts, from 0 to 1. Default: 0.75.
    ///   - weights: The weights of the first properties of the index, in its order, each at least 0. Default: 1 for each. Running the query
    ///     throws if there are more than properties, or if a number is invalid.
    public static func bm25(
        _ index: any IndexExpressionProtocol,
        k1: Double = 1.2,
        b: Double = 0.75,
        weights: [Double] = []
    ) -> any ExpressionProtocol {
        let arguments = ([k1, b] + weights).map { QueryExpression.double($0) }
        return search(.bm25, index, arguments)
    }

    /// A part of an indexed text with the words that were found, which are marked. It has as many different words of the pattern as possible.
    /// Allowed where ``rank(_:)-(IndexExpressionProtocol)`` is. The text is not escaped, for HTML for example.
    ///
    /// - Parameters:
    ///   - index: A full-text index.
    ///   - property: The property that contains the text, as the index names it: `content`, `address.city`. Default: `nil`, the first one with
    ///     the most different words.
    ///   - before: The mark before a word, at most 1024 bytes. Default: `**`.
    ///   - after: The mark after a word, at most 1024 bytes. Default: `**`.
    ///   - ellipsis: What stands for the text before and after the part, at most 1024 bytes. Default: `…`.
    ///   - words: The maximum number of words, from 1 to 10,000. In scripts without spaces, each letter counts as a word. Default: 24.
    public static func snippet(
        _ index: any IndexExpressionProtocol,
        of property: String? = nil,
        before: String = "**",
        after: String = "**",
        ellipsis: String = "…",
        words: Int = 24
    ) -> any ExpressionProtocol {
        let texts = [before, after, ellipsis].map { QueryExpression.string($0) }
        return search(.snippet, index, [property.map { .string($0) } ?? .null] + texts + [.integer(Int64(words))])
    }

    /// A whole indexed text, in which the words that were found are marked. Allowed where ``rank(_:)-(IndexExpressionProtocol)`` is.
    ///
    /// - Parameters:
    ///   - index: A full-text index.
    ///   - property: The property that contains the text, as the index names it.
    ///   - before: The mark before a word, at most 1024 bytes. Default: `**`.
    ///   - after: The mark after a word, at most 1024 bytes. Default: `**`.
    public static func highlight(
        _ index: any IndexExpressionProtocol,
        of property: String,
        before: String = "**",
        after: String = "**"
    ) -> any ExpressionProtocol {
        search(.highlight, index, [.string(property), .string(before), .string(after)])
    }

    private static func search(
        _ function: SearchFunction,
        _ index: any IndexExpressionProtocol,
        _ arguments: [QueryExpression]
    ) -> any ExpressionProtocol {
        BuiltExpression { () throws(QueryError) in .search(function, index: try index.qualifiedName(), arguments: arguments) }
    }

    /// Whether a document matches a full-text pattern; see ``match(_:query:)``.
    ///
    /// - Parameter indexName: The name of a full-text index, optionally preceded by the alias of its data source and a dot.
    /// - Parameter query: The pattern, in the syntax of full-text search.
    @available(*, deprecated, message: "Use match(_:query:), with Expression.fullTextIndex(_:)")
    public static func match(indexName: String, query: String) -> any ExpressionProtocol {
        match(Expression.fullTextIndex(indexName), query: query)
    }

    /// How well a document matches; see ``rank(_:)-(IndexExpressionProtocol)``.
    @available(*, deprecated, message: "Use rank(_:), with Expression.fullTextIndex(_:)")
    public static func rank(_ indexName: String) -> any ExpressionProtocol { rank(Expression.fullTextIndex(indexName)) }
}

extension Expression {
    /// Returns a reference to a full-text index of the query's data source. With several data sources, select one with
    /// ``FullTextIndexExpressionProtocol/from(_:)``.
    public static func fullTextIndex(_ name: String) -> any FullTextIndexExpressionProtocol {
        FullTextIndexExpression(alias: nil, name: name)
    }
}

/// A reference to a full-text index, created by this library.
struct FullTextIndexExpression: FullTextIndexExpressionProtocol {
    let alias: String?
    let name: String

    func from(_ alias: String) -> any FullTextIndexExpressionProtocol { FullTextIndexExpression(alias: alias, name: name) }
}

extension IndexExpressionProtocol {
    /// Returns the name of the index for the syntax tree, preceded by the alias if there is one.
    fileprivate func qualifiedName() throws(QueryError) -> String {
        let index = try built(self, "an index", as: FullTextIndexExpression.self)
        return index.alias.map { "\($0).\(index.name)" } ?? index.name
    }
}

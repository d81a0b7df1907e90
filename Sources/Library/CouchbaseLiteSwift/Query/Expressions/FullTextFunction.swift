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

    /// How well a document matches; higher is better. The sum, over the words of the pattern, of the fraction of the word's occurrences in
    /// all documents that are in this document. Allowed only in a query that matches against the index.
    public static func rank(_ index: any IndexExpressionProtocol) -> any ExpressionProtocol {
        BuiltExpression { () throws(QueryError) in .rank(index: try index.qualifiedName()) }
    }

    /// Whether a document matches a full-text pattern; see ``match(_:query:)``.
    ///
    /// - Parameter indexName: The name of a full-text index, optionally preceded by the alias of its data source and a dot.
    /// - Parameter query: The pattern, in the syntax of full-text search.
    public static func match(indexName: String, query: String) -> any ExpressionProtocol {
        match(Expression.fullTextIndex(indexName), query: query)
    }

    /// How well a document matches; see ``rank(_:)-(IndexExpressionProtocol)``.
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

import QueryEngine

/// An index named in a query.
public protocol IndexExpressionProtocol {}

/// A full-text index named in a query, made by ``Expression/fullTextIndex(_:)``.
public protocol FullTextIndexExpressionProtocol: IndexExpressionProtocol {
    /// The index of the data source with that alias.
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

    /// Whether a document matches a pattern. It can stand alone as the condition of a query, or be one of several joined with
    /// `and`.
    ///
    /// - Parameters:
    ///   - index: A full-text index.
    ///   - query: The pattern: words, which may end with `*`, phrases in double quotes, and `AND`, `OR`, `NOT`, `NEAR` and
    ///     parentheses between them. The query fails when it is run if the pattern is malformed.
    public static func match(_ index: any IndexExpressionProtocol, query: String) -> any ExpressionProtocol {
        BuiltExpression { () throws(QueryError) in
            .match(index: try index.qualifiedName(), pattern: .string(query))
        }
    }

    /// How well a document matches: for each word of the pattern, the share of its occurrences in all documents that this
    /// document has. Only in a query that searches the index.
    public static func rank(_ index: any IndexExpressionProtocol) -> any ExpressionProtocol {
        BuiltExpression { () throws(QueryError) in .rank(index: try index.qualifiedName()) }
    }

    /// Whether a document matches a pattern; see ``match(_:query:)``.
    ///
    /// - Parameters:
    ///   - indexName: The name of a full-text index, perhaps with the alias of its data source and a dot before it.
    ///   - query: The pattern.
    public static func match(indexName: String, query: String) -> any ExpressionProtocol {
        match(Expression.fullTextIndex(indexName), query: query)
    }

    /// How well a document matches; see ``rank(_:)-(IndexExpressionProtocol)``.
    public static func rank(_ indexName: String) -> any ExpressionProtocol {
        rank(Expression.fullTextIndex(indexName))
    }
}

extension Expression {
    /// A full-text index of the query's data source; with several data sources, say of which with
    /// ``FullTextIndexExpressionProtocol/from(_:)``.
    public static func fullTextIndex(_ name: String) -> any FullTextIndexExpressionProtocol {
        FullTextIndexExpression(alias: nil, name: name)
    }
}

/// Full-text search as it was spelled at first.
public protocol FullTextExpressionProtocol {
    /// Whether a document matches a pattern; see ``FullTextFunction/match(indexName:query:)``.
    func match(_ query: String) -> any ExpressionProtocol
}

/// Full-text search as it was spelled at first.
@available(*, deprecated, message: "Use FullTextFunction.match(_:query:)")
public final class FullTextExpression {
    private init() {}

    /// The full-text index with that name.
    public static func index(_ name: String) -> any FullTextExpressionProtocol {
        FullTextIndexExpression(alias: nil, name: name)
    }
}

private struct FullTextIndexExpression: FullTextIndexExpressionProtocol, FullTextExpressionProtocol {
    let alias: String?
    let name: String

    func from(_ alias: String) -> any FullTextIndexExpressionProtocol {
        FullTextIndexExpression(alias: alias, name: name)
    }

    func match(_ query: String) -> any ExpressionProtocol {
        FullTextFunction.match(self, query: query)
    }
}

extension IndexExpressionProtocol {
    /// The index as it stands in the syntax tree.
    fileprivate func qualifiedName() throws(QueryError) -> String {
        guard let index = self as? FullTextIndexExpression else { throw .invalidQuery("\(type(of: self)) is not an index of this library") }
        return index.alias.map { "\($0).\(index.name)" } ?? index.name
    }
}

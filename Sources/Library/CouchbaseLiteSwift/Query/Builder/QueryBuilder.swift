import QueryLanguage

/// Builds queries step by step.
///
/// ```swift
/// let query = QueryBuilder
///     .select(SelectResult.expression(Meta.id), SelectResult.property("name"))
///     .from(DataSource.collection(collection))
///     .where(Expression.property("type").equalTo(Expression.string("airport")))
///     .orderBy(Ordering.property("name"))
/// ```
///
/// Every step except the first is a query that can be run; the first has no data source yet. Steps are immutable: each call returns a new
/// one. Building never fails; an invalid query throws when it is run.
public final class QueryBuilder {
    private init() {}

    /// Starts a query with the columns of its results. Without columns, the query returns all properties.
    public static func select(_ results: any SelectResultProtocol...) -> Select { select(results) }

    /// Starts a query with the columns of its results. Without columns, the query returns all properties.
    public static func select(_ results: [any SelectResultProtocol]) -> Select { Select(QueryDraft(selecting: results)) }

    /// Starts a query with the columns of its results, in which equal rows are returned once. Without columns, it returns all properties.
    public static func selectDistinct(_ results: any SelectResultProtocol...) -> Select { selectDistinct(results) }

    /// Starts a query with the columns of its results, in which equal rows are returned once. Without columns, it returns all properties.
    public static func selectDistinct(_ results: [any SelectResultProtocol]) -> Select {
        Select(QueryDraft(selecting: results).setting(\.isDistinct, true))
    }
}

extension QueryDraft {
    /// Creates a query without data source.
    fileprivate init(selecting results: [any SelectResultProtocol]) {
        self.init(tree: .success(SelectStatement()))
        self = setting(\.items, results.isEmpty ? [SelectItem(.property([]))] : try syntaxTrees(of: results, "a column"))
    }
}

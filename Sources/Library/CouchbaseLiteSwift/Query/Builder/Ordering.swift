import QueryLanguage

/// A criterion by which rows are sorted.
public protocol OrderingProtocol {}

/// An ordering whose direction can be set. Default: ascending.
public protocol QuerySortOrder: OrderingProtocol {
    /// Returns the ordering from the smallest to the largest value. Missing values come first.
    func ascending() -> any OrderingProtocol
    /// Returns the ordering from the largest to the smallest value. Missing values come last.
    func descending() -> any OrderingProtocol
}

/// Creates orderings.
public final class Ordering {
    private init() {}

    /// Returns an ordering by the property at a path.
    public static func property(_ property: String) -> any QuerySortOrder { expression(Expression.property(property)) }

    /// Returns an ordering by an expression.
    public static func expression(_ expression: any ExpressionProtocol) -> any QuerySortOrder {
        BuiltOrdering { () throws(QueryError) in OrderingTerm(try expression.queryExpression()) }
    }
}

private final class BuiltOrdering: BuiltPart<OrderingTerm>, QuerySortOrder {
    func ascending() -> any OrderingProtocol { BuiltOrdering(tree.setting(\.isDescending, false)) }

    func descending() -> any OrderingProtocol { BuiltOrdering(tree.setting(\.isDescending, true)) }
}

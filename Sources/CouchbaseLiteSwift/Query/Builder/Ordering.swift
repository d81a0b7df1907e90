import QueryEngine

/// What rows are ordered by.
public protocol OrderingProtocol {}

/// An ordering whose direction can be stated; at first it is ascending.
public protocol QuerySortOrder: OrderingProtocol {
    /// From the least to the greatest.
    func ascending() -> any OrderingProtocol
    /// From the greatest to the least.
    func descending() -> any OrderingProtocol
}

/// The name of releases before 3.1.
@available(*, deprecated, renamed: "QuerySortOrder")
public typealias SortOrder = QuerySortOrder

/// Makes orderings.
public final class Ordering {
    private init() {}

    /// By the property at a path.
    public static func property(_ property: String) -> any QuerySortOrder {
        expression(Expression.property(property))
    }

    /// By an expression.
    public static func expression(_ expression: any ExpressionProtocol) -> any QuerySortOrder {
        BuiltOrdering(expression, isDescending: false)
    }
}

/// An ordering that the library made.
final class BuiltOrdering: QuerySortOrder {
    private let expression: any ExpressionProtocol
    private let isDescending: Bool

    init(_ expression: any ExpressionProtocol, isDescending: Bool) {
        self.expression = expression
        self.isDescending = isDescending
    }

    func ascending() -> any OrderingProtocol { BuiltOrdering(expression, isDescending: false) }

    func descending() -> any OrderingProtocol { BuiltOrdering(expression, isDescending: true) }

    func ordering() throws(QueryError) -> QueryEngine.Ordering {
        QueryEngine.Ordering(try expression.queryExpression(), isDescending: isDescending)
    }
}

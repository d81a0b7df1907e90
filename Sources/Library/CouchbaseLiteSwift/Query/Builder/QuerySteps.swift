import QueryLanguage

// The steps of the query builder. Each is immutable, and each method creates the next step.
//
// They are `@unchecked Sendable` for the reason given at `Query`, and add no state. Swift requires each subclass of such a class to repeat
// the attribute.

/// The builder step after `select`. It cannot be run before ``from(_:)`` has set the data source.
public final class Select: Query, @unchecked Sendable {
    /// Sets the data source that the query reads.
    public func from(_ dataSource: any DataSourceProtocol) -> From {
        var draft = draft.setting(\.sources, [try syntaxTree(of: dataSource, "a data source")])
        draft.database = (dataSource as? BuiltDataSource)?.database
        return From(draft)
    }
}

/// The builder step after `from`.
public final class From: Query, WhereRouter, GroupByRouter, OrderByRouter, LimitRouter, @unchecked Sendable {
    /// Joins further data sources.
    public func join(_ joins: any JoinProtocol...) -> Joins { join(joins) }

    /// Joins further data sources.
    public func join(_ joins: [any JoinProtocol]) -> Joins {
        Joins(draft.changing { select throws(QueryError) in select.sources += try syntaxTrees(of: joins, "a join") })
    }
}

/// The builder step after `join`.
public final class Joins: Query, WhereRouter, OrderByRouter, LimitRouter, @unchecked Sendable {}

/// The builder step after `where`.
public final class Where: Query, GroupByRouter, OrderByRouter, LimitRouter, @unchecked Sendable {}

/// The builder step after `groupBy`.
public final class GroupBy: Query, OrderByRouter, LimitRouter, @unchecked Sendable {
    /// Filters the groups: only groups for which the condition is true remain.
    public func having(_ expression: any ExpressionProtocol) -> Having { Having(draft.setting(\.groupCondition, expression)) }
}

/// The builder step after `having`.
public final class Having: Query, OrderByRouter, LimitRouter, @unchecked Sendable {}

/// The builder step after `orderBy`.
public final class OrderBy: Query, LimitRouter, @unchecked Sendable {}

/// The last builder step, after `limit`.
public final class Limit: Query, @unchecked Sendable {}

/// A builder step whose rows can be filtered. Only classes of this library conform to it.
public protocol WhereRouter: Query {}

extension WhereRouter {
    /// Filters the rows: only rows for which the condition is true remain.
    public func `where`(_ expression: any ExpressionProtocol) -> Where { Where(draft.setting(\.condition, expression)) }
}

/// A builder step whose rows can be grouped. Only classes of this library conform to it.
public protocol GroupByRouter: Query {}

extension GroupByRouter {
    /// Groups the rows: rows with equal values for all of these expressions are combined to one row of the results.
    public func groupBy(_ expressions: any ExpressionProtocol...) -> GroupBy { groupBy(expressions) }

    /// Groups the rows: rows with equal values for all of these expressions are combined to one row of the results.
    public func groupBy(_ expressions: [any ExpressionProtocol]) -> GroupBy {
        GroupBy(draft.setting(\.grouping, try queryExpressions(expressions)))
    }
}

/// A builder step whose rows can be sorted. Only classes of this library conform to it.
public protocol OrderByRouter: Query {}

extension OrderByRouter {
    /// Sorts the rows by the orderings; the first one takes precedence.
    public func orderBy(_ orderings: any OrderingProtocol...) -> OrderBy { orderBy(orderings) }

    /// Sorts the rows by the orderings; the first one takes precedence.
    public func orderBy(_ orderings: [any OrderingProtocol]) -> OrderBy {
        OrderBy(draft.setting(\.ordering, try syntaxTrees(of: orderings, "an ordering")))
    }
}

/// A builder step whose rows can be limited. Only classes of this library conform to it.
public protocol LimitRouter: Query {}

extension LimitRouter {
    /// Limits the number of rows. The limit must be an integer; a negative one gives no rows.
    public func limit(_ limit: any ExpressionProtocol) -> Limit { self.limit(limit, offset: nil) }

    /// Skips the first `offset` rows and limits the number of rows that follow. Both must be integers; a negative limit gives no rows, and
    /// a negative or `nil` offset skips none.
    public func limit(_ limit: any ExpressionProtocol, offset: (any ExpressionProtocol)?) -> Limit {
        Limit(draft.setting(\.limit, limit).setting(\.offset, offset))
    }
}

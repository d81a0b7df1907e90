// The steps of the query builder. Each is immutable, and each method makes the next step. They add nothing to what `Query`
// says about its unchecked sendability.

/// The columns have been chosen; what to read is next.
public final class Select: Query, @unchecked Sendable {
    /// What the query reads.
    public func from(_ dataSource: any DataSourceProtocol) -> From {
        From(draft.reading(dataSource))
    }
}

/// What to read has been chosen.
public final class From: Query, @unchecked Sendable {
    /// Further data sources.
    public func join(_ joins: any JoinProtocol...) -> Joins {
        join(joins)
    }

    /// Further data sources.
    public func join(_ joins: [any JoinProtocol]) -> Joins {
        Joins(draft.joining(joins))
    }

    /// The condition that rows must satisfy.
    public func `where`(_ expression: any ExpressionProtocol) -> Where {
        Where(draft.filtering(expression))
    }

    /// Rows that agree in all these expressions make one row of the results.
    public func groupBy(_ expressions: any ExpressionProtocol...) -> GroupBy {
        groupBy(expressions)
    }

    /// Rows that agree in all these expressions make one row of the results.
    public func groupBy(_ expressions: [any ExpressionProtocol]) -> GroupBy {
        GroupBy(draft.grouping(expressions))
    }

    /// The order of the rows.
    public func orderBy(_ orderings: any OrderingProtocol...) -> OrderBy {
        orderBy(orderings)
    }

    /// The order of the rows.
    public func orderBy(_ orderings: [any OrderingProtocol]) -> OrderBy {
        OrderBy(draft.ordering(orderings))
    }

    /// The most rows there may be.
    public func limit(_ limit: any ExpressionProtocol) -> Limit {
        self.limit(limit, offset: nil)
    }

    /// The most rows there may be, and how many to leave out before them.
    public func limit(_ limit: any ExpressionProtocol, offset: (any ExpressionProtocol)?) -> Limit {
        Limit(draft.limiting(limit, offset))
    }
}

/// Further data sources have been joined.
public final class Joins: Query, @unchecked Sendable {
    /// The condition that rows must satisfy.
    public func `where`(_ expression: any ExpressionProtocol) -> Where {
        Where(draft.filtering(expression))
    }

    /// The order of the rows.
    public func orderBy(_ orderings: any OrderingProtocol...) -> OrderBy {
        orderBy(orderings)
    }

    /// The order of the rows.
    public func orderBy(_ orderings: [any OrderingProtocol]) -> OrderBy {
        OrderBy(draft.ordering(orderings))
    }

    /// The most rows there may be.
    public func limit(_ limit: any ExpressionProtocol) -> Limit {
        self.limit(limit, offset: nil)
    }

    /// The most rows there may be, and how many to leave out before them.
    public func limit(_ limit: any ExpressionProtocol, offset: (any ExpressionProtocol)?) -> Limit {
        Limit(draft.limiting(limit, offset))
    }
}

/// The condition has been stated.
public final class Where: Query, @unchecked Sendable {
    /// Rows that agree in all these expressions make one row of the results.
    public func groupBy(_ expressions: any ExpressionProtocol...) -> GroupBy {
        groupBy(expressions)
    }

    /// Rows that agree in all these expressions make one row of the results.
    public func groupBy(_ expressions: [any ExpressionProtocol]) -> GroupBy {
        GroupBy(draft.grouping(expressions))
    }

    /// The order of the rows.
    public func orderBy(_ orderings: any OrderingProtocol...) -> OrderBy {
        orderBy(orderings)
    }

    /// The order of the rows.
    public func orderBy(_ orderings: [any OrderingProtocol]) -> OrderBy {
        OrderBy(draft.ordering(orderings))
    }

    /// The most rows there may be.
    public func limit(_ limit: any ExpressionProtocol) -> Limit {
        self.limit(limit, offset: nil)
    }

    /// The most rows there may be, and how many to leave out before them.
    public func limit(_ limit: any ExpressionProtocol, offset: (any ExpressionProtocol)?) -> Limit {
        Limit(draft.limiting(limit, offset))
    }
}

/// The groups have been formed.
public final class GroupBy: Query, @unchecked Sendable {
    /// The condition that groups must satisfy.
    public func having(_ expression: any ExpressionProtocol) -> Having {
        Having(draft.filteringGroups(expression))
    }

    /// The order of the rows.
    public func orderBy(_ orderings: any OrderingProtocol...) -> OrderBy {
        orderBy(orderings)
    }

    /// The order of the rows.
    public func orderBy(_ orderings: [any OrderingProtocol]) -> OrderBy {
        OrderBy(draft.ordering(orderings))
    }

    /// The most rows there may be.
    public func limit(_ limit: any ExpressionProtocol) -> Limit {
        self.limit(limit, offset: nil)
    }

    /// The most rows there may be, and how many to leave out before them.
    public func limit(_ limit: any ExpressionProtocol, offset: (any ExpressionProtocol)?) -> Limit {
        Limit(draft.limiting(limit, offset))
    }
}

/// The condition on groups has been stated.
public final class Having: Query, @unchecked Sendable {
    /// The order of the rows.
    public func orderBy(_ orderings: any OrderingProtocol...) -> OrderBy {
        orderBy(orderings)
    }

    /// The order of the rows.
    public func orderBy(_ orderings: [any OrderingProtocol]) -> OrderBy {
        OrderBy(draft.ordering(orderings))
    }

    /// The most rows there may be.
    public func limit(_ limit: any ExpressionProtocol) -> Limit {
        self.limit(limit, offset: nil)
    }

    /// The most rows there may be, and how many to leave out before them.
    public func limit(_ limit: any ExpressionProtocol, offset: (any ExpressionProtocol)?) -> Limit {
        Limit(draft.limiting(limit, offset))
    }
}

/// The order has been stated.
public final class OrderBy: Query, @unchecked Sendable {
    /// The most rows there may be.
    public func limit(_ limit: any ExpressionProtocol) -> Limit {
        self.limit(limit, offset: nil)
    }

    /// The most rows there may be, and how many to leave out before them.
    public func limit(_ limit: any ExpressionProtocol, offset: (any ExpressionProtocol)?) -> Limit {
        Limit(draft.limiting(limit, offset))
    }
}

/// The number of rows has been limited.
public final class Limit: Query, @unchecked Sendable {}

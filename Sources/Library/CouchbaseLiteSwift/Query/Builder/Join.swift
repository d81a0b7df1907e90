import QueryLanguage

/// A further data source of a query, and how its rows are combined with the other rows.
public protocol JoinProtocol {}

/// A join that still needs its condition.
public protocol JoinOnProtocol: JoinProtocol {
    /// Returns the join with its condition.
    func on(_ expression: any ExpressionProtocol) -> any JoinProtocol
}

/// Creates joins.
public class Join {
    private init() {}

    /// Returns an inner join: all pairs of rows for which the condition is true.
    public static func join(_ datasource: any DataSourceProtocol) -> any JoinOnProtocol { innerJoin(datasource) }

    /// Returns a left outer join: all pairs for which the condition is true, and the left rows without a pair. For those, all properties of
    /// the right side are missing.
    public static func leftJoin(_ datasource: any DataSourceProtocol) -> any JoinOnProtocol { join(datasource, .leftOuter) }

    /// Returns a left outer join; see ``leftJoin(_:)``.
    public static func leftOuterJoin(_ datasource: any DataSourceProtocol) -> any JoinOnProtocol { join(datasource, .leftOuter) }

    /// Returns an inner join: all pairs of rows for which the condition is true.
    public static func innerJoin(_ datasource: any DataSourceProtocol) -> any JoinOnProtocol { join(datasource, .inner) }

    /// Returns a cross join: all pairs of rows.
    public static func crossJoin(_ datasource: any DataSourceProtocol) -> any JoinProtocol { join(datasource, .cross) }

    private static func join(_ dataSource: any DataSourceProtocol, _ kind: Source.Join) -> BuiltJoin {
        BuiltJoin { () throws(QueryError) in
            var source: Source = try syntaxTree(of: dataSource, "a data source")
            source.join = kind
            return source
        }
    }
}

private final class BuiltJoin: BuiltPart<Source>, JoinOnProtocol {
    func on(_ expression: any ExpressionProtocol) -> any JoinProtocol {
        BuiltJoin(tree.setting(\.condition, try expression.queryExpression()))
    }
}

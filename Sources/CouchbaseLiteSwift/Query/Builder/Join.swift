import QueryEngine

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
    public static func leftJoin(_ datasource: any DataSourceProtocol) -> any JoinOnProtocol { BuiltJoin(.leftOuter, datasource) }

    /// Returns a left outer join; see ``leftJoin(_:)``.
    public static func leftOuterJoin(_ datasource: any DataSourceProtocol) -> any JoinOnProtocol { BuiltJoin(.leftOuter, datasource) }

    /// Returns an inner join: all pairs of rows for which the condition is true.
    public static func innerJoin(_ datasource: any DataSourceProtocol) -> any JoinOnProtocol { BuiltJoin(.inner, datasource) }

    /// Returns a cross join: all pairs of rows.
    public static func crossJoin(_ datasource: any DataSourceProtocol) -> any JoinProtocol { BuiltJoin(.cross, datasource) }
}

/// A join created by this library.
final class BuiltJoin: JoinOnProtocol {
    private let kind: Source.Join
    private let dataSource: any DataSourceProtocol
    private let condition: (any ExpressionProtocol)?

    init(_ kind: Source.Join, _ dataSource: any DataSourceProtocol, on condition: (any ExpressionProtocol)? = nil) {
        (self.kind, self.dataSource, self.condition) = (kind, dataSource, condition)
    }

    func on(_ expression: any ExpressionProtocol) -> any JoinProtocol { BuiltJoin(kind, dataSource, on: expression) }

    func source() throws(QueryError) -> Source {
        var source = try BuiltDataSource.source(of: dataSource)
        source.join = kind
        source.condition = try condition?.queryExpression()
        return source
    }
}

import QueryEngine

/// A further data source of a query and how its rows are combined with the others.
public protocol JoinProtocol {}

/// A join whose condition is to be stated.
public protocol JoinOnProtocol: JoinProtocol {
    /// States the condition.
    func on(_ expression: any ExpressionProtocol) -> any JoinProtocol
}

/// Makes joins.
public class Join {
    private init() {}

    /// Pairs for which the condition is true.
    public static func join(_ datasource: any DataSourceProtocol) -> any JoinOnProtocol {
        innerJoin(datasource)
    }

    /// Pairs for which the condition is true, and rows without a partner, whose other side is missing.
    public static func leftJoin(_ datasource: any DataSourceProtocol) -> any JoinOnProtocol {
        BuiltJoin(.leftOuter, datasource)
    }

    /// Pairs for which the condition is true, and rows without a partner, whose other side is missing.
    public static func leftOuterJoin(_ datasource: any DataSourceProtocol) -> any JoinOnProtocol {
        BuiltJoin(.leftOuter, datasource)
    }

    /// Pairs for which the condition is true.
    public static func innerJoin(_ datasource: any DataSourceProtocol) -> any JoinOnProtocol {
        BuiltJoin(.inner, datasource)
    }

    /// All pairs.
    public static func crossJoin(_ datasource: any DataSourceProtocol) -> any JoinProtocol {
        BuiltJoin(.cross, datasource)
    }
}

/// A join that the library made.
final class BuiltJoin: JoinOnProtocol {
    private let kind: Source.Join
    private let dataSource: any DataSourceProtocol
    private let condition: (any ExpressionProtocol)?

    init(_ kind: Source.Join, _ dataSource: any DataSourceProtocol, on condition: (any ExpressionProtocol)? = nil) {
        self.kind = kind
        self.dataSource = dataSource
        self.condition = condition
    }

    func on(_ expression: any ExpressionProtocol) -> any JoinProtocol {
        BuiltJoin(kind, dataSource, on: expression)
    }

    func source() throws(QueryError) -> Source {
        let built = try BuiltDataSource.of(dataSource)
        var source = Source.collection(built.path, alias: built.alias)
        source.join = kind
        source.condition = try condition?.queryExpression()
        return source
    }
}

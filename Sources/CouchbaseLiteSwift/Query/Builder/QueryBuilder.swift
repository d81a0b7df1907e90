import QueryEngine

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
    public static func select(_ results: [any SelectResultProtocol]) -> Select { Select(QueryDraft().selecting(results)) }

    /// Starts a query with the columns of its results, in which equal rows are returned once. Without columns, it returns all properties.
    public static func selectDistinct(_ results: any SelectResultProtocol...) -> Select { selectDistinct(results) }

    /// Starts a query with the columns of its results, in which equal rows are returned once. Without columns, it returns all properties.
    public static func selectDistinct(_ results: [any SelectResultProtocol]) -> Select {
        Select(QueryDraft().selecting(results).changing { $0.isDistinct = true })
    }
}

extension QueryDraft {
    func selecting(_ results: [any SelectResultProtocol]) -> QueryDraft {
        changing { select throws(QueryError) in
            for result in results { select.items.append(try BuiltSelectResult.item(of: result)) }
            if select.items.isEmpty { select.items = [SelectItem(.property([]))] }
        }
    }

    func reading(_ dataSource: any DataSourceProtocol) -> QueryDraft {
        var draft = changing { select throws(QueryError) in select.sources = [try BuiltDataSource.source(of: dataSource)] }
        draft.database = (dataSource as? BuiltDataSource)?.database
        return draft
    }

    func joining(_ joins: [any JoinProtocol]) -> QueryDraft {
        changing { select throws(QueryError) in
            for join in joins { select.sources.append(try built(join, "a join", as: BuiltJoin.self).source()) }
        }
    }

    func filtering(_ condition: any ExpressionProtocol) -> QueryDraft {
        changing { select throws(QueryError) in select.condition = try condition.queryExpression() }
    }

    func grouping(_ expressions: [any ExpressionProtocol]) -> QueryDraft {
        changing { select throws(QueryError) in select.grouping = try queryExpressions(expressions) }
    }

    func filteringGroups(_ condition: any ExpressionProtocol) -> QueryDraft {
        changing { select throws(QueryError) in select.groupCondition = try condition.queryExpression() }
    }

    func ordering(_ orderings: [any OrderingProtocol]) -> QueryDraft {
        changing { select throws(QueryError) in
            for ordering in orderings { select.ordering.append(try built(ordering, "an ordering", as: BuiltOrdering.self).ordering()) }
        }
    }

    func limiting(_ limit: any ExpressionProtocol, _ offset: (any ExpressionProtocol)?) -> QueryDraft {
        changing { select throws(QueryError) in
            select.limit = try limit.queryExpression()
            select.offset = try offset?.queryExpression()
        }
    }
}

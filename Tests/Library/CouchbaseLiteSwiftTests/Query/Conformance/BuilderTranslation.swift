import CouchbaseLiteSwift
import QueryLanguage

/// A construct that the query builder cannot express.
struct NotExpressible: Error {
    let what: String

    init(_ what: String) {
        self.what = what
    }
}

/// Expresses a query with the query builder.
struct BuilderTranslation {
    private let database: Database
    private let collections: (CollectionPath) throws -> Collection?

    init(to database: Database) {
        self.database = database
        collections = { path in
            try database.collection(name: path.name ?? "_default", scope: path.scope ?? "_default")
        }
    }

    func query(_ select: SelectStatement) throws -> Query {
        let sources = select.sources.isEmpty ? [Source(.collection(CollectionPath()), alias: "_doc")] : select.sources
        let expressions = BuilderExpressions(sources: sources)
        let items = try select.items.isEmpty ? Self.defaultItems : select.items.map { try item($0, expressions) }
        let chosen = select.isDistinct ? QueryBuilder.selectDistinct(items) : QueryBuilder.select(items)
        var joins: [any JoinProtocol] = []
        for source in sources.dropFirst() { joins.append(try join(source, expressions)) }

        // Each step has one of several classes, so the function returns as soon as no further clause can follow.
        let from = chosen.from(try dataSource(sources[0]))
        let ordering = try select.ordering.map { term -> any OrderingProtocol in
            let order = Ordering.expression(try expressions.expression(term.expression))
            return term.isDescending ? order.descending() : order.ascending()
        }
        let limit = try select.limit.map { try expressions.expression($0) }
        let offset = try select.offset.map { try expressions.expression($0) }
        let condition = try select.condition.map { try expressions.expression($0) }

        if !select.grouping.isEmpty {
            let terms = try select.grouping.map { try expressions.expression($0) }
            let groups: GroupBy
            if let condition {
                groups =
                    joins.isEmpty
                    ? from.where(condition).groupBy(terms) : from.join(joins).where(condition).groupBy(terms)
            } else {
                guard joins.isEmpty else { throw NotExpressible("GROUP BY after a join without WHERE") }
                groups = from.groupBy(terms)
            }
            if let having = select.groupCondition {
                let filtered = groups.having(try expressions.expression(having))
                return end(filtered, ordering, limit, offset, filtered.orderBy, filtered.limit, filtered.limit)
            }
            return end(groups, ordering, limit, offset, groups.orderBy, groups.limit, groups.limit)
        }
        guard select.groupCondition == nil else { throw NotExpressible("HAVING without GROUP BY") }
        if let condition {
            let filtered = joins.isEmpty ? from.where(condition) : from.join(joins).where(condition)
            return end(filtered, ordering, limit, offset, filtered.orderBy, filtered.limit, filtered.limit)
        }
        if !joins.isEmpty {
            let joined = from.join(joins)
            return end(joined, ordering, limit, offset, joined.orderBy, joined.limit, joined.limit)
        }
        return end(from, ordering, limit, offset, from.orderBy, from.limit, from.limit)
    }

    private typealias Expressible = any ExpressionProtocol

    private func end(
        _ query: Query,
        _ ordering: [any OrderingProtocol],
        _ limit: Expressible?,
        _ offset: Expressible?,
        _ orderBy: ([any OrderingProtocol]) -> OrderBy,
        _ limited: (Expressible) -> Limit,
        _ limitedWithOffset: (Expressible, Expressible?) -> Limit
    ) -> Query {
        let ordered = ordering.isEmpty ? nil : orderBy(ordering)
        switch (limit, offset) {
        case (nil, nil): return ordered ?? query
        case (let limit?, nil): return ordered?.limit(limit) ?? limited(limit)
        case (_, let offset?):
            let limit = limit ?? Expression.int64(.max)
            return ordered?.limit(limit, offset: offset) ?? limitedWithOffset(limit, offset)
        }
    }

    private static var defaultItems: [any SelectResultProtocol] {
        [SelectResult.expression(Meta.id).as("_id"), SelectResult.expression(Meta.sequence).as("_sequence")]
    }

    func item(_ item: SelectItem, _ expressions: BuilderExpressions) throws -> any SelectResultProtocol {
        if case .property(let path) = item.expression, path.isEmpty, item.title == nil { return SelectResult.all() }
        let result = SelectResult.expression(try expressions.expression(item.expression))
        if let title = item.title { return result.as(title) }
        // In the builder, the title of a field of a named source is its property, `_id`.
        if case .nested(.meta(_?), let path) = item.expression { return result.as(path.onlyKey) }
        return result
    }

    // MARK: Sources

    func dataSource(_ source: Source) throws -> any DataSourceProtocol {
        guard case .collection(let path) = source.origin else { throw NotExpressible("UNNEST") }
        let isDefault = path.isDefaultCollection || path == CollectionPath(name: database.name)
        guard let alias = source.alias ?? (path.scope == nil ? path.name : nil) else {
            guard let collection = try collections(path) else { throw NotExpressible("an unknown collection") }
            return DataSource.collection(collection)
        }
        if isDefault { return DataSource.database(database).as(alias) }
        guard let collection = try collections(path) else { throw NotExpressible("an unknown collection") }
        return DataSource.collection(collection).as(alias)
    }

    private func join(_ source: Source, _ expressions: BuilderExpressions) throws -> any JoinProtocol {
        let dataSource = try dataSource(source)
        let condition = try source.condition.map { try expressions.expression($0) }
        switch (source.join ?? .inner, condition) {
        case (.inner, let condition?): return Join.innerJoin(dataSource).on(condition)
        case (.left, let condition?): return Join.leftJoin(dataSource).on(condition)
        case (.leftOuter, let condition?): return Join.leftOuterJoin(dataSource).on(condition)
        case (.cross, nil): return Join.crossJoin(dataSource)
        case (.inner, nil): return Join.join(dataSource)
        case (.cross, _?): throw NotExpressible("a cross join with a condition")
        case (_, nil): throw NotExpressible("an outer join without a condition")
        }
    }
}

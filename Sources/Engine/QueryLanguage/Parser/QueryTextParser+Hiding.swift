import Base

// A source of a nested query hides a variable of ANY or EVERY around it that has the same name (Query 12.1). The parser knows the sources only
// after the columns, so it changes what it has parsed.

extension SelectStatement {
    /// Replaces the variables that sources of the query hide by properties of these sources.
    ///
    /// - Throws: ``QueryError`` if one of these properties stands where only a value without documents is allowed.
    mutating func hide(_ variables: [String]) throws(QueryError) {
        for index in combinations.indices { try combinations[index].select.hide(variables) }
        let hidden = variables.filter { name in sources.contains { name.isExactly($0.pathName) } }
        guard !hidden.isEmpty else { return }
        // ORDER BY of combined queries belongs to none of them.
        try changeExpressions(ofOrdering: combinations.isEmpty) { part throws(QueryError) in try part.hiding(hidden) }
    }

    private mutating func changeExpressions(
        ofOrdering: Bool,
        _ change: (QueryExpression) throws(QueryError) -> QueryExpression
    ) throws(QueryError) {
        for index in items.indices { items[index].expression = try change(items[index].expression) }
        for index in sources.indices {
            if case .unnest(let array) = sources[index].origin { sources[index].origin = .unnest(try change(array)) }
            sources[index].condition = try sources[index].condition.map(change)
        }
        condition = try condition.map(change)
        grouping = try grouping.map(change)
        groupCondition = try groupCondition.map(change)
        guard ofOrdering else { return }
        for index in ordering.indices { ordering[index].expression = try change(ordering[index].expression) }
    }

    /// The query nested in one whose sources hide the variables: all parts of it see those sources.
    fileprivate func hiding(_ hidden: [String]) throws(QueryError) -> SelectStatement {
        var select = self
        try select.changeExpressions(ofOrdering: true) { part throws(QueryError) in try part.hiding(hidden) }
        for index in sources.indices {
            switch sources[index].origin {
            case .query(let rows): select.sources[index].origin = .query(try rows.hiding(hidden))
            case .search(let search):
                select.sources[index].origin = .search(try search.mapValues { part throws(QueryError) in try part.hiding(hidden) })
            case .collection, .unnest: break
            }
        }
        for index in combinations.indices {
            select.combinations[index].select = try combinations[index].select.hiding(hidden)
        }
        return select
    }
}

extension QueryExpression {
    fileprivate func hiding(_ hidden: [String]) throws(QueryError) -> QueryExpression {
        switch self {
        case .variable(let name, let path) where hidden.containsExactly(name): .property(PropertyPath([.key(name)] + path.components))
        case .quantified(let quantifier, let variable, let source, let predicate) where hidden.containsExactly(variable):
            .quantified(quantifier, variable: variable, source: try source.hiding(hidden), predicate: predicate)
        case .select(let select): .select(try select.hiding(hidden))
        default: try mapChildren { part throws(QueryError) in try part.hiding(hidden) }
        }
    }
}

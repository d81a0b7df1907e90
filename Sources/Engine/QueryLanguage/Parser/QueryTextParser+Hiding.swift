import Base

// A source of a nested query hides a variable of ANY or EVERY around it that has the same name (Query 12.1). The parser knows the sources only
// after the columns, so it changes what it has parsed.

extension SelectStatement {
    /// Replaces the variables that sources of the query hide by properties of these sources.
    mutating func hide(_ variables: [String]) {
        for index in combinations.indices { combinations[index].select.hide(variables) }
        let hidden = variables.filter { name in sources.contains { name.isExactly($0.pathName) } }
        guard !hidden.isEmpty else { return }
        // ORDER BY of combined queries belongs to none of them.
        changeExpressions(ofOrdering: combinations.isEmpty) { $0.hiding(hidden) }
    }

    private mutating func changeExpressions(ofOrdering: Bool, _ change: (QueryExpression) -> QueryExpression) {
        for index in items.indices { items[index].expression = change(items[index].expression) }
        for index in sources.indices {
            if case .unnest(let array) = sources[index].origin { sources[index].origin = .unnest(change(array)) }
            sources[index].condition = sources[index].condition.map(change)
        }
        condition = condition.map(change)
        grouping = grouping.map(change)
        groupCondition = groupCondition.map(change)
        guard ofOrdering else { return }
        for index in ordering.indices { ordering[index].expression = change(ordering[index].expression) }
    }

    /// The query nested in one whose sources hide the variables: all parts of it see those sources.
    fileprivate func hiding(_ hidden: [String]) -> SelectStatement {
        var select = self
        select.changeExpressions(ofOrdering: true) { $0.hiding(hidden) }
        for index in sources.indices {
            switch sources[index].origin {
            case .query(let rows): select.sources[index].origin = .query(rows.hiding(hidden))
            case .search(let search): select.sources[index].origin = .search(search.mapValues { $0.hiding(hidden) })
            case .collection, .unnest: break
            }
        }
        for index in combinations.indices { select.combinations[index].select = combinations[index].select.hiding(hidden) }
        return select
    }
}

extension QueryExpression {
    fileprivate func hiding(_ hidden: [String]) -> QueryExpression {
        switch self {
        case .variable(let name, let path) where hidden.containsExactly(name): .property(PropertyPath([.key(name)] + path.components))
        case .quantified(let quantifier, let variable, let source, let predicate) where hidden.containsExactly(variable):
            .quantified(quantifier, variable: variable, source: source.hiding(hidden), predicate: predicate)
        case .select(let select): .select(select.hiding(hidden))
        default: mapChildren { $0.hiding(hidden) }
        }
    }
}

import QueryLanguage

/// A clause or form that random queries and statements must contain. Tests check how often each has been compared.
package enum QueryFeature: String, CaseIterable, Sendable {
    // Clauses.
    case condition, grouping, groupCondition, ordering, distinct, aggregate, distinctAggregate
    case join, leftJoin, unnest, nestedSource, joinedNestedSource
    case inQuery, notInQuery, existsQuery, correlatedQuery
    case union, unionAll, intersect, except
    case limit, offset, limitParameter, offsetParameter, nestedWindow, nestedWindowParameter, combinedWindowParameter, wrongRowCount
    // Expressions.
    case quantified, collation, like, conditional, parameter, deletedFlag
    // Forms.
    case tree, json, text, comments, with, `let`
    case indexed
}

extension SelectStatement {
    /// The features of the query. Some of them depend on the values of the parameters.
    func features(_ parameters: [String: OracleValue]) -> Set<QueryFeature> {
        var features: Set<QueryFeature> = []
        collect(&features, isNested: false)
        if (try? OracleWindow(of: self, parameters)) == nil { features.insert(.wrongRowCount) }
        return features
    }

    private func collect(_ features: inout Set<QueryFeature>, isNested: Bool) {
        if condition != nil { features.insert(.condition) }
        if !grouping.isEmpty { features.insert(.grouping) }
        if groupCondition != nil { features.insert(.groupCondition) }
        if !ordering.isEmpty { features.insert(.ordering) }
        if isDistinct { features.insert(.distinct) }
        if hasAggregates { features.insert(.aggregate) }
        if sources.dropFirst().contains(where: \.isCollection) { features.insert(.join) }
        if sources.contains(where: { $0.join == .left || $0.join == .leftOuter }) { features.insert(.leftJoin) }
        for source in sources {
            switch source.origin {
            case .collection, .search: break
            case .unnest: features.insert(.unnest)
            case .query(let nested):
                features.insert(source.join == nil ? .nestedSource : .joinedNestedSource)
                nested.collect(&features, isNested: true)
            }
        }
        for combination in combinations { features.insert(combination.kind.feature) }
        collectWindow(&features, isNested: isNested)
        forEachExpression { $0.collect(&features) }
    }

    private func collectWindow(_ features: inout Set<QueryFeature>, isNested: Bool) {
        if limit != nil { features.insert(.limit) }
        if offset != nil { features.insert(.offset) }
        if isNested, limit != nil || offset != nil { features.insert(.nestedWindow) }
        let hasParameter = (limit.map(\.containsParameter) ?? false, offset.map(\.containsParameter) ?? false)
        if hasParameter.0 { features.insert(.limitParameter) }
        if hasParameter.1 { features.insert(.offsetParameter) }
        guard hasParameter.0 || hasParameter.1 else { return }
        if isNested { features.insert(.nestedWindowParameter) }
        if !combinations.isEmpty { features.insert(.combinedWindowParameter) }
    }

    fileprivate func collectNested(_ features: inout Set<QueryFeature>) {
        let aliases = Set(sources.compactMap(\.alias))
        let isCorrelated = condition?.contains { part in
            if case .property(let path) = part, let first = path.firstKey { !aliases.contains(first) } else { false }
        }
        if isCorrelated ?? false { features.insert(.correlatedQuery) }
        collect(&features, isNested: true)
    }
}

extension Source {
    fileprivate var isCollection: Bool { if case .collection = origin { true } else { false } }
}

extension Combination.Kind {
    fileprivate var feature: QueryFeature {
        switch self {
        case .union: .union
        case .unionAll: .unionAll
        case .intersect: .intersect
        case .except: .except
        }
    }
}

extension QueryExpression {
    fileprivate var containsParameter: Bool { contains { if case .parameter = $0 { true } else { false } } }

    func collect(_ features: inout Set<QueryFeature>) {
        var nested: [SelectStatement] = []
        var found: Set<QueryFeature> = []
        _ = contains { part in
            switch part {
            case .operation(.in, let operands):
                if case .select = operands[1] { found.insert(.inQuery) }
            case .operation(.notIn, let operands):
                if case .select = operands[1] { found.insert(.notInQuery) }
            case .exists(.select): found.insert(.existsQuery)
            case .quantified: found.insert(.quantified)
            case .collate: found.insert(.collation)
            case .like: found.insert(.like)
            case .conditional: found.insert(.conditional)
            case .parameter: found.insert(.parameter)
            case .distinct: found.insert(.distinctAggregate)
            case .nested(.meta, let path) where path.onlyKey == "deleted": found.insert(.deletedFlag)
            case .select(let select): nested.append(select)
            default: break
            }
            return false
        }
        for select in nested { select.collectNested(&found) }
        features.formUnion(found)
    }
}

import QueryLanguage

/// An index that might help a query.
struct IndexCandidate: Hashable {
    /// The alias of the source that the index would serve.
    let alias: String
    let table: SourceTable
    /// The path of an array index; `nil` for a value index.
    let arrayPath: String?
    /// The indexed expressions: at least one for a value index; none in an array index of the elements themselves.
    let expressions: [QueryExpression]
    /// The number of leading ``expressions`` that conditions search for; the others serve the ordering.
    let searchedCount: Int
}

/// Derives the indexes that might help a SELECT from its conditions and orderings.
struct IndexCandidates {
    private let select: SelectStatement
    private let scope: SourceScope
    private let terms: [SearchTerm]

    init(_ select: SelectStatement, scope: SourceScope) {
        self.select = select
        self.scope = scope
        let conditions = ([select.condition] + select.sources.map(\.condition)).compactMap(\.self)
        terms = conditions.flatMap(\.conjuncts).flatMap { SearchTerm.terms(in: $0, of: select, scope) }
    }

    /// Returns the candidates for a source, the most promising first.
    func candidates(forSource position: Int) -> [IndexCandidate] {
        let source = scope.sources[position]
        switch source.kind {
        case .documents(let table):
            return valueIndexes(position, source.alias ?? "", table)
        case .rows:
            return []
        case .elements, .arrayTable:
            guard let (table, path) = source.arrayOrigin else { return [] }
            return arrayIndexes(position, source.alias ?? "", table, path)
        }
    }

    private func valueIndexes(_ position: Int, _ alias: String, _ table: SourceTable) -> [IndexCandidate] {
        let (equal, ranges) = searched(position)
        var lists: [(columns: [QueryExpression], searchedCount: Int)] = []
        let order = self.order(position)
        if let order {
            // After columns that are each compared with a single value, an index returns the rows in the order of the remaining columns.
            lists.append((equal + order.filter { !equal.contains($0) }, equal.count))
        }
        if let range = ranges.first, !equal.isEmpty { lists.insert((equal + [range], equal.count + 1), at: 0) }
        if !equal.isEmpty { lists.append((equal, equal.count)) }
        for column in equal + ranges { lists.append(([column], 1)) }
        if let order, !equal.isEmpty || !ranges.isEmpty { lists.append((order, 0)) }
        return lists.filter { !$0.columns.isEmpty }.map { list in
            IndexCandidate(alias: alias, table: table, arrayPath: nil, expressions: list.columns, searchedCount: list.searchedCount)
        }
    }

    private func arrayIndexes(_ position: Int, _ alias: String, _ table: SourceTable, _ path: String) -> [IndexCandidate] {
        let (equal, ranges) = searched(position)
        var lists = [equal + ranges.prefix(1)] + (equal + ranges).map { [$0] }
        // An index of the element itself has no expressions, and cannot be combined with others.
        lists = lists.map { $0 == [.property([])] ? [] : $0.filter { $0 != .property([]) } }
        return lists.filter { !$0.isEmpty || equal.contains(.property([])) || ranges.contains(.property([])) }
            .map { columns in
                IndexCandidate(alias: alias, table: table, arrayPath: path, expressions: columns, searchedCount: max(columns.count, 1))
            }
    }

    /// Returns the expressions that conditions compare with single values, and those that they compare with ranges.
    private func searched(_ position: Int) -> (equal: [QueryExpression], ranges: [QueryExpression]) {
        var equal: [QueryExpression] = []
        var ranges: [QueryExpression] = []
        for term in terms where term.source == position {
            if term.isEquality, !equal.contains(term.expression) { equal.append(term.expression) }
            if !term.isEquality, !ranges.contains(term.expression) { ranges.append(term.expression) }
        }
        return (equal, ranges.filter { !equal.contains($0) })
    }

    /// Returns the terms of the ordering, or of the grouping if there is no ordering; `nil` unless all of them belong to this source and
    /// have the same direction.
    private func order(_ position: Int) -> [QueryExpression]? {
        let written = select.ordering.isEmpty ? select.grouping : select.ordering.map(\.expression)
        guard Set(select.ordering.map(\.isDescending)).count <= 1 else { return nil }
        let own = written.compactMap { SearchTerm.own($0, of: select, scope) }
        guard !own.isEmpty, own.count == written.count, own.allSatisfy({ $0.source == position }) else { return nil }
        return own.map(\.expression)
    }
}

import DocumentStore

/// An index that might help a query.
struct IndexCandidate: Hashable {
    /// The alias of the source that would be searched.
    let alias: String
    let table: SourceTable
    /// Of an array index; nil for a value index.
    let arrayPath: String?
    /// For a value index at least one; for an array index none means the elements themselves.
    let expressions: [QueryExpression]
    /// How many of ``expressions`` conditions look for; the rest are for the order.
    let searchedCount: Int
}

/// Finds out from the conditions and orderings of one SELECT which indexes might help it.
struct IndexCandidates {
    private let select: Select
    private let scope: SourceScope
    private let terms: [SearchTerm]

    init(_ select: Select, scope: SourceScope) {
        self.select = select
        self.scope = scope
        let conditions = ([select.condition] + select.sources.map(\.condition)).compactMap(\.self)
        terms = conditions.flatMap(\.conjuncts).flatMap { SearchTerm.terms(in: $0, of: select, scope) }
    }

    /// Candidates for a source, the most promising first.
    func candidates(forSource position: Int) -> [IndexCandidate] {
        let source = scope.sources[position]
        switch source.kind {
        case .documents(let table):
            return valueIndexes(position, source.alias ?? "", table)
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
            // Behind columns that are looked for by one value each, the order of the rest is kept.
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
        // The element itself goes without expressions, and alone.
        lists = lists.map { $0 == [.property([])] ? [] : $0.filter { $0 != .property([]) } }
        return lists.filter { !$0.isEmpty || equal.contains(.property([])) || ranges.contains(.property([])) }
            .map { columns in
                IndexCandidate(alias: alias, table: table, arrayPath: path, expressions: columns, searchedCount: max(columns.count, 1))
            }
    }

    /// What conditions compare with one value, and with a range of values.
    private func searched(_ position: Int) -> (equal: [QueryExpression], ranges: [QueryExpression]) {
        var equal: [QueryExpression] = []
        var ranges: [QueryExpression] = []
        for term in terms where term.source == position {
            if term.isEquality, !equal.contains(term.expression) { equal.append(term.expression) }
            if !term.isEquality, !ranges.contains(term.expression) { ranges.append(term.expression) }
        }
        return (equal, ranges.filter { !equal.contains($0) })
    }

    /// The terms of the ordering, or else of the grouping, when they are all of this source and point in one direction.
    private func order(_ position: Int) -> [QueryExpression]? {
        let written = select.ordering.isEmpty ? select.grouping : select.ordering.map(\.expression)
        guard Set(select.ordering.map(\.isDescending)).count <= 1 else { return nil }
        let own = written.compactMap { SearchTerm.own($0, of: select, scope) }
        guard !own.isEmpty, own.count == written.count, own.allSatisfy({ $0.source == position }) else { return nil }
        return own.map(\.expression)
    }
}

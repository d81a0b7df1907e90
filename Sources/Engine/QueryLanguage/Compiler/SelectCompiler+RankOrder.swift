import Base

/// Statements of full-text searches that sort the matches by rank before they look up the documents.
///
/// In the plain statement SQLite looks up the document of each match, and its sorter keeps the values for the result. If only the first rows
/// are wanted, that is most of the work that is not the search itself.
extension SelectCompiler {
    /// Whether the query returns the first documents of one collection by their rank in one search, and depends on the search in no other way.
    var sortsMatchesByRank: Bool {
        guard matches.count == 1, storedPredictions.isEmpty, vectorSearches.isEmpty, scope.sources.count == 1, scope.main?.table != nil,
            select.limit != nil, select.ordering.count == 1, select.ordering[0].expression.isRank, !select.isDistinct, !select.isGrouped,
            select.groupCondition == nil, select.combinations.isEmpty
        else { return false }
        let others = (select.condition?.conjuncts ?? []).filter { !$0.isMatch } + select.items.map(\.expression)
        return !others.contains { $0.contains(where: \.isNestedOrSearch) }
    }

    /// Compiles the statement. The search is a nested query, whose rows SQLite must read in their order.
    ///
    /// - Parameter indexExcludesDeleted: Whether the index contains no deleted documents.
    mutating func rankedStatement(indexExcludesDeleted: Bool) throws -> String {
        let conjuncts = select.condition?.conjuncts ?? []
        let others = conjuncts.filter { !$0.isMatch }
        guard let match = matches.first, let test = conjuncts.first(where: \.isMatch), let term = select.ordering.first else {
            return try statement(hiddenColumns: [])
        }
        context.clause = .condition
        context.isAtTopOfCondition = true
        let condition = try expression(test)
        context.clause = .ordering
        let order = try expression(term.expression) + (term.isDescending ? " DESC" : "")
        // Without a limit, SQLite could merge the nested query with the query around it.
        let isEachMatchARow = others.isEmpty && (indexExcludesDeleted || scope.main?.liveFilter == nil)
        let limit = isEachMatchARow && select.offset == nil ? try limitClause() : " LIMIT -1"
        let search = "SELECT docid FROM \(SQLText.identifier(match.table)) AS \(match.alias) WHERE \(condition)"
        form.rankedSearch = "(\(search) ORDER BY \(order)\(limit)) AS \(match.alias)"
        select.condition = others.count > 1 ? .operation(.and, others) : others.first
        select.ordering = []
        return try statement(hiddenColumns: [])
    }
}

extension QueryExpression {
    fileprivate var isMatch: Bool { if case .match = self { true } else { false } }

    /// Whether this is a number that says how well a document matches.
    fileprivate var isRank: Bool {
        switch self {
        case .rank, .search(.bm25, _, _): true
        default: false
        }
    }

    /// Whether this is a nested query, or belongs to a full-text search.
    var isNestedOrSearch: Bool {
        switch self {
        case .select, .match, .rank, .search: true
        default: false
        }
    }
}

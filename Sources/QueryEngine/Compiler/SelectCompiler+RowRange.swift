/// Statements that read a range of a collection's rows, so that several connections can read a large collection at the same time.
extension SelectCompiler {
    /// The parameters of the first and the last row ID. No parameter of a query has such a name, because those begin with an underscore.
    static let rangeParameters = (first: "$first", last: "$last")

    /// Whether the rows for a range of documents, followed by those for the next range, are the rows for both: each row depends on one live
    /// document of one collection, and the order of the rows is that of the table.
    var canBeLimitedToRange: Bool {
        guard scope.sources.count == 1, let main = scope.main, main.table != nil, main.visibility == .live, matches.isEmpty,
            !select.isDistinct, !select.isGrouped, select.groupCondition == nil, select.combinations.isEmpty, select.ordering.isEmpty,
            select.limit == nil, select.offset == nil
        else { return false }
        var isSimple = true
        select.forEachExpression { expression in
            if expression.contains(where: \.isNestedOrSearch) { isSimple = false }
        }
        return isSimple
    }

    /// The WHERE clause with the condition that selects the range.
    func rangeCondition(with condition: String?) -> String {
        let qualifier = scope.main?.qualifier ?? ""
        let range = "\(qualifier)rowid BETWEEN \(Self.rangeParameters.first) AND \(Self.rangeParameters.last)"
        return [range, condition.map { "(\($0))" }, scope.main?.liveFilter].compactMap(\.self).joined(separator: " AND ")
    }
}

extension QueryExpression {
    /// Whether this is a nested query, or belongs to a full-text search.
    fileprivate var isNestedOrSearch: Bool {
        switch self {
        case .select, .match, .rank: true
        default: false
        }
    }
}

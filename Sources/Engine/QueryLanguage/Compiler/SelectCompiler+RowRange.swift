import Base

/// The first rows in an order, which are found in ranges of a collection's rows one by one.
package struct SortedWindow: Sendable, Hashable {
    /// Whether the order is descending, for each term of ORDER BY.
    package let isDescending: [Bool]
    /// The number of rows before the first row of the result.
    package let offset: Int
    /// The maximum number of rows of the result.
    package let limit: Int

    /// The maximum number of rows that are found in each range.
    static let maximumCount = 10_000
}

/// Statements that read a range of a collection's rows, so that several connections can read a large collection at the same time.
extension SelectCompiler {
    /// Whether each row of the result depends on one live document of one collection. Without ORDER BY and LIMIT, the rows for a range of
    /// documents, followed by those for the next range, are then the rows for both, in the order of the table.
    var readsDocumentsOneByOne: Bool {
        guard scope.sources.count == 1, let main = scope.main, main.table != nil, main.visibility == .live, matches.isEmpty,
            storedPredictions.isEmpty, vectorSearches.isEmpty,
            !select.isDistinct, !select.isGrouped, select.groupCondition == nil, select.combinations.isEmpty
        else { return false }
        var isSimple = true
        select.forEachExpression { expression in
            // One run calls one model, so one thread looks it up (Vector search PR-2).
            if expression.contains(where: { $0.isNestedOrSearch || ModelCall($0) != nil }) { isSimple = false }
        }
        return isSimple
    }

    /// The table whose ranges can be read one by one, and the rows that are needed of each range; `nil` if the query needs all documents at
    /// once.
    var range: (table: String, window: SortedWindow?)? {
        guard readsDocumentsOneByOne, let table = scope.main?.table?.liveTable else { return nil }
        if select.ordering.isEmpty { return select.limit == nil && select.offset == nil ? (table, nil) : nil }
        guard let window = sortedWindow else { return nil }
        return (table, window)
    }

    /// The rows of a query that sorts by properties, compared by their bytes, with a literal limit; `nil` for any other query.
    private var sortedWindow: SortedWindow? {
        guard case .integer(let limit)? = select.limit, limit >= 0, limit <= SortedWindow.maximumCount else { return nil }
        var offset: Int64 = 0
        if let written = select.offset {
            guard case .integer(let number) = written, number >= 0, number <= SortedWindow.maximumCount else { return nil }
            offset = number
        }
        guard limit + offset <= SortedWindow.maximumCount else { return nil }
        for term in select.ordering {
            // The title of a column denotes the column.
            guard case .property(let path) = term.expression, !path.components.isEmpty,
                !select.items.contains(where: { $0.title != nil && path.onlyKey?.isExactly($0.title) ?? false })
            else { return nil }
        }
        return SortedWindow(isDescending: select.ordering.map(\.isDescending), offset: Int(offset), limit: Int(limit))
    }

    /// Compiles the statement for a range. The columns before those of the result are the terms of ORDER BY.
    mutating func rangeStatement(_ window: SortedWindow?) throws -> String {
        form.isLimitedToRange = true
        guard let window else { return try statement(hiddenColumns: []) }
        context.clause = .ordering
        let keys = try select.ordering.map { try term($0.expression) }
        select.limit = .integer(Int64(window.offset + window.limit))
        select.offset = nil
        return try statement(hiddenColumns: keys)
    }

    /// The WHERE clause with the condition that selects the range.
    func rangeCondition(with condition: String?) -> String {
        let qualifier = scope.main?.qualifier ?? ""
        let range = "\(qualifier)rowid BETWEEN \(QueryCompiler.rangeParameters.first) AND \(QueryCompiler.rangeParameters.last)"
        return [range, condition.map { "(\($0))" }, scope.main?.liveFilter].compactMap(\.self).joined(separator: " AND ")
    }
}

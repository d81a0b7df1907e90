import QueryEngine

/// Assembles a ``PredicateQuery`` from its parts (Query 9.1).
@available(*, deprecated)
struct PredicateDraft {
    var condition: (any QueryPredicate)?
    var grouping: [any QueryPredicateExpression]?
    var groupCondition: (any QueryPredicate)?
    var results: [any QueryPredicateExpression]?
    var isDistinct: Bool
    var ordering: [any QuerySortDescriptor]?

    /// The names of the query parameters for offset and limit.
    static let offsetParameter = "opt_offset"
    static let limitParameter = "opt_limit"

    /// Returns the query, and which of its columns identify the documents.
    func select() throws(QueryError) -> (QueryEngine.Select, PredicateRowShape) {
        var select = QueryEngine.Select()
        if let condition { select = try PredicateForm.select(condition) }
        if let grouping {
            select.grouping = []
            for item in grouping { select.grouping.append(try PredicateForm.grouping(item)) }
        }
        if let groupCondition { select.groupCondition = try PredicateForm.groupCondition(groupCondition) }
        if let results {
            select.items = []
            for item in results { select.items.append(SelectItem(try PredicateForm.result(item))) }
        }
        if let ordering {
            select.ordering = []
            for item in ordering { select.ordering.append(try PredicateForm.ordering(item)) }
        }
        if isDistinct { select.isDistinct = true }
        let shape = addIdentity(to: &select)
        select.limit = .function(name: "ifmissing", arguments: [.parameter(Self.limitParameter), select.limit ?? .integer(.max)])
        select.offset = .function(name: "ifmissing", arguments: [.parameter(Self.offsetParameter), select.offset ?? .integer(0)])
        return (select, shape)
    }

    /// Adds the columns that identify the document of a row, and the ordering by document ID, if each row belongs to a single document.
    private func addIdentity(to select: inout QueryEngine.Select) -> PredicateRowShape {
        let identity = [SelectItem(.property([.key("_id")])), SelectItem(.property([.key("_sequence")]))]
        let count = select.items.count
        if count == 0 { select.items = identity }
        var shape = PredicateRowShape(columnCount: select.items.count, identityColumn: nil)
        guard !select.isGrouped, select.sources.count < 2 else { return shape }
        if count == 0 {
            shape.identityColumn = 0
        } else if !select.isDistinct {
            shape.identityColumn = count
            select.items += identity
        }
        if ordering == nil, select.ordering.isEmpty, shape.identityColumn != nil {
            select.ordering = [QueryEngine.Ordering(identity[0].expression)]
        }
        return shape
    }
}

/// The columns of a predicate query: those the app asked for, and those added for the document's identity.
struct PredicateRowShape {
    /// The number of columns the app asked for; further columns may follow.
    var columnCount: Int
    /// The column with the document's ID, followed by the column with the sequence; `nil` if rows do not belong to single documents.
    var identityColumn: Int?
}

import QueryEngine

/// Puts the parts of a ``PredicateQuery`` together (Query 9.1).
@available(*, deprecated)
struct PredicateDraft {
    var condition: (any QueryPredicate)?
    var grouping: [any QueryPredicateExpression]?
    var groupCondition: (any QueryPredicate)?
    var results: [any QueryPredicateExpression]?
    var isDistinct: Bool
    var ordering: [any QuerySortDescriptor]?

    /// The names of the parameters that carry offset and limit.
    static let offsetParameter = "opt_offset"
    static let limitParameter = "opt_limit"

    /// The query, and how its rows tell which documents they stand for.
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

    /// Adds the columns that tell the document of a row, and the order by them, where rows stand for single documents.
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

/// Which columns of a predicate query are its own.
struct PredicateRowShape {
    /// How many columns were asked for; behind them there may be others.
    var columnCount: Int
    /// The column with the document's ID, which is followed by the sequence; nil when rows do not stand for documents.
    var identityColumn: Int?
}

extension QueryEngine.Select {
    /// Whether a row stands for many documents.
    fileprivate var isGrouped: Bool {
        guard grouping.isEmpty else { return true }
        return (items.map(\.expression) + ordering.map(\.expression)).contains { expression in
            expression.contains { part in
                if case .function(let name, _) = part {
                    QueryFunction.named(name)?.isAggregate ?? false
                } else {
                    false
                }
            }
        }
    }
}

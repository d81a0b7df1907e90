package import Base

extension QueryExpression {
    /// Calls `body` with each direct operand, in the order in which they are written.
    ///
    /// The parts of a nested ``select(_:)`` are not operands, because names have a different meaning in it.
    package func forEachChild<Failure>(_ body: (QueryExpression) throws(Failure) -> Void) throws(Failure) {
        switch self {
        case .missing, .null, .boolean, .integer, .double, .string, .parameter, .property, .variable, .blob, .meta,
            .select, .rank:
            break
        case .array(let elements):
            for element in elements { try body(element) }
        case .dictionary(let entries):
            for entry in entries { try body(entry.value) }
        case .nested(let operand, _), .exists(let operand), .collate(_, let operand), .match(_, let operand),
            .distinct(let operand):
            try body(operand)
        case .operation(_, let operands), .function(_, let operands), .search(_, _, let operands):
            for operand in operands { try body(operand) }
        case .like(let value, let pattern, _):
            try body(value)
            try body(pattern)
        case .conditional(let subject, let branches, let otherwise):
            if let subject { try body(subject) }
            for branch in branches {
                try body(branch.condition)
                try body(branch.result)
            }
            if let otherwise { try body(otherwise) }
        case .quantified(_, _, let source, let predicate):
            try body(source)
            try body(predicate)
        }
    }

    /// Whether this expression or one inside it satisfies `predicate`.
    package func contains(where predicate: (QueryExpression) -> Bool) -> Bool {
        struct Found: Error {}
        if predicate(self) { return true }
        do throws(Found) {
            try forEachChild { child throws(Found) in
                if child.contains(where: predicate) { throw Found() }
            }
            return false
        } catch {
            return true
        }
    }

    /// Whether this is a part of a document, or of its metadata.
    var readsDocument: Bool {
        switch self {
        case .property, .meta, .blob, .match, .rank, .search: true
        default: false
        }
    }

    /// Whether a query is nested in this expression.
    package var containsNestedQuery: Bool { contains { if case .select = $0 { true } else { false } } }

    /// Throws an error if the tree is deeper than ``maximumDepth``.
    ///
    /// The check stops at that depth, so it is safe for any tree. Call it before any other traversal of a tree that did not come from a
    /// parser.
    package func checkDepth(limit: Int = QueryExpression.maximumDepth) throws(QueryError) {
        guard limit > 0 else { throw QueryError.invalidQuery("the query is nested too deeply") }
        if case .select(let select) = self {
            try select.checkDepth(limit: limit - 1)
            return
        }
        try forEachChild { child throws(QueryError) in try child.checkDepth(limit: limit - 1) }
    }
}

extension SelectStatement {
    /// Calls `body` with every expression of the query, clause by clause. Nested queries in FROM, those of searches, and
    /// combined queries are passed as ``QueryExpression/select(_:)``.
    package func forEachExpression<Failure>(_ body: (QueryExpression) throws(Failure) -> Void) throws(Failure) {
        for item in items { try body(item.expression) }
        for source in sources {
            switch source.origin {
            case .collection: break
            case .unnest(let expression): try body(expression)
            case .query(let select): try body(.select(select))
            case .search(let search): try search.forEachExpression(body)
            }
            if let condition = source.condition { try body(condition) }
        }
        if let condition { try body(condition) }
        for term in grouping { try body(term) }
        if let groupCondition { try body(groupCondition) }
        for combination in combinations { try body(.select(combination.select)) }
        for term in ordering { try body(term.expression) }
        if let limit { try body(limit) }
        if let offset { try body(offset) }
    }

    /// The number of levels of a tree that a nested query counts as: compiling it takes as much stack as that many nested operations.
    package static let nestingCost = 8

    /// Throws an error if an expression of the query is deeper than ``QueryExpression/maximumDepth``.
    package func checkDepth(limit: Int = QueryExpression.maximumDepth) throws(QueryError) {
        try forEachExpression { expression throws(QueryError) in
            guard case .select(let nested) = expression else { return try expression.checkDepth(limit: limit) }
            guard limit > Self.nestingCost else { throw QueryError.invalidQuery("the query is nested too deeply") }
            try nested.checkDepth(limit: limit - Self.nestingCost)
        }
    }
}

extension DataStatement {
    /// Calls `body` with every expression of the statement, and of the query of INSERT … SELECT.
    package func forEachExpression<Failure>(_ body: (QueryExpression) throws(Failure) -> Void) throws(Failure) {
        switch change {
        case .insert(.values(let rows), _):
            for row in rows {
                if let key = row.key { try body(key) }
                try body(row.value)
            }
        case .insert(.select(let select, _, _), _): try select.forEachExpression(body)
        case .update(let assignments):
            for case let value? in assignments.map(\.value) { try body(value) }
        case .delete: break
        }
        if let condition { try body(condition) }
        if let limit { try body(limit) }
        for item in returning { try body(item.expression) }
    }

    /// The names of the parameters in the statement, and in the queries nested in it.
    package var parameterNames: Set<ExactString> {
        var names: Set<ExactString> = []
        func collect(_ expression: QueryExpression) {
            switch expression {
            case .parameter(let name): names.insert(ExactString(name))
            case .select(let select): select.forEachExpression(collect)
            default: expression.forEachChild(collect)
            }
        }
        forEachExpression(collect)
        return names
    }
}

import Base

/// A query that WITH names. Each use of the name in FROM is replaced by the query.
struct NamedQuery {
    var name: String
    var select: SelectStatement
    /// The number of queries in FROM that a use of the name adds: this one and those inside.
    var count: Int
}

/// A variable of LET. Each use of the name is replaced by the expression.
struct LetVariable {
    var name: String
    var value: QueryExpression
    /// The index of the token that defines it.
    var token: Int
}

extension QueryTextParser {
    /// The maximum number of queries in FROM, where a query that WITH names counts at each use.
    private static let maximumNestedQueries = 64

    /// The maximum number of variables of one LET, because each name in the query is compared with all of them.
    private static let maximumVariables = 1000

    /// The maximum number of parts of an expression after the variables of LET have been replaced.
    private static let maximumExpansion = 10_000

    /// The maximum number of parts of all these expressions: a variable can be used in many columns.
    private static let maximumTotalExpansion = 1_000_000

    // MARK: WITH

    /// Parses `WITH name AS (select), …` at the beginning of a query.
    mutating func parseNamedQueries() throws(QueryError) {
        guard skip(word: "WITH") else { return }
        repeat {
            let start = index
            let name = try expectIdentifier("a name for a query")
            guard !namedQueries.contains(where: { name.isExactly($0.name) }) else {
                throw syntaxError("WITH names two queries \(name)", at: start)
            }
            try expect(.as)
            try expect(.leftParenthesis)
            nestedQueryCount = 0
            let select = try parseNestedSelect()
            namedQueries.append(NamedQuery(name: name, select: select, count: nestedQueryCount))
        } while skip(.comma)
        nestedQueryCount = 0
    }

    /// Parses a query in FROM or WITH up to the closing parenthesis.
    mutating func parseNestedSelect() throws(QueryError) -> SelectStatement {
        try countNestedQueries(1)
        try enter(SelectStatement.nestingCost)
        let select = try parseSelect()
        leave(SelectStatement.nestingCost)
        try expect(.rightParenthesis)
        return select
    }

    /// Returns the query that WITH names; `nil` if this is the name of a collection.
    mutating func namedQuery(_ name: String) throws(QueryError) -> SelectStatement? {
        guard let query = namedQueries.first(where: { name.isExactly($0.name) }) else { return nil }
        try countNestedQueries(query.count)
        return query.select
    }

    mutating func countNestedQueries(_ count: Int) throws(QueryError) {
        nestedQueryCount += count
        guard nestedQueryCount <= Self.maximumNestedQueries else {
            throw syntaxError("FROM has more than \(Self.maximumNestedQueries) nested queries, with each use of those of WITH", at: index)
        }
    }

    // MARK: LET

    /// Whether the current token begins LET. Otherwise it is a name.
    var isAtLet: Bool {
        guard isAt(word: "LET"), case .name = following else { return false }
        return kind(at: 2) == .symbol(.equal) || kind(at: 2) == .symbol(.doubleEqual)
    }

    /// Parses `LET name = expr, …`.
    mutating func parseLet(in select: SelectStatement) throws(QueryError) -> [LetVariable] {
        var defined: [LetVariable] = []
        guard isAtLet else { return defined }
        repeat {
            advance()
            let start = index
            let name = try expectIdentifier("a name for a variable")
            guard !defined.contains(where: { name.isExactly($0.name) }), !select.sources.contains(where: { name.isExactly($0.pathName) })
            else { throw syntaxError("the name \(name) of LET is already in use", at: start) }
            guard defined.count < Self.maximumVariables else {
                throw syntaxError("LET has more than \(Self.maximumVariables) variables", at: start)
            }
            guard skip(.equal) || skip(.doubleEqual) else { throw syntaxError(expecting: "\"=\"") }
            let written = try parseExpression()
            defined.append(LetVariable(name: name, value: try replacing(defined, in: written), token: start))
        } while isAt(.comma)
        return defined
    }

    /// Replaces the variables of LET in the clauses up to HAVING.
    mutating func replace(_ defined: [LetVariable], in select: inout SelectStatement) throws(QueryError) {
        guard !defined.isEmpty else { return }
        var titles = Set(exactly: select.items.compactMap(\.title))
        for position in select.items.indices {
            let written = select.items[position]
            // The title is that of the expression as written.
            if written.title == nil, case .property(let path) = written.expression, let name = path.firstKey,
                defined.contains(where: { name.isExactly($0.name) }), let title = path.lastKey, titles.insert(ExactString(title)).inserted
            {
                select.items[position].title = title
            }
            let isTitled = select.items[position].title != nil
            let value = try replacing(defined, in: written.expression)
            select.items[position].expression = isTitled || value == written.expression ? value : value.asTerm
        }
        if let condition = select.condition { select.condition = try replacing(defined, in: condition) }
        for position in select.grouping.indices { select.grouping[position] = try replacing(defined, inTerm: select.grouping[position]) }
        if let condition = select.groupCondition { select.groupCondition = try replacing(defined, in: condition) }
    }

    /// Replaces the variables of LET in a term of GROUP BY or ORDER BY.
    mutating func replacing(_ defined: [LetVariable], inTerm term: QueryExpression) throws(QueryError) -> QueryExpression {
        let value = try replacing(defined, in: term)
        return value == term ? value : value.asTerm
    }

    private mutating func replacing(_ defined: [LetVariable], in expression: QueryExpression) throws(QueryError) -> QueryExpression {
        guard !defined.isEmpty else { return expression }
        if let used = defined.firstUsed(inQueriesOf: expression) {
            throw syntaxError("the variable \(used.name) of LET cannot be used in a nested query", at: used.token)
        }
        let result = defined.replaced(in: expression)
        guard result != expression else { return expression }
        var budget = Self.maximumExpansion
        result.count(against: &budget)
        guard budget > 0 else { throw syntaxError("the variables of LET make an expression too large", at: defined[0].token) }
        replacedParts += Self.maximumExpansion - budget
        guard replacedParts <= Self.maximumTotalExpansion else {
            throw syntaxError("the variables of LET make the query too large", at: defined[0].token)
        }
        try result.checkDepth()
        return result
    }
}

extension [LetVariable] {
    fileprivate func replaced(in expression: QueryExpression) -> QueryExpression {
        guard case .property(let path) = expression else {
            if let negated = expression.asNegatedTest { return replaced(in: negated).mapTestedOperand { .not($0) } }
            // A NOT in a variable does not negate the test of the variable.
            return expression.mapChildren { replaced(in: $0) }.mapTestedOperand(\.asTested)
        }
        guard let name = path.firstKey, let variable = first(where: { name.isExactly($0.name) }) else { return expression }
        let rest = path.dropFirst()
        if rest.isEmpty { return variable.value }
        if case .property(let base) = variable.value, !base.isEmpty { return .property(PropertyPath(base.components + rest.components)) }
        return .nested(variable.value, rest)
    }

    /// Returns the first variable whose name the queries nested in the expression use; `nil` if they use none.
    fileprivate func firstUsed(inQueriesOf expression: QueryExpression) -> LetVariable? {
        var found: LetVariable?
        func visit(_ part: QueryExpression) {
            if case .select(let select) = part { found = found ?? firstUsed(in: select) } else { part.forEachChild(visit) }
        }
        visit(expression)
        return found
    }

    private func firstUsed(in select: SelectStatement) -> LetVariable? {
        let visible = filter { variable in
            !select.sources.contains { variable.name.isExactly($0.pathName) }
                && !select.items.contains { variable.name.isExactly($0.title) }
        }
        var found: LetVariable?
        func visit(_ part: QueryExpression) {
            switch part {
            case .property(let path):
                guard let name = path.firstKey else { return }
                found = found ?? visible.first { name.isExactly($0.name) }
            case .select(let nested): found = found ?? visible.firstUsed(in: nested)
            default: part.forEachChild(visit)
            }
        }
        select.forEachExpression(visit)
        return found
    }
}

extension QueryExpression {
    /// Reduces a budget by the number of parts of the expression, and stops when it is used up.
    fileprivate func count(against budget: inout Int) {
        budget -= 1
        guard budget > 0 else { return }
        forEachChild { $0.count(against: &budget) }
    }

    /// The expression as a term of GROUP BY or ORDER BY, where a literal would be a property or the number of a column.
    fileprivate var asTerm: QueryExpression {
        switch self {
        case .string: .operation(.concatenate, [self, .string("")])
        case .integer: .operation(.add, [self, .integer(0)])
        case .operation(.subtract, let operands) where operands.count == 1: .operation(.add, [self, .integer(0)])
        default: self
        }
    }
}

extension Source {
    /// The name with which paths into the source begin.
    var pathName: String? {
        if let alias { return alias }
        return switch origin {
        case .collection(let path): path.name
        case .unnest(.property(let path)): path.lastKey
        case .search: SearchSource.functionName
        case .unnest, .query: nil
        }
    }
}

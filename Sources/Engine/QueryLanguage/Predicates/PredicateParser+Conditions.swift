import Base

extension PredicateParser {
    /// Parses `predicate` of the grammar.
    mutating func parseCondition() throws(QueryError) -> QueryExpression {
        let part = try parsePart()
        return try condition(part)
    }

    /// Parses a condition or an expression. It uses few nested function calls, because they cost stack at every level of nesting.
    mutating func parsePart() throws(QueryError) -> Part {
        try enter()
        defer { leave() }
        var alternatives: [QueryExpression] = []
        var conditions: [QueryExpression] = []
        var part = try parseComparison()
        while true {
            let isAlternative = isAt(.or) || isAt(.doubleBar)
            guard isAlternative || isAt(.and) || isAt(.doubleAmpersand) else { break }
            conditions.append(try condition(part))
            if isAlternative {
                alternatives.append(Self.joined(.and, conditions))
                conditions = []
            }
            advance()
            part = try parseComparison()
        }
        if alternatives.isEmpty, conditions.isEmpty { return part }
        conditions.append(try condition(part))
        alternatives.append(Self.joined(.and, conditions))
        return .condition(Self.joined(.or, alternatives))
    }

    private static func joined(_ symbol: QueryOperator, _ operands: [QueryExpression]) -> QueryExpression {
        operands.count == 1 ? operands[0] : .operation(symbol, operands)
    }

    /// Returns the condition in a part that has just been parsed; throws if the part is a value.
    private func condition(_ part: Part) throws(QueryError) -> QueryExpression {
        guard case .condition(let condition) = part else { throw unexpected("a comparison is missing") }
        return condition
    }

    // MARK: Comparisons

    /// Parses `notP` of the grammar.
    private mutating func parseComparison() throws(QueryError) -> Part {
        var negations = 0
        while skip(.not) || skip(.exclamation) {
            negations += 1
            try enter()
        }
        defer { leave(negations) }
        let part = try parseUnnegated()
        guard negations > 0 else { return part }
        var result = try condition(part)
        for _ in 0..<negations { result = .not(result) }
        return .condition(result)
    }

    private mutating func parseUnnegated() throws(QueryError) -> Part {
        if skip(.truepredicate) { return .condition(.boolean(true)) }
        if skip(.falsepredicate) { return .condition(.boolean(false)) }
        let quantifier = parseQuantifier()
        let start = offset
        let left = try parseChain(.sum)
        guard quantifier != nil || comparison != nil else { return left }
        let subject = try value(left, at: start)
        guard let quantifier else { return .condition(try parseTest(of: subject)) }
        guard case .property(let path) = subject else { throw .predicate("a key path must follow ANY, ALL and NONE", at: start) }
        return .condition(try parseQuantified(quantifier, path))
    }

    /// For how many elements of an array a comparison must be true.
    private enum ElementQuantifier {
        case any, all, none
    }

    private mutating func parseQuantifier() -> ElementQuantifier? {
        if skip(.any) || skip(.some) { return .any }
        if skip(.all) { return .all }
        return skip(.none) ? ElementQuantifier.none : nil
    }

    /// Parses `ANY a.b op v`. The path is split at its last dot.
    private mutating func parseQuantified(_ quantifier: ElementQuantifier, _ path: PropertyPath) throws(QueryError) -> QueryExpression {
        var source = path.components
        var rest: [PropertyPath.Component] = []
        if source.count > 1, path.lastKey != nil { rest = [source.removeLast()] }
        let variable = unusedVariable()
        variables.append(variable)
        defer { variables.removeLast() }
        let test = try parseTest(of: .variable(variable, PropertyPath(rest)))
        let quantified = QueryExpression.quantified(
            quantifier == .all ? .every : .any,
            variable: variable,
            source: .property(PropertyPath(source)),
            predicate: test
        )
        return quantifier == .none ? .not(quantified) : quantified
    }

    /// Returns the name X, or X2, X3 … if an enclosing quantifier or one in `operand` uses it.
    func unusedVariable(apartFrom operand: QueryExpression = .missing) -> String {
        var name = "X"
        var number = 1
        while variables.containsExactly(name) || operand.quantifies(name) {
            number += 1
            name = "X\(number)"
        }
        return name
    }
}

extension QueryExpression {
    fileprivate func quantifies(_ name: String) -> Bool {
        contains { part in
            if case .quantified(_, variable: name, source: _, predicate: _) = part { true } else { false }
        }
    }
}

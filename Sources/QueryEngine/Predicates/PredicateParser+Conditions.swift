extension PredicateParser {
    /// `predicate` of the grammar.
    mutating func parseCondition() throws(QueryError) -> QueryExpression {
        let part = try parsePart()
        return try condition(part)
    }

    /// `expr` of the grammar.
    mutating func parseExpression() throws(QueryError) -> QueryExpression {
        try nested { parser throws(QueryError) in
            let start = parser.offset
            return try parser.value(try parser.parseSum(), at: start)
        }
    }

    /// A condition or an expression, whichever it is.
    mutating func parsePart() throws(QueryError) -> Part {
        try nested { parser throws(QueryError) in
            try parser.parseChain(.or) { parser throws(QueryError) in
                try parser.parseChain(.and) { parser throws(QueryError) in try parser.parseNegation() }
            }
        }
    }

    /// A part that must be a condition, and has just been parsed.
    private func condition(_ part: Part) throws(QueryError) -> QueryExpression {
        guard case .condition(let condition) = part else {
            throw unexpected("a comparison is missing")
        }
        return condition
    }

    /// A part that must be a value; `offset` is where it begins.
    func value(_ part: Part, at offset: Int) throws(QueryError) -> QueryExpression {
        guard case .value(let value) = part else {
            throw .predicate("a condition stands where a value is expected", at: offset)
        }
        return value
    }

    // MARK: Logic

    /// Conditions with AND or OR between them, or one part of any kind.
    private mutating func parseChain(
        _ symbol: QueryOperator,
        of operand: (inout PredicateParser) throws(QueryError) -> Part
    ) throws(QueryError) -> Part {
        let first = try operand(&self)
        guard isAtLogic(symbol) else { return first }
        var operands = [try condition(first)]
        while isAtLogic(symbol) {
            advance()
            let next = try operand(&self)
            operands.append(try condition(next))
        }
        return .condition(.operation(symbol, operands))
    }

    private func isAtLogic(_ symbol: QueryOperator) -> Bool {
        symbol == .and ? isAt(.and) || isAt(.doubleAmpersand) : isAt(.or) || isAt(.doubleBar)
    }

    private mutating func parseNegation() throws(QueryError) -> Part {
        guard skip(.not) || skip(.exclamation) else { return try parseComparison() }
        let operand = try nested { parser throws(QueryError) in
            let operand = try parser.parseNegation()
            return try parser.condition(operand)
        }
        return .condition(.not(operand))
    }

    // MARK: Comparisons

    private mutating func parseComparison() throws(QueryError) -> Part {
        if skip(.truePredicate) { return .condition(.boolean(true)) }
        if skip(.falsePredicate) { return .condition(.boolean(false)) }
        let quantifier = parseQuantifier()
        let start = offset
        let left = try parseSum()
        guard quantifier != nil || comparison != nil else { return left }
        let subject = try value(left, at: start)
        guard let quantifier else { return .condition(try parseTest(of: subject)) }
        guard case .property(let path) = subject else {
            throw .predicate("a key path must follow ANY, ALL and NONE", at: start)
        }
        return .condition(try parseQuantified(quantifier, path))
    }

    /// What a comparison says of the elements of an array.
    private enum ElementQuantifier {
        case any, all, none
    }

    private mutating func parseQuantifier() -> ElementQuantifier? {
        if skip(.any) || skip(.some) { return .any }
        if skip(.all) { return .all }
        return skip(.none) ? ElementQuantifier.none : nil
    }

    /// `ANY a.b op v`: the path is split at its last dot.
    private mutating func parseQuantified(
        _ quantifier: ElementQuantifier,
        _ path: PropertyPath
    ) throws(QueryError) -> QueryExpression {
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

    /// The name X, or X2, X3 … when a quantifier around this place or one in `operand` has it.
    func unusedVariable(apartFrom operand: QueryExpression = .missing) -> String {
        var name = "X"
        var number = 1
        while variables.contains(name) || operand.quantifies(name) {
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

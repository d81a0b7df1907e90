extension QueryTextParser {
    /// The precedence of binary operators, weakest first (Query 2.3).
    private enum Strength: Int, Comparable {
        case or = 1
        case and
        case equality
        case relation
        case bits
        case sum
        case product
        case concatenation
        case operand

        static func < (left: Strength, right: Strength) -> Bool { left.rawValue < right.rawValue }

        /// The minimum precedence in the right operand: all operators are left-associative.
        var rightOperand: Strength { Strength(rawValue: rawValue + 1) ?? .operand }
    }

    /// Parses `expr` of the grammar. COLLATE binds weakest.
    mutating func parseExpression() throws(QueryError) -> QueryExpression {
        try enter()
        let expression = try parseChain(.or)
        leave()
        guard skip(.collate) else { return expression }
        return .collate(try parseCollation(), operand: expression)
    }

    /// Parses the operand of NOT, which binds weaker than comparisons and stronger than AND (Query 2.3).
    mutating func parseNegated() throws(QueryError) -> QueryExpression {
        try enter()
        defer { leave() }
        return try parseChain(.equality)
    }

    /// Parses operands joined by operators that bind at least as strongly as `weakest`.
    private mutating func parseChain(_ weakest: Strength) throws(QueryError) -> QueryExpression {
        let outerWrappings = wrappings
        wrappings = 0
        defer { wrappings = max(wrappings, outerWrappings) }
        var expression = try parseOperand()
        // The operator at the top of `expression`, if this loop has added it.
        var top: QueryOperator?
        var hasEquality = false
        defer { endsWithTest = hasEquality }
        while let (strength, symbol) = binaryOperator, strength >= weakest {
            if strength >= .equality, hasEquality { throw chainError }
            if strength == .equality {
                // One call parses the whole level, and most of its operators cannot be chained.
                hasEquality = true
                expression = try parseEquality(expression)
                top = nil
                continue
            }
            guard let symbol else { throw bitOperatorError }
            var operands = [expression]
            repeat {
                advance()
                operands.append(try parseChain(strength.rightOperand))
            } while symbol.isAssociative && binaryOperator?.1 == symbol
            if top != nil { try countWrapping() }
            expression = .operation(symbol, operands)
            top = symbol
        }
        return expression
    }

    /// The binary operator at the current token and its precedence. The operator is `nil` for those of equality, which
    /// ``parseEquality(_:)`` parses, and for bit operators, which only the grammar has.
    private var binaryOperator: (Strength, QueryOperator?)? {
        switch current {
        case .keyword(.or): (.or, .or)
        case .keyword(.and): (.and, .and)
        case .keyword(.is), .keyword(.in), .keyword(.like), .keyword(.between), .keyword(.not),
            .symbol(.equal), .symbol(.doubleEqual), .symbol(.notEqual), .symbol(.lessOrGreater):
            (.equality, nil)
        case .symbol(.less): (.relation, .less)
        case .symbol(.lessOrEqual): (.relation, .lessOrEqual)
        case .symbol(.greater): (.relation, .greater)
        case .symbol(.greaterOrEqual): (.relation, .greaterOrEqual)
        case .symbol(.shiftLeft), .symbol(.shiftRight), .symbol(.ampersand), .symbol(.bar): (.bits, nil)
        case .symbol(.plus): (.sum, .add)
        case .symbol(.minus): (.sum, .subtract)
        case .symbol(.star): (.product, .multiply)
        case .symbol(.slash): (.product, .divide)
        case .symbol(.percent): (.product, .modulo)
        case .symbol(.doubleBar): (.concatenation, .concatenate)
        default: nil
        }
    }

    /// The error for an operator after a comparison or test, of which it cannot be an operand without parentheses. Thrown at once, because
    /// otherwise a NOT before the test would become the left operand.
    private var chainError: QueryError {
        syntaxError(expecting: "AND, OR or the end of the condition", advice: "; put the comparison before it in parentheses")
    }

    private var bitOperatorError: QueryError {
        guard case .symbol(let symbol) = current else { return syntaxError(expecting: "an operator") }
        return QueryError.invalidQuery("Unknown operator '\(symbol.rawValue)'")
    }

    // MARK: Equality and tests

    /// Parses `eqExpr` of the grammar, starting at its first operator.
    private mutating func parseEquality(_ left: QueryExpression) throws(QueryError) -> QueryExpression {
        switch current {
        case .keyword(.not):
            advance()
            return if skip(.null) { .operation(.isNot, [left, .null]) } else { try parseTest(left, isNegated: true) }
        case .keyword(.in), .keyword(.like), .keyword(.between):
            return try parseTest(left, isNegated: false)
        default:
            return try parseComparisons(left)
        }
    }

    /// Parses IN, LIKE and BETWEEN. A NOT in the left operand is in parentheses; otherwise the test would be a part of its operand.
    private mutating func parseTest(_ left: QueryExpression, isNegated: Bool) throws(QueryError) -> QueryExpression {
        if skip(.in) {
            return .operation(isNegated ? .notIn : .in, [isNegated ? left : left.asTested, try parseInOperand()])
        }
        let test: QueryExpression
        if skip(.like) {
            test = .like(value: left.asTested, pattern: try parseChain(.relation), isCaseSensitive: true)
        } else {
            try expect(.between)
            let lower = try parseChain(.relation)
            try expect(.and)
            test = .operation(.between, [left, lower, try parseChain(.relation)])
        }
        return isNegated ? .not(test) : test
    }

    private mutating func parseInOperand() throws(QueryError) -> QueryExpression {
        guard skip(.leftParenthesis) else {
            let set = try parseChain(.relation)
            // As in the original, empty brackets mean null, not an empty list, so that the test is null (Query 10,
            // `more-in-empty-brackets`).
            return set == .array([]) ? .null : set
        }
        guard isAt(.select) else { return .array(try parseExpressions(until: .rightParenthesis)) }
        let start = index
        let select = try parseSelect()
        guard select.columnCount == 1 else {
            throw syntaxError("a query after IN must have one column, but this one has \(select.columnCount)", at: start)
        }
        try expect(.rightParenthesis)
        return .select(select)
    }

    /// Parses `= == != <> IS`, which can be chained, and the tests with IS.
    private mutating func parseComparisons(_ left: QueryExpression) throws(QueryError) -> QueryExpression {
        var expression = left
        var isFirst = true
        while true {
            let symbol: QueryOperator
            switch current {
            case .symbol(.equal), .symbol(.doubleEqual):
                symbol = .equal
                advance()
            case .symbol(.notEqual), .symbol(.lessOrGreater):
                symbol = .notEqual
                advance()
            case .keyword(.is):
                advance()
                symbol = skip(.not) ? .isNot : .is
                if isFirst, skip(.valued) {
                    let test = QueryExpression.operation(.isValued, [expression.asTested])
                    return symbol == .isNot ? .not(test) : test
                }
            default:
                return expression
            }
            let right = try parseChain(.relation)
            if !isFirst { try countWrapping() }
            expression = .operation(symbol, [expression, right])
            isFirst = false
        }
    }

    // MARK: Collation

    private mutating func parseCollation() throws(QueryError) -> CollationOptions {
        var options = CollationOptions()
        guard skip(.leftParenthesis) else {
            try parseCollationName(into: &options)
            return options
        }
        repeat {
            try parseCollationName(into: &options)
        } while !skip(.rightParenthesis)
        return options
    }

    private mutating func parseCollationName(into options: inout CollationOptions) throws(QueryError) {
        if skip(.case) {
            options.isCaseSensitive = true
        } else if skip(word: "NOCASE") {
            options.isCaseSensitive = false
        } else if skip(word: "DIAC") {
            options.isDiacriticSensitive = true
        } else if skip(word: "NODIAC") {
            options.isDiacriticSensitive = false
        } else if skip(word: "NOUNICODE") {
            options.isUnicode = false
        } else if skip(word: "UNICODE") {
            options.isUnicode = true
            if skip(.colon) { options.locale = try expectIdentifier() }
        } else {
            throw syntaxError(expecting: "CASE, NOCASE, DIAC, NODIAC, UNICODE or NOUNICODE")
        }
    }
}

import Base

extension QueryTextParser {
    /// Parses `postExpr` of the grammar, with prefix operators.
    mutating func parseOperand() throws(QueryError) -> QueryExpression {
        switch current {
        case .keyword(.not):
            advance()
            // In two steps, because `endsWithTest` is known only after the operand has been parsed.
            let operand = try parseNegated()
            return negation(of: operand)
        case .symbol(.plus):
            advance()
            return try parsePrefixed()
        case .symbol(.minus):
            if touchesFollowing, let number = negativeNumber(following) {
                advance()
                advance()
                return number
            }
            advance()
            return .negation(of: try parsePrefixed())
        default:
            return try parseSteps(after: try parsePrimary())
        }
    }

    /// Returns NOT applied to an expression. In front of a test without parentheses, NOT belongs to the left operand of the test in the
    /// tree, as in the original, although SQL negates the whole test (Query 2.3). The result is therefore a number, like that of the test.
    private func negation(of expression: QueryExpression) -> QueryExpression {
        guard endsWithTest else { return .not(expression) }
        return switch expression {
        case .like(let value, let pattern, let isCaseSensitive):
            .like(value: .not(value), pattern: pattern, isCaseSensitive: isCaseSensitive)
        case .operation(.in, let operands): .operation(.in, [.not(operands[0]), operands[1]])
        case .operation(.isValued, let operands): .operation(.isValued, [.not(operands[0])])
        default: .not(expression)
        }
    }

    private mutating func parsePrefixed() throws(QueryError) -> QueryExpression {
        try enter()
        defer { leave() }
        return try parseOperand()
    }

    private mutating func parsePrimary() throws(QueryError) -> QueryExpression {
        switch current {
        case .integer(let number):
            advance()
            return integer(number)
        case .double(let number):
            advance()
            return .double(number)
        case .string(let text):
            advance()
            return .string(text)
        case .parameter(let name):
            advance()
            return .parameter(name)
        case .name(let name, let isQuoted):
            return try parseNamed(name, isQuoted: isQuoted)
        case .keyword(let keyword):
            return try parseKeyword(keyword)
        case .symbol(.star):
            advance()
            var path = PropertyPath()
            path.isStar = true
            return .property(path)
        case .symbol(.leftParenthesis):
            advance()
            let expression = try parseExpression()
            try expect(.rightParenthesis)
            return expression
        case .symbol(.leftBracket):
            advance()
            return .array(try parseExpressions(until: .rightBracket))
        case .symbol(.leftBrace):
            advance()
            guard !skip(.rightBrace) else { return .dictionary([]) }
            var keys: Set<ExactString> = []
            let entries = try parseList { parser throws(QueryError) in try parser.parseEntry(&keys) }
            try expect(.rightBrace)
            return .dictionary(entries)
        case .symbol, .end, .invalid:
            throw syntaxError(expecting: "an expression", allowsName: true)
        }
    }

    private mutating func parseKeyword(_ keyword: Keyword) throws(QueryError) -> QueryExpression {
        switch keyword {
        case .true, .false:
            advance()
            return .boolean(keyword == .true)
        case .null:
            advance()
            return .null
        case .missing:
            advance()
            return .missing
        case .case:
            advance()
            return try parseCase()
        case .any, .every:
            return try parseQuantified()
        default:
            throw syntaxError(expecting: "an expression", allowsName: true)
        }
    }

    /// Parses what starts with a name: a property, a call, or a keyword that can also be a name.
    private mutating func parseNamed(_ name: String, isQuoted: Bool) throws(QueryError) -> QueryExpression {
        if !isQuoted {
            if following == .symbol(.leftParenthesis) { return try parseCall(name) }
            if isAt(word: "SOME"), followingMakesQuantifier { return try parseQuantified() }
        }
        return try parseProperty()
    }

    /// Whether SOME is a quantifier here: before `name IN` or `AND EVERY`. Otherwise it is a name.
    private var followingMakesQuantifier: Bool {
        switch following {
        case .name: kind(at: 2) == .keyword(.in)
        case .keyword(.and): kind(at: 2) == .keyword(.every)
        default: false
        }
    }

    /// - Parameter keys: The keys of the entries before this one.
    private mutating func parseEntry(_ keys: inout Set<ExactString>) throws(QueryError) -> DictionaryEntry {
        guard case .string(let key) = current else { throw syntaxError(expecting: "a key in quotes") }
        guard keys.insert(ExactString(key)).inserted else { throw syntaxError(DictionaryEntry.isTwice(key), at: index) }
        advance()
        try expect(.colon)
        return DictionaryEntry(key: key, value: try parseExpression())
    }

    private mutating func parseCase() throws(QueryError) -> QueryExpression {
        let subject = isAt(.when) ? nil : try parseExpression()
        var branches: [ConditionalBranch] = []
        repeat {
            try expect(.when)
            let condition = try parseExpression()
            try expect(.then)
            branches.append(ConditionalBranch(when: condition, then: try parseExpression()))
        } while isAt(.when)
        let otherwise = skip(.else) ? try parseExpression() : nil
        try expect(.end)
        return .conditional(subject: subject, branches: branches, otherwise: otherwise)
    }

    /// Parses `quant ident IN expr SATISFIES expr END`.
    private mutating func parseQuantified() throws(QueryError) -> QueryExpression {
        var quantifier = Quantifier.every
        if !skip(.every) {
            advance()
            quantifier = .any
            if skip(.and) {
                try expect(.every)
                quantifier = .anyAndEvery
            }
        }
        let variable = try expectIdentifier()
        try expect(.in)
        let source = try parseExpression()
        try expect(.satisfies)
        variables.append(variable)
        let predicate = try parseExpression()
        variables.removeLast()
        try expect(.end)
        return .quantified(quantifier, variable: variable, source: source, predicate: predicate)
    }

    // MARK: Properties

    private mutating func parseProperty() throws(QueryError) -> QueryExpression {
        let name = try expectIdentifier()
        var path: PropertyPath = [.key(name)]
        if isAt(.dot), following == .symbol(.star) {
            advance()
            advance()
            path.isStar = true
        } else {
            try parseSteps(into: &path)
        }
        return variables.containsExactly(name) ? .variable(name, path.dropFirst()) : .property(path)
    }

    /// Parses the steps `.name` and `[index]` after an expression that is not a property.
    private mutating func parseSteps(after base: QueryExpression) throws(QueryError) -> QueryExpression {
        var path = PropertyPath()
        try parseSteps(into: &path)
        return path.isEmpty ? base : .nested(base, path)
    }

    private mutating func parseSteps(into path: inout PropertyPath) throws(QueryError) {
        while true {
            if skip(.dot) {
                path.components.append(.key(try expectIdentifier()))
            } else if skip(.leftBracket) {
                let isNegative = skip(.minus)
                guard case .integer(let magnitude) = current, let index = Int(magnitude, isNegative: isNegative) else {
                    throw syntaxError(expecting: "the number of an element")
                }
                advance()
                try expect(.rightBracket)
                path.components.append(.index(index))
            } else {
                return
            }
        }
    }

    // MARK: Numbers

    /// Returns an integer literal: outside of the range of `Int64` the nearest floating-point number, as which such values count (Query 3.1).
    private func integer(_ magnitude: UInt64, isNegative: Bool = false) -> QueryExpression {
        if let number = Int64(magnitude, isNegative: isNegative) { return .integer(number) }
        if saturatesIntegers { return .integer(isNegative ? .min : .max) }
        return .double(isNegative ? -Double(magnitude) : Double(magnitude))
    }

    private func negativeNumber(_ kind: Token<QueryKeyword>.Kind) -> QueryExpression? {
        switch kind {
        case .integer(let magnitude): integer(magnitude, isNegative: true)
        case .double(let number): .double(-number)
        default: nil
        }
    }
}

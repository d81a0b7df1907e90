extension PredicateParser {
    /// A comparison operator.
    enum Comparison {
        case operation(QueryOperator)
        case between, `in`, contains, beginsWith, endsWith, like, matches
    }

    /// The comparison operator at the current token; `nil` if it is not one.
    var comparison: Comparison? {
        switch current {
        case .symbol(.equal), .symbol(.doubleEqual): .operation(.equal)
        case .symbol(.notEqual), .symbol(.lessOrGreater): .operation(.notEqual)
        case .symbol(.less): .operation(.less)
        case .symbol(.lessOrEqual), .symbol(.equalOrLess): .operation(.lessOrEqual)
        case .symbol(.greater): .operation(.greater)
        case .symbol(.greaterOrEqual), .symbol(.equalOrGreater): .operation(.greaterOrEqual)
        case .keyword(.between): .between
        case .keyword(.in): .in
        case .keyword(.contains): .contains
        case .keyword(.beginswith): .beginsWith
        case .keyword(.endswith): .endsWith
        case .keyword(.like): .like
        case .keyword(.matches): .matches
        default: nil
        }
    }

    /// Parses a comparison, starting at its operator (Query 9.4).
    mutating func parseTest(of left: QueryExpression) throws(QueryError) -> QueryExpression {
        let operatorOffset = offset
        guard let comparison else { throw unexpected("a comparison is missing") }
        advance()
        let options = try parseFlags()
        let rightOffset = offset
        let right = try parseExpression()
        let test: QueryExpression
        switch comparison {
        case .operation(let symbol):
            if let identity = Self.comparisonWithNil(symbol, left, right) { return identity }
            test = .operation(symbol, [left, right])
        case .between:
            guard case .array(let bounds) = right, bounds.count == 2 else {
                throw .predicate("BETWEEN needs two values in braces: {low, high}", at: rightOffset)
            }
            test = .operation(.between, [left, bounds[0], bounds[1]])
        case .in:
            test = membership(of: left, in: right)
        case .contains:
            test = .function(name: "CONTAINS", arguments: [left, right])
        case .beginsWith, .endsWith:
            test = Self.affix(right, of: left, isAtEnd: comparison == .endsWith)
        case .like:
            guard case .string(let pattern) = right else { throw .predicate("the pattern of LIKE must be a string", at: rightOffset) }
            test = .like(value: left, pattern: .string(Self.likePattern(pattern)), isCaseSensitive: true)
        case .matches:
            guard case .property(let path) = left, !path.isEmpty else {
                throw .predicate("MATCHES needs a key path on its left", at: operatorOffset)
            }
            // The full-text index determines how case and accents are treated, so `options` has no effect.
            return .match(index: path.encoded, pattern: right)
        }
        return options.map { .collate($0, operand: test) } ?? test
    }

    /// Parses the flags after an operator, such as `[cd]`; returns `nil` if neither case nor accents are ignored.
    private mutating func parseFlags() throws(QueryError) -> CollationOptions? {
        guard skip(.leftBracket) else { return nil }
        var options = CollationOptions(isUnicode: true)
        if !isAt(.rightBracket) {
            guard case .name(let flags, _) = current else { throw unexpected("only c and d are allowed here") }
            for flag in flags {
                switch flag {
                case "c", "C": options.isCaseSensitive = false
                case "d", "D": options.isDiacriticSensitive = false
                case "n", "N", "l", "L": break
                default: throw unexpected("only c and d are allowed here")
                }
            }
            advance()
        }
        try expect(.rightBracket)
        return options.isCaseSensitive == nil && options.isDiacriticSensitive == nil ? nil : options
    }

    /// Translates `x == nil` and `x != nil`, which test whether there is a value; returns `nil` for other comparisons.
    private static func comparisonWithNil(_ symbol: QueryOperator, _ left: QueryExpression, _ right: QueryExpression) -> QueryExpression? {
        guard left == .missing || right == .missing, symbol == .equal || symbol == .notEqual else { return nil }
        return .operation(symbol == .equal ? .is : .isNot, [right == .missing ? left : right, .missing])
    }

    private func membership(of element: QueryExpression, in set: QueryExpression) -> QueryExpression {
        switch set {
        case .array, .parameter:
            return .operation(.in, [element, set])
        default:
            let variable = unusedVariable(apartFrom: element)
            return .quantified(.any, variable: variable, source: set, predicate: .operation(.equal, [.variable(variable, []), element]))
        }
    }

    // MARK: Patterns

    private static func affix(_ text: QueryExpression, of value: QueryExpression, isAtEnd: Bool) -> QueryExpression {
        let pattern: QueryExpression
        if case .string(let constant) = text {
            let escaped = escapedForLike(constant)
            pattern = .string(isAtEnd ? "%" + escaped : escaped + "%")
        } else {
            pattern = .operation(.concatenate, isAtEnd ? [.string("%"), text] : [text, .string("%")])
        }
        return .like(value: value, pattern: pattern, isCaseSensitive: true)
    }

    private static func escapedForLike(_ text: String) -> String {
        var escaped = ""
        for scalar in text.unicodeScalars {
            if scalar == "%" || scalar == "_" || scalar == "\\" { escaped += "\\" }
            escaped.unicodeScalars.append(scalar)
        }
        return escaped
    }

    /// Translates a pattern with `*` for any characters and `?` for one. A backslash makes them literal.
    private static func likePattern(_ pattern: String) -> String {
        var translated = ""
        var rest = pattern.unicodeScalars[...]
        while let scalar = rest.popFirst() {
            switch scalar {
            case "*": translated += "%"
            case "?": translated += "_"
            case "\\" where rest.first == "*" || rest.first == "?":
                if let literal = rest.popFirst() { translated.unicodeScalars.append(literal) }
            default: translated += escapedForLike(String(scalar))
            }
        }
        return translated
    }
}

extension PredicateParser.Comparison: Equatable {}

extension PredicateParser {
    /// `expr` of the grammar, or a condition in parentheses.
    mutating func parseSum() throws(QueryError) -> Part {
        let start = offset
        let first = try parseProduct()
        guard isAt(.plus) || isAt(.minus) else { return first }
        var sum = try value(first, at: start)
        // The operator at the top of `sum`, if this loop has put it there.
        var top: QueryOperator?
        while isAt(.plus) || isAt(.minus) {
            let isSum = skip(.plus)
            if !isSum { advance() }
            let operandOffset = offset
            let operand = try value(try parseProduct(), at: operandOffset)
            let symbol: QueryOperator =
                !isSum ? .subtract : sum.isText || operand.isText ? .concatenate : .add
            if symbol != .subtract, symbol == top, case .operation(_, let operands) = sum {
                sum = .operation(symbol, operands + [operand])
            } else {
                if top != nil { try countWrapping() }
                sum = .operation(symbol, [sum, operand])
            }
            top = symbol
        }
        return .value(sum)
    }

    private mutating func parseProduct() throws(QueryError) -> Part {
        let start = offset
        let first = try parsePower()
        guard isAt(.star) || isAt(.slash) else { return first }
        var product = try value(first, at: start)
        var top: QueryOperator?
        while isAt(.star) || isAt(.slash) {
            let symbol: QueryOperator = skip(.star) ? .multiply : .divide
            if symbol == .divide { advance() }
            let operandOffset = offset
            let operand = try value(try parsePower(), at: operandOffset)
            if symbol == .multiply, symbol == top, case .operation(_, let operands) = product {
                product = .operation(symbol, operands + [operand])
            } else {
                if top != nil { try countWrapping() }
                product = .operation(symbol, [product, operand])
            }
            top = symbol
        }
        return .value(product)
    }

    /// `factor` of the grammar: `**` leans to the right.
    private mutating func parsePower() throws(QueryError) -> Part {
        let start = offset
        let base = try parseSigned()
        guard skip(.doubleStar) else { return base }
        let power = try nested { parser throws(QueryError) in
            let exponentOffset = parser.offset
            return QueryExpression.function(
                name: "POWER",
                arguments: [
                    try parser.value(base, at: start),
                    try parser.value(try parser.parsePower(), at: exponentOffset),
                ]
            )
        }
        return .value(power)
    }

    private mutating func parseSigned() throws(QueryError) -> Part {
        guard skip(.minus) else { return try parseSteps() }
        let operand = try nested { parser throws(QueryError) in
            let start = parser.offset
            return try parser.value(try parser.parseSigned(), at: start)
        }
        return switch operand {
        case .integer(let number): .value(.integer(0 &- number))
        case .double(let number): .value(.double(-number))
        default: .value(.negation(of: operand))
        }
    }

    // MARK: Steps

    /// `postfix` of the grammar.
    private mutating func parseSteps() throws(QueryError) -> Part {
        let start = offset
        var part = try parsePrimary()
        while isAt(.leftBracket) || isAt(.dot) {
            let base = try value(part, at: start)
            guard case .property(let path) = base else {
                throw unexpected("only a key path can be followed by an index or a name")
            }
            part = .value(try parseStep(of: path))
        }
        return part
    }

    private mutating func parseStep(of path: PropertyPath) throws(QueryError) -> QueryExpression {
        func appending(_ component: PropertyPath.Component) -> QueryExpression {
            .property(PropertyPath(path.components + [component]))
        }
        if skip(.dot) {
            guard skip(.at) else { return appending(.key(try expectName())) }
            return try parseCollectionOperator(of: path)
        }
        try expect(.leftBracket)
        let step: QueryExpression
        if skip(.first) {
            step = appending(.index(0))
        } else if skip(.last) {
            step = appending(.index(-1))
        } else if skip(.size) {
            step = .function(name: "ARRAY_COUNT", arguments: [.property(path)])
        } else {
            let start = offset
            guard case .integer(let number) = try parseExpression(), let index = Int(exactly: number) else {
                throw .predicate("an index must be an integer, FIRST, LAST or SIZE", at: start)
            }
            step = appending(.index(index))
        }
        try expect(.rightBracket)
        return step
    }

    /// A name after a dot, where words of the grammar are names too.
    private mutating func expectName() throws(QueryError) -> String {
        switch current {
        case .name(let name) where !name.contains(":"), .keyword(_, let name):
            advance()
            return name
        default:
            throw unexpected("a name must follow the dot")
        }
    }

    /// `path.@count`, the only one of these operators that there is.
    private mutating func parseCollectionOperator(of path: PropertyPath) throws(QueryError) -> QueryExpression {
        guard current == .name("count") else {
            throw unexpected("of the operators with @ only @count is supported")
        }
        advance()
        return .function(name: "ARRAY_COUNT", arguments: [.property(path)])
    }

    // MARK: Operands

    private mutating func parsePrimary() throws(QueryError) -> Part {
        switch current {
        case .integer(let number):
            advance()
            return .value(.integer(number))
        case .double(let number):
            advance()
            return .value(.double(number))
        case .string(let text):
            advance()
            return .value(.string(text))
        case .parameter(let name):
            advance()
            return .value(.parameter(name))
        case .name(let name):
            return .value(try parseNamed(name))
        case .keyword(let keyword, let text):
            return .value(try parseKeyword(keyword, text))
        case .symbol(.leftBrace):
            advance()
            return .value(.array(try parseValues(until: .rightBrace)))
        case .symbol(.leftParenthesis):
            advance()
            let part = try parsePart()
            try expect(.rightParenthesis)
            return part
        case .symbol, .end, .invalid:
            throw unexpectedToken
        }
    }

    private mutating func parseKeyword(
        _ keyword: PredicateKeyword,
        _ text: String
    ) throws(QueryError) -> QueryExpression {
        let literal: QueryExpression
        switch keyword {
        case .true, .yes: literal = .boolean(true)
        case .false, .no: literal = .boolean(false)
        case .null, .nil: literal = .missing
        case .self: literal = .property([])
        case _ where keyword.mayBeName: return try parseNamed(text)
        default: throw unexpectedToken
        }
        advance()
        return literal
    }

    /// What begins with a name: a property, or a call.
    private mutating func parseNamed(_ name: String) throws(QueryError) -> QueryExpression {
        if following == .symbol(.leftParenthesis) { return try parseCall(name) }
        guard !name.contains(":") else { throw unexpectedToken }
        advance()
        return .property([.key(name)])
    }
}

extension QueryExpression {
    /// Whether the plus sign joins this as text (Query 9.4).
    fileprivate var isText: Bool {
        switch self {
        case .string, .operation(.concatenate, _), .function("UPPER", _), .function("LOWER", _): true
        default: false
        }
    }
}

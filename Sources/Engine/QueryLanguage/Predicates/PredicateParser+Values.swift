extension PredicateParser {
    /// The precedence of the operators between values, weakest first.
    enum Strength: Int, Comparable {
        case sum = 1
        case product
        case power
        case operand

        static func < (left: Strength, right: Strength) -> Bool { left.rawValue < right.rawValue }

        /// The minimum precedence in the right operand: `**` is right-associative, the others are left-associative.
        var rightOperand: Strength { self == .power ? .power : Strength(rawValue: rawValue + 1) ?? .operand }
    }

    /// Parses `expr` of the grammar.
    mutating func parseExpression() throws(QueryError) -> QueryExpression {
        try enter()
        defer { leave() }
        let start = offset
        return try value(try parseChain(.sum), at: start)
    }

    /// Returns the value in a part; throws if the part is a condition. `offset` is where it starts.
    func value(_ part: Part, at offset: Int) throws(QueryError) -> QueryExpression {
        guard case .value(let value) = part else { throw .predicate("expected a value but found a condition", at: offset) }
        return value
    }

    /// Parses values joined by operators that bind at least as strongly as `weakest`, or a condition in parentheses.
    mutating func parseChain(_ weakest: Strength) throws(QueryError) -> Part {
        let outerWrappings = wrappings
        wrappings = 0
        defer { wrappings = max(wrappings, outerWrappings) }
        let start = offset
        let first = try parseOperand()
        guard let (strength, _) = valueOperator, strength >= weakest else { return first }
        var operands = [try value(first, at: start)]
        // The operator between the operands, once there are two.
        var top: QueryOperator?
        while let (strength, symbol) = valueOperator, strength >= weakest {
            try enter()
            advance()
            let rightStart = offset
            let right = try value(try parseChain(strength.rightOperand), at: rightStart)
            leave()
            guard var symbol else {
                operands = [.function(name: "POWER", arguments: [Self.joined(top, operands), right])]
                top = nil
                continue
            }
            let isText = right.isText || (top == nil ? operands[0].isText : top == .concatenate)
            if symbol == .add, isText { symbol = .concatenate }
            if symbol != top || !symbol.isAssociative {
                if top != nil {
                    try countWrapping()
                    operands = [Self.joined(top, operands)]
                }
                top = symbol
            }
            operands.append(right)
        }
        return .value(Self.joined(top, operands))
    }

    private static func joined(_ symbol: QueryOperator?, _ operands: [QueryExpression]) -> QueryExpression {
        symbol.map { .operation($0, operands) } ?? operands[0]
    }

    /// The operator at the current token and its precedence. The operator is `nil` for the power, which is a function.
    private var valueOperator: (Strength, QueryOperator?)? {
        switch current {
        case .symbol(.plus): (.sum, .add)
        case .symbol(.minus): (.sum, .subtract)
        case .symbol(.star): (.product, .multiply)
        case .symbol(.slash): (.product, .divide)
        case .symbol(.doubleStar): (.power, nil)
        default: nil
        }
    }

    // MARK: Operands

    /// Parses `unary` and `postfix` of the grammar.
    private mutating func parseOperand() throws(QueryError) -> Part {
        var signs = 0
        while skip(.minus) {
            signs += 1
            try enter()
        }
        defer { leave(signs) }
        let start = offset
        let isSmallest = !signs.isMultiple(of: 2) && current == .integer(Int64.min.magnitude)
        var part = try parsePrimary()
        if isAt(.leftBracket) || isAt(.dot) {
            guard case .property(let path) = try value(part, at: start) else { throw notKeyPath }
            part = .value(try parseSteps(after: path.components))
        }
        guard !isSmallest else { return .value(.integer(.min)) }
        for _ in 0..<signs { part = .value(Self.negated(try value(part, at: start))) }
        return part
    }

    private static func negated(_ operand: QueryExpression) -> QueryExpression {
        switch operand {
        case .integer(.min): .double(-Double(Int64.min))
        case .integer(let number): .integer(-number)
        case .double(let number): .double(-number)
        default: .negation(of: operand)
        }
    }

    /// Parses what follows a key path: names, indexes, and possibly its count at the end.
    private mutating func parseSteps(after first: [PropertyPath.Component]) throws(QueryError) -> QueryExpression {
        var components = first
        while true {
            let isCount: Bool
            if skip(.dot) {
                isCount = try parseName(into: &components)
            } else if skip(.leftBracket) {
                isCount = try parseIndex(into: &components)
            } else {
                return .property(PropertyPath(components))
            }
            if isCount {
                guard !isAt(.leftBracket), !isAt(.dot) else { throw notKeyPath }
                return .function(name: "ARRAY_COUNT", arguments: [.property(PropertyPath(components))])
            }
        }
    }

    private var notKeyPath: QueryError { unexpected("only a key path can be followed by an index or a name") }

    /// Parses the content of brackets. Returns whether it requests the count.
    private mutating func parseIndex(into components: inout [PropertyPath.Component]) throws(QueryError) -> Bool {
        var isCount = false
        if skip(.first) {
            components.append(.index(0))
        } else if skip(.last) {
            components.append(.index(-1))
        } else if skip(.size) {
            isCount = true
        } else {
            let start = offset
            guard case .integer(let number) = try parseExpression(), let index = Int(exactly: number) else {
                throw .predicate("an index must be an integer, FIRST, LAST or SIZE", at: start)
            }
            components.append(.index(index))
        }
        try expect(.rightBracket)
        return isCount
    }

    /// Parses what follows a dot. Returns whether it is `@count`, the only supported operator of this kind.
    private mutating func parseName(into components: inout [PropertyPath.Component]) throws(QueryError) -> Bool {
        guard !skip(.at) else {
            guard case .name("count", _) = current else { throw unexpected("@count is the only supported operator with @") }
            advance()
            return true
        }
        components.append(.key(try expectName()))
        return false
    }

    /// Parses a name after a dot, where keywords are also names.
    private mutating func expectName() throws(QueryError) -> String {
        switch current {
        case .name(let name, _) where !name.contains(":"):
            advance()
            return name
        case .keyword:
            defer { advance() }
            return currentText
        default:
            throw unexpected("a name must follow the dot")
        }
    }

    // MARK: Primaries

    private mutating func parsePrimary() throws(QueryError) -> Part {
        switch current {
        case .integer(let magnitude):
            advance()
            if let number = Int64(exactly: magnitude) { return .value(.integer(number)) }
            return .value(.double(Double(magnitude)))
        case .double(let number):
            advance()
            return .value(.double(number))
        case .string(let text):
            advance()
            return .value(.string(text))
        case .parameter(let name):
            advance()
            return .value(.parameter(name))
        case .name(let name, _):
            return .value(try parseNamed(name))
        case .keyword(let keyword):
            return .value(try parseKeyword(keyword))
        case .symbol(.leftBrace):
            advance()
            return .value(.array(try parseExpressions(until: .rightBrace)))
        case .symbol(.leftParenthesis):
            advance()
            let part = try parsePart()
            try expect(.rightParenthesis)
            return part
        case .symbol, .end, .invalid:
            throw unexpectedToken
        }
    }

    private mutating func parseKeyword(_ keyword: PredicateKeyword) throws(QueryError) -> QueryExpression {
        let literal: QueryExpression
        switch keyword {
        case .true, .yes: literal = .boolean(true)
        case .false, .no: literal = .boolean(false)
        case .null, .nil: literal = .missing
        case .self: literal = .property([])
        case _ where keyword.mayBeName: return try parseNamed(currentText)
        default: throw unexpectedToken
        }
        advance()
        return literal
    }

    /// Parses a property or a call, which start with a name.
    private mutating func parseNamed(_ name: String) throws(QueryError) -> QueryExpression {
        if following == .symbol(.leftParenthesis) { return try parseCall(name) }
        guard !name.contains(":") else { throw unexpectedToken }
        advance()
        return .property([.key(name)])
    }
}

extension QueryExpression {
    /// Whether a plus sign with this operand concatenates text (Query 9.4).
    fileprivate var isText: Bool {
        switch self {
        case .string, .operation(.concatenate, _), .function("UPPER", _), .function("LOWER", _): true
        default: false
        }
    }
}

import Fleece

extension PredicateParser {
    /// Parses a call (Query 9.4). The current token is the name, the next one the parenthesis.
    mutating func parseCall(_ name: String) throws(QueryError) -> QueryExpression {
        try enter()
        defer { leave() }
        let start = offset
        let keyword = current
        advance()
        advance()
        switch keyword {
        case .keyword(.function): return try parseFunction()
        case .keyword(.ternary): return try parseTernary()
        case .keyword(.cast): return try parseCast()
        default: return try call(name, try parseExpressions(until: .rightParenthesis), at: start)
        }
    }

    /// Parses `FUNCTION(receiver, 'name', …)`, which can call any function of the query language.
    private mutating func parseFunction() throws(QueryError) -> QueryExpression {
        let receiver = try parseExpression()
        try expect(.comma)
        guard case .string(let name) = current else { throw unexpected("the name of the function is missing") }
        guard QueryFunction.named(name) != nil else { throw unexpected("function '\(name)' is not supported") }
        advance()
        var arguments = [receiver]
        while skip(.comma) { arguments.append(try parseExpression()) }
        try expect(.rightParenthesis)
        return .function(name: name, arguments: arguments)
    }

    private mutating func parseTernary() throws(QueryError) -> QueryExpression {
        let condition = try parseCondition()
        try expect(.comma)
        let result = try parseExpression()
        try expect(.comma)
        let otherwise = try parseExpression()
        try expect(.rightParenthesis)
        let branch = ConditionalBranch(when: condition, then: result)
        return .conditional(subject: nil, branches: [branch], otherwise: otherwise)
    }

    /// Parses `CAST(seconds since 2001, "NSDate")`, the form in which Foundation prints a date. Returns the text that documents store for
    /// it.
    private mutating func parseCast() throws(QueryError) -> QueryExpression {
        let start = offset
        let seconds: Double? =
            switch try parseExpression() {
            case .integer(let number): Double(number)
            case .double(let number): number
            default: nil
            }
        try expect(.comma)
        guard let seconds, current == .string("NSDate") else { throw .predicate("CAST is supported for dates only", at: start) }
        advance()
        try expect(.rightParenthesis)
        let secondsTo2001 = 978_307_200.0
        return .string(ISO8601.string(nearest: seconds + secondsTo2001))
    }

    private func call(_ name: String, _ arguments: [QueryExpression], at offset: Int) throws(QueryError) -> QueryExpression {
        // Foundation prints function names with the colons of its methods.
        let lowercased = name.lowercased()
        let plain =
            lowercased.hasSuffix(":") && lowercased.split(separator: ":").count == 1
            ? String(lowercased.dropLast()) : lowercased
        if let symbol = Self.arithmetic[plain], arguments.count == 2 { return .operation(symbol, arguments) }
        if plain == "from:subtract:", arguments.count == 2 { return .operation(.subtract, arguments) }
        if plain == "rank", arguments.count == 1, case .property(let path) = arguments[0] {
            return .rank(index: path.encoded)
        }
        guard let function = aggregate(plain, arguments.count) ?? Self.functions[plain] else {
            throw .predicate("function '\(name)' is not supported", at: offset)
        }
        return .function(name: function, arguments: arguments)
    }

    private func aggregate(_ name: String, _ count: Int) -> String? {
        let isOverGroup = isAggregating && count == 1
        return switch name {
        case "sum": isOverGroup ? "SUM" : "ARRAY_SUM"
        case "count": isOverGroup ? "COUNT" : "ARRAY_COUNT"
        case "average": isOverGroup ? "AVG" : "ARRAY_AVG"
        case "min": isOverGroup ? "MIN" : count == 1 ? "ARRAY_MIN" : "LEAST"
        case "max": isOverGroup ? "MAX" : count == 1 ? "ARRAY_MAX" : "GREATEST"
        default: nil
        }
    }

    private static let arithmetic: [String: QueryOperator] = [
        "add:to:": .add, "multiply:by:": .multiply, "divide:by:": .divide, "modulus:by:": .modulo,
    ]

    private static let functions = [
        "sqrt": "SQRT", "log": "LOG", "ln": "LN", "exp": "EXP", "floor": "FLOOR", "ceiling": "CEIL", "abs": "ABS",
        "uppercase": "UPPER", "lowercase": "LOWER", "length": "LENGTH", "raise:topower:": "POWER",
    ]
}

import QueryLanguage

extension ExpressionGenerator {
    private static let unary = [
        "length", "lower", "upper", "trim", "ltrim", "rtrim", "array_avg", "array_sum", "array_max", "array_min",
        "array_count", "array_length", "array_ifnull", "isarray", "is_atom", "isboolean", "isnumber", "is_object",
        "isstring", "type", "toarray", "toatom", "toboolean", "to_number", "toobject", "tostring", "abs", "ceil",
        "floor",
        "sqrt", "sign", "round", "trunc", "round_even", "exp", "sin",
    ]
    private static let binary = [
        "concat", "contains", "array_contains", "array_of", "greatest", "least", "ifmissing", "ifnull",
        "ifmissingornull",
        "missingif", "nullif", "div", "idiv", "power",
    ]
    private static let ternary = ["concat", "greatest", "least", "ifmissing", "ifmissingornull", "ifnull", "array_of"]
    private static let patterns = ["a", "^a", "b$", "a.b", "[ab]+", "(a|b)c?", "\\d+", "x_y", "", "A{1,2}", "z|12"]

    /// Returns a call of any function except the aggregates.
    mutating func function(depth: Int) -> QueryExpression {
        switch count(0...9) {
        case 0...4:
            return .function(name: pick(Self.unary), arguments: [expression(depth: depth)])
        case 5...7:
            return .function(name: pick(Self.binary), arguments: (0..<2).map { _ in expression(depth: depth) })
        case 8:
            return .function(name: pick(Self.ternary), arguments: (0..<3).map { _ in expression(depth: depth) })
        default:
            let name = pick(["regexp_like", "regexp_contains", "regexp_position"])
            return .function(name: name, arguments: [expression(depth: depth), .string(pick(Self.patterns))])
        }
    }

    /// Returns a call of an aggregate function.
    mutating func aggregate() -> QueryExpression {
        let name = pick(["count", "sum", "avg", "min", "max", "array_agg"])
        if name == "count", chance(50) { return .function(name: "count", arguments: chance(50) ? [] : [.property([])]) }
        let argument = chance(70) ? property() : expression(depth: 1)
        return .function(name: name, arguments: [chance(25) ? .distinct(argument) : argument])
    }
}

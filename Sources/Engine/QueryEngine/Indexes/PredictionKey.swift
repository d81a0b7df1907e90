import QueryLanguage

/// A column of a value index that is the output of a predictive model, or a value in it (Vector search PI-1).
struct PredictionKey: Hashable, Sendable {
    /// The input in SQL.
    let input: String
    /// The model, the input and the path as arguments in SQL.
    private let arguments: [String]

    /// Reads an expression as the compiler writes it into the statement of an index, which is all that a file keeps of it;
    /// `nil` if it is anything else.
    init?(_ sql: String) {
        var expression = sql
        if let collation = expression.firstMatch(of: /\ COLLATE [^ ()]+$/) {
            expression = String(expression[..<collation.range.lowerBound])
        }
        var steps: String?
        if let parts = Self.arguments(of: "fl_nested_value", in: expression) {
            guard parts.count == 2 else { return nil }
            (expression, steps) = (parts[0], parts[1])
        }
        guard let parts = Self.arguments(of: ModelCall.functionName, in: expression), parts.count == 2 || steps == nil && parts.count == 3
        else { return nil }
        input = parts[1]
        arguments = parts + [steps].compactMap(\.self)
    }

    private static func arguments(of function: String, in sql: String) -> [String]? {
        guard sql.hasPrefix(function + "(") else { return nil }
        let parts = IndexStatement(sql).columns
        // Otherwise something follows the call.
        return sql == "\(function)(\(parts.joined(separator: ", ")))" ? parts : nil
    }

    /// The condition for rows whose key differs from the output: a boolean, or a number above the range of `Int64`. The model is called for
    /// rows with small integers only. `nil` if a key is the whole output, which is stored with the types in it.
    func difference(from expression: String) -> String? {
        guard arguments.count == 3 else { return nil }
        return "\(expression) >= \(Int64.min) AND \(expression) <= 1 AND typeof(\(expression)) = 'integer' "
            + "AND fl_is_tagged_prediction(\(arguments.joined(separator: ", ")))"
    }
}

import QueryEngine

/// Functions of the query builder. A missing argument gives a missing result, and one of a wrong type null, unless said otherwise.
public final class Function {
    private init() {}

    static func call(_ name: String, _ arguments: any ExpressionProtocol...) -> any ExpressionProtocol {
        BuiltExpression { () throws(QueryError) in
            .function(name: name, arguments: try queryExpressions(arguments))
        }
    }
}

// MARK: - Aggregates

extension Function {
    /// How many rows of the group have a value that is not missing; without an expression, how many rows there are.
    public static func count(_ expression: (any ExpressionProtocol)? = nil) -> any ExpressionProtocol {
        call("COUNT", expression ?? Expression.all())
    }

    /// The mean of the values in the group that are not missing.
    public static func avg(_ expression: any ExpressionProtocol) -> any ExpressionProtocol {
        call("AVG", expression)
    }

    /// The least value in the group.
    public static func min(_ expression: any ExpressionProtocol) -> any ExpressionProtocol {
        call("MIN", expression)
    }

    /// The greatest value in the group.
    public static func max(_ expression: any ExpressionProtocol) -> any ExpressionProtocol {
        call("MAX", expression)
    }

    /// The sum of the values in the group.
    public static func sum(_ expression: any ExpressionProtocol) -> any ExpressionProtocol {
        call("SUM", expression)
    }
}

// MARK: - Text

extension Function {
    /// Whether the string has `substring` in it.
    public static func contains(_ expression: any ExpressionProtocol, substring: any ExpressionProtocol) -> any ExpressionProtocol {
        call("CONTAINS", expression, substring)
    }

    /// How many characters (Unicode code points) the string has.
    public static func length(_ expression: any ExpressionProtocol) -> any ExpressionProtocol {
        call("LENGTH", expression)
    }

    /// The string in lower case.
    public static func lower(_ expression: any ExpressionProtocol) -> any ExpressionProtocol {
        call("LOWER", expression)
    }

    /// The string without white space at its start.
    public static func ltrim(_ expression: any ExpressionProtocol) -> any ExpressionProtocol {
        call("LTRIM", expression)
    }

    /// The string without white space at its end.
    public static func rtrim(_ expression: any ExpressionProtocol) -> any ExpressionProtocol {
        call("RTRIM", expression)
    }

    /// The string without white space at its ends.
    public static func trim(_ expression: any ExpressionProtocol) -> any ExpressionProtocol {
        call("TRIM", expression)
    }

    /// The string in upper case.
    public static func upper(_ expression: any ExpressionProtocol) -> any ExpressionProtocol {
        call("UPPER", expression)
    }
}

// MARK: - Dates

extension Function {
    /// Milliseconds since 1970, of an ISO-8601 string.
    public static func stringToMillis(_ expression: any ExpressionProtocol) -> any ExpressionProtocol {
        call("STR_TO_MILLIS", expression)
    }

    /// The ISO-8601 string in UTC, of one in any zone.
    public static func stringToUTC(_ expression: any ExpressionProtocol) -> any ExpressionProtocol {
        call("STR_TO_UTC", expression)
    }

    /// The ISO-8601 string in the local zone, of milliseconds since 1970.
    public static func millisToString(_ expression: any ExpressionProtocol) -> any ExpressionProtocol {
        call("MILLIS_TO_STR", expression)
    }

    /// The ISO-8601 string in UTC, of milliseconds since 1970.
    public static func millisToUTC(_ expression: any ExpressionProtocol) -> any ExpressionProtocol {
        call("MILLIS_TO_UTC", expression)
    }
}

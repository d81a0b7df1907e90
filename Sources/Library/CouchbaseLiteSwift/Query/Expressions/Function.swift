import QueryLanguage

/// Functions of the query builder. Unless documented otherwise, the result is missing if an argument is missing, and null if an argument
/// has the wrong type.
public final class Function {
    private init() {}

    static func call(_ name: String, _ arguments: any ExpressionProtocol...) -> any ExpressionProtocol {
        BuiltExpression { () throws(QueryError) in .function(name: name, arguments: try queryExpressions(arguments)) }
    }
}

// MARK: - Aggregates

extension Function {
    /// The number of rows in the group whose value is not missing (null counts); without an expression, the number of rows.
    public static func count(_ expression: (any ExpressionProtocol)? = nil) -> any ExpressionProtocol {
        call("COUNT", expression ?? Expression.all())
    }

    /// The mean of the values in the group that are not missing, as a double.
    public static func avg(_ expression: any ExpressionProtocol) -> any ExpressionProtocol { call("AVG", expression) }

    /// The smallest value in the group, ignoring missing ones. Booleans and numbers sort before strings, strings before null, null before
    /// arrays and dictionaries.
    public static func min(_ expression: any ExpressionProtocol) -> any ExpressionProtocol { call("MIN", expression) }

    /// The largest value in the group, ignoring missing ones; see ``min(_:)`` for the order.
    public static func max(_ expression: any ExpressionProtocol) -> any ExpressionProtocol { call("MAX", expression) }

    /// The sum of the values in the group; values without a numeric reading, such as null, count as 0. Missing if all values are missing.
    public static func sum(_ expression: any ExpressionProtocol) -> any ExpressionProtocol { call("SUM", expression) }
}

// MARK: - Text

extension Function {
    /// Whether the string contains `substring`; false if that is empty.
    public static func contains(_ expression: any ExpressionProtocol, substring: any ExpressionProtocol) -> any ExpressionProtocol {
        call("CONTAINS", expression, substring)
    }

    /// The length of the string, in Unicode code points.
    public static func length(_ expression: any ExpressionProtocol) -> any ExpressionProtocol { call("LENGTH", expression) }
    /// The string in lower case.
    public static func lower(_ expression: any ExpressionProtocol) -> any ExpressionProtocol { call("LOWER", expression) }
    /// The string without leading white space. Other values are returned unchanged.
    public static func ltrim(_ expression: any ExpressionProtocol) -> any ExpressionProtocol { call("LTRIM", expression) }
    /// The string without trailing white space. Other values are returned unchanged.
    public static func rtrim(_ expression: any ExpressionProtocol) -> any ExpressionProtocol { call("RTRIM", expression) }
    /// The string without leading and trailing white space. Other values are returned unchanged.
    public static func trim(_ expression: any ExpressionProtocol) -> any ExpressionProtocol { call("TRIM", expression) }
    /// The string in upper case.
    public static func upper(_ expression: any ExpressionProtocol) -> any ExpressionProtocol { call("UPPER", expression) }
}

// MARK: - Dates

extension Function {
    /// Converts an ISO-8601 string to milliseconds since 1970 (UTC); null for anything else, also if missing. A string without a zone is in
    /// local time.
    public static func stringToMillis(_ expression: any ExpressionProtocol) -> any ExpressionProtocol { call("STR_TO_MILLIS", expression) }

    /// Converts an ISO-8601 string in any time zone to one in UTC; null for anything else, also if missing. A string without a zone is in
    /// local time.
    public static func stringToUTC(_ expression: any ExpressionProtocol) -> any ExpressionProtocol { call("STR_TO_UTC", expression) }

    /// Converts milliseconds since 1970 to an ISO-8601 string in the local time zone; null for anything else, also if missing.
    public static func millisToString(_ expression: any ExpressionProtocol) -> any ExpressionProtocol { call("MILLIS_TO_STR", expression) }

    /// Converts milliseconds since 1970 to an ISO-8601 string in UTC; null for anything else, also if missing.
    public static func millisToUTC(_ expression: any ExpressionProtocol) -> any ExpressionProtocol { call("MILLIS_TO_UTC", expression) }
}

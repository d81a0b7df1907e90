import DatabaseRuntime
import ExactStrings
import Fleece
import ModelCoding
import QueryEngine

/// Creates expressions of the query builder.
///
/// ```swift
/// Expression.property("geo.alt").greaterThanOrEqualTo(Expression.int(300))
/// ```
public final class Expression {
    private init() {}

    /// Returns the property at a path such as `address.city` or `tags[0]`. Negative indexes count from the end: `tags[-1]` is the last one.
    public static func property(_ property: String) -> any PropertyExpressionProtocol {
        PropertyExpression { () throws(QueryError) in try .property(encodedPath: property) }
    }

    /// Returns all properties of a document, as a dictionary.
    public static func all() -> any PropertyExpressionProtocol { PropertyExpression(.property([])) }

    /// Returns a constant of any type that documents can store; `nil` is null. Arrays and dictionaries may contain expressions. Any other
    /// type is a programming error; see ``value(validating:)``.
    public static func value(_ value: Any?) -> any ExpressionProtocol { BuiltExpression { () throws(QueryError) in try literal(value) } }

    /// Returns a constant that may be of a type that documents cannot store; see ``value(_:)``.
    ///
    /// - Throws: ``CBLError/encodingError`` if the value, or one inside of it, is of another type.
    public static func value(validating value: Any?) throws -> any ExpressionProtocol {
        try throwingPublicErrors { try checkLiteral(value) }
        return Self.value(value)
    }

    /// Returns a string constant; `nil` is null.
    public static func string(_ value: String?) -> any ExpressionProtocol { BuiltExpression(value.map { .string($0) } ?? .null) }
    /// Returns a number or boolean constant; `nil` is null.
    public static func number(_ value: NSNumber?) -> any ExpressionProtocol { Self.value(value) }
    /// Returns an integer constant.
    public static func int(_ value: Int) -> any ExpressionProtocol { BuiltExpression(.integer(Int64(value))) }
    /// Returns an integer constant.
    public static func int64(_ value: Int64) -> any ExpressionProtocol { BuiltExpression(.integer(value)) }
    /// Returns a floating-point constant.
    public static func float(_ value: Float) -> any ExpressionProtocol { BuiltExpression(.double(Double(value))) }
    /// Returns a floating-point constant.
    public static func double(_ value: Double) -> any ExpressionProtocol { BuiltExpression(.double(value)) }
    /// Returns a boolean constant.
    public static func boolean(_ value: Bool) -> any ExpressionProtocol { BuiltExpression(.boolean(value)) }
    /// Returns a date constant: the ISO-8601 string in which documents store the date. `nil` is null.
    public static func date(_ value: Date?) -> any ExpressionProtocol { string(value?.stored) }
    /// Returns a dictionary, whose values may be expressions; `nil` is null.
    public static func dictionary(_ value: [String: Any]?) -> any ExpressionProtocol { Self.value(value) }
    /// Returns an array, whose elements may be expressions; `nil` is null.
    public static func array(_ value: [Any]?) -> any ExpressionProtocol { Self.value(value) }
    /// Returns the query parameter with that name; see ``Query/parameters``. It is missing unless a value is set.
    public static func parameter(_ name: String) -> any ExpressionProtocol { BuiltExpression(.parameter(name)) }
    /// Returns the negation of a condition: true if `expression` is false, and missing if it is missing.
    public static func negated(_ expression: any ExpressionProtocol) -> any ExpressionProtocol { not(expression) }
    /// Returns the negation of a condition: true if `expression` is false, and missing if it is missing.
    public static func not(_ expression: any ExpressionProtocol) -> any ExpressionProtocol { build(expression) { .operation(.not, $0) } }

    /// Checks that a value and those inside of it, except expressions, can be stored. Values that are nested too deeply are an error of the
    /// query.
    private static func checkLiteral(_ value: Any?, depth: Int = 0) throws(Misuse) {
        guard depth < QueryExpression.maximumDepth, !(value is any ExpressionProtocol) else { return }
        if let values = value as? [Any] {
            for value in values { try checkLiteral(value, depth: depth + 1) }
        } else if let values = value as? [String: Any] {
            for value in values.values { try checkLiteral(value, depth: depth + 1) }
        } else {
            _ = try PropertyValue(validating: value)
        }
    }

    /// Returns the syntax tree of a value; expressions within it are inserted as they are.
    ///
    /// - Parameter depth: The number of arrays and dictionaries that contain the value.
    /// - Throws: `invalidQuery` if values are nested too deeply, or contain themselves.
    private static func literal(_ value: Any?, depth: Int = 0) throws(QueryError) -> QueryExpression {
        guard depth < QueryExpression.maximumDepth else {
            throw .invalidQuery("the values of a query are nested too deeply, or contain themselves")
        }
        if let expression = value as? any ExpressionProtocol { return try expression.queryExpression() }
        if let values = value as? [Any] { return try array(values, depth) }
        if let values = value as? [String: Any] { return try dictionary(values.keys, depth) { values[$0] } }
        switch PropertyValue(value) {
        case .scalar(.null), .stored: return .null
        case .scalar(.boolean(let boolean)): return .boolean(boolean)
        case .scalar(.integer(let number)): return .integer(number)
        case .scalar(.unsigned(let number)): return .double(Double(number))
        case .scalar(.float(let number)): return .double(Double(number))
        case .scalar(.double(let number)): return .double(number)
        case .scalar(.string(let string)): return .string(string)
        case .object(.blob(let blob)): return try literal(blob.properties.merging([Blob.typeProperty: Blob.blobType]) { $1 }, depth: depth)
        // Arrays and dictionaries are not converted to Swift's, because a Swift dictionary treats canonically equivalent keys as one.
        case .object(.array(let values)): return try array(values, depth)
        case .object(.dictionary(let values)): return try dictionary(values.keys, depth) { values.value(forKey: $0) }
        }
    }

    private static func array(_ values: some Sequence<Any>, _ depth: Int) throws(QueryError) -> QueryExpression {
        var elements: [QueryExpression] = []
        for value in values { elements.append(try literal(value, depth: depth + 1)) }
        return .array(elements)
    }

    private static func dictionary(
        _ keys: some Sequence<String>,
        _ depth: Int,
        _ value: (String) -> Any?
    ) throws(QueryError) -> QueryExpression {
        var entries: [DictionaryEntry] = []
        for key in keys.sorted(by: { $0.isOrderedBefore($1) }) {
            entries.append(DictionaryEntry(key: key, value: try literal(value(key), depth: depth + 1)))
        }
        return .dictionary(entries.sortedByKey)
    }
}

private final class PropertyExpression: BuiltExpression, PropertyExpressionProtocol, MetaExpressionProtocol {
    func from(_ alias: String?) -> any ExpressionProtocol { BuiltExpression(tree.map { $0.qualified(by: alias) }) }

    func from(_ alias: String) -> any ExpressionProtocol { from(.some(alias)) }
}

/// The metadata of documents, for use in queries.
public final class Meta {
    private init() {}

    /// The document's ID, a string.
    public static var id: any MetaExpressionProtocol { PropertyExpression(.property([.key("_id")])) }
    /// The ID of the current revision, a string.
    public static var revisionID: any MetaExpressionProtocol { PropertyExpression(.property([.key("_revisionID")])) }
    /// The sequence of the current revision, an integer.
    public static var sequence: any MetaExpressionProtocol { PropertyExpression(.property([.key("_sequence")])) }
    /// Whether the document is deleted. A query that uses this field reads deleted documents too.
    public static var isDeleted: any MetaExpressionProtocol { PropertyExpression(.property([.key("_deleted")])) }
    /// The time at which the document expires, in milliseconds since 1970; missing if it does not expire.
    public static var expiration: any MetaExpressionProtocol { PropertyExpression(.property([.key("_expiration")])) }
}

import DatabaseRuntime
import Fleece
import ModelCoding
import QueryLanguage

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
    public static func value(_ value: Any?) -> any ExpressionProtocol {
        BuiltExpression { () throws(QueryError) in try .constant(value, form) }
    }

    /// Returns a constant that may be of a type that documents cannot store; see ``value(_:)``.
    ///
    /// - Throws: ``CBLError/encodingError`` if the value, or one inside of it, is of another type.
    public static func value(validating value: Any?) throws -> any ExpressionProtocol {
        try throwingPublicErrors {
            try QueryExpression.forEachScalar(of: value) { scalar in
                if !(scalar is any ExpressionProtocol) { _ = try PropertyValue(validating: scalar) }
            }
        }
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
    public static func date(_ value: Date?) -> any ExpressionProtocol { string(value?.compared) }
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

    /// Returns what a value is in a query; expressions are inserted as they are.
    private static func form(of value: Any?) throws(QueryError) -> ConstantForm {
        if let expression = value as? any ExpressionProtocol { return .expression(try expression.queryExpression()) }
        if let values = value as? [Any] { return .array(values) }
        if let values = value as? [String: Any] { return .dictionary(Array(values.keys)) { values[$0] } }
        switch PropertyValue(value) {
        case .scalar(let scalar): return .expression(QueryExpression(scalar))
        case .stored: return .expression(.null)
        case .object(.blob(let blob)): return try form(of: blob.properties.merging([Blob.typeProperty: Blob.blobType]) { $1 })
        // Arrays and dictionaries are not converted to Swift's, because a Swift dictionary treats canonically equivalent keys as one.
        case .object(.array(let values)): return .array(Array(values))
        case .object(.dictionary(let values)): return .dictionary(values.keys) { values.value(forKey: $0) }
        }
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

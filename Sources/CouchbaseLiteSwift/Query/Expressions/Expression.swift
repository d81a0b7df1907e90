import ExactStrings
import QueryEngine

/// Makes expressions of the query builder.
///
/// ```swift
/// Expression.property("geo.alt").greaterThanOrEqualTo(Expression.int(300))
/// ```
public final class Expression {
    private init() {}

    /// The property at a path such as `address.city` or `tags[0]`.
    public static func property(_ property: String) -> any PropertyExpressionProtocol {
        PropertyExpression(path: property)
    }

    /// All properties of a document, as a dictionary.
    public static func all() -> any PropertyExpressionProtocol {
        PropertyExpression(path: nil)
    }

    /// A value of any type that documents can hold. Another type is a programming error.
    public static func value(_ value: Any?) -> any ExpressionProtocol {
        BuiltExpression { () throws(QueryError) in try literal(value) }
    }

    /// A string; nil is null.
    public static func string(_ value: String?) -> any ExpressionProtocol {
        BuiltExpression(value.map { .string($0) } ?? .null)
    }

    /// A number; nil is null.
    public static func number(_ value: NSNumber?) -> any ExpressionProtocol {
        Self.value(value)
    }

    /// An integer.
    public static func int(_ value: Int) -> any ExpressionProtocol {
        BuiltExpression(.integer(Int64(value)))
    }

    /// An integer.
    public static func int64(_ value: Int64) -> any ExpressionProtocol {
        BuiltExpression(.integer(value))
    }

    /// A number.
    public static func float(_ value: Float) -> any ExpressionProtocol {
        BuiltExpression(.double(Double(value)))
    }

    /// A number.
    public static func double(_ value: Double) -> any ExpressionProtocol {
        BuiltExpression(.double(value))
    }

    /// A boolean.
    public static func boolean(_ value: Bool) -> any ExpressionProtocol {
        BuiltExpression(.boolean(value))
    }

    /// A date, which is the string that documents keep for it; nil is null.
    public static func date(_ value: Date?) -> any ExpressionProtocol {
        string(value?.stored)
    }

    /// A dictionary, whose values may be expressions; nil is null.
    public static func dictionary(_ value: [String: Any]?) -> any ExpressionProtocol {
        Self.value(value)
    }

    /// An array, whose elements may be expressions; nil is null.
    public static func array(_ value: [Any]?) -> any ExpressionProtocol {
        Self.value(value)
    }

    /// The parameter of that name; see ``Query/parameters``. It is missing while it is not set.
    public static func parameter(_ name: String) -> any ExpressionProtocol {
        BuiltExpression(.parameter(name))
    }

    /// Whether `expression` is not true.
    public static func negated(_ expression: any ExpressionProtocol) -> any ExpressionProtocol {
        not(expression)
    }

    /// Whether `expression` is not true.
    public static func not(_ expression: any ExpressionProtocol) -> any ExpressionProtocol {
        build(expression) { .operation(.not, $0) }
    }

    /// The syntax tree of a value, in which expressions stand for themselves.
    private static func literal(_ value: Any?) throws(QueryError) -> QueryExpression {
        if let expression = value as? any ExpressionProtocol { return try expression.queryExpression() }
        if let values = value as? [Any] {
            var elements: [QueryExpression] = []
            for value in values { elements.append(try literal(value)) }
            return .array(elements)
        }
        if let values = value as? [String: Any] {
            var entries: [DictionaryEntry] = []
            for (key, value) in values.sorted(by: { $0.key.isOrderedBefore($1.key) }) {
                entries.append(DictionaryEntry(key: key, value: try literal(value)))
            }
            return .dictionary(entries.sortedByKey)
        }
        switch PropertyValue(value) {
        case .null, .stored: return .null
        case .boolean(let boolean): return .boolean(boolean)
        case .integer(let number): return .integer(number)
        case .unsigned(let number): return .double(Double(number))
        case .float(let number): return .double(Double(number))
        case .double(let number): return .double(number)
        case .string(let string): return .string(string)
        case .blob(let blob): return try literal(blob.properties.merging([Blob.typeProperty: Blob.blobType]) { $1 })
        case .array(let array): return try literal(array.toArray())
        case .dictionary(let dictionary):
            // Not by way of Swift's dictionary, which takes keys for one that merely look the same.
            var entries: [DictionaryEntry] = []
            for key in dictionary.keys {
                entries.append(DictionaryEntry(key: key, value: try literal(dictionary.value(forKey: key))))
            }
            return .dictionary(entries.sortedByKey)
        }
    }
}

/// A property path, to which an alias can be given.
private final class PropertyExpression: BuiltExpression, PropertyExpressionProtocol {
    private let path: String?

    /// - Parameter path: Nil stands for the whole document.
    init(path: String?) {
        self.path = path
        super.init(Swift.Result { () throws(QueryError) in try Self.tree(path, alias: nil) })
    }

    func from(_ alias: String?) -> any ExpressionProtocol {
        BuiltExpression { () throws(QueryError) in try Self.tree(path, alias: alias) }
    }

    private static func tree(_ path: String?, alias: String?) throws(QueryError) -> QueryExpression {
        var components: [PropertyPath.Component] = []
        if let path { components = try PropertyPath(encoded: path).components }
        if let alias { components.insert(.key(alias), at: 0) }
        return .property(PropertyPath(components))
    }
}

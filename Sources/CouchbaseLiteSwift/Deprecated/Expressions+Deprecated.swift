// The expressions of the developer previews, which take plain values in place of expressions.

/// A plain value that can be used as an operand.
@available(*, deprecated, message: "Use Expression.string(_:), Expression.int(_:) and the like")
public protocol QueryLiteral {}

@available(*, deprecated) extension String: QueryLiteral {}
@available(*, deprecated) extension Bool: QueryLiteral {}
@available(*, deprecated) extension Int: QueryLiteral {}
@available(*, deprecated) extension Int64: QueryLiteral {}
@available(*, deprecated) extension Double: QueryLiteral {}
@available(*, deprecated) extension Float: QueryLiteral {}
@available(*, deprecated) extension Date: QueryLiteral {}

@available(*, deprecated, message: "Use an expression, such as Expression.string(_:), for the value")
extension ExpressionProtocol {
    /// Returns `self = value`.
    public func equalTo(_ value: any QueryLiteral) -> any ExpressionProtocol { equalTo(Expression.value(value)) }
    /// Returns `self != value`.
    public func notEqualTo(_ value: any QueryLiteral) -> any ExpressionProtocol { notEqualTo(Expression.value(value)) }
    /// Returns `self < value`.
    public func lessThan(_ value: any QueryLiteral) -> any ExpressionProtocol { lessThan(Expression.value(value)) }
    /// Returns `self <= value`.
    public func lessThanOrEqualTo(_ value: any QueryLiteral) -> any ExpressionProtocol { lessThanOrEqualTo(Expression.value(value)) }
    /// Returns `self > value`.
    public func greaterThan(_ value: any QueryLiteral) -> any ExpressionProtocol { greaterThan(Expression.value(value)) }
    /// Returns `self >= value`.
    public func greaterThanOrEqualTo(_ value: any QueryLiteral) -> any ExpressionProtocol { greaterThanOrEqualTo(Expression.value(value)) }
    /// Whether the string matches a pattern, in which `%` matches any number of characters and `_` exactly one. Ignores case.
    public func like(_ value: any QueryLiteral) -> any ExpressionProtocol { like(Expression.value(value)) }
    /// Whether a regular expression matches anywhere in the string.
    public func regex(_ value: any QueryLiteral) -> any ExpressionProtocol { regex(Expression.value(value)) }
    /// Returns `self + value`.
    public func add(_ value: any QueryLiteral) -> any ExpressionProtocol { add(Expression.value(value)) }
}

/// The metadata of documents, as in the developer previews.
@available(*, deprecated, renamed: "Meta")
public final class PreviewMeta {
    fileprivate init() {}

    /// The document's ID, a string.
    public var id: any MetaExpressionProtocol { Meta.id }
    /// The sequence of the current revision, an integer.
    public var sequence: any MetaExpressionProtocol { Meta.sequence }
}

extension Expression {
    /// Returns the metadata of documents.
    @available(*, deprecated, message: "Use Meta.id and Meta.sequence")
    public static func meta() -> PreviewMeta { PreviewMeta() }
}

// Spellings of the developer previews, which are kept beside the final ones (API 19).

extension Function {
    /// The number of rows in the group, for `"*"`; otherwise the number of rows that have the property at the path `text`.
    @available(*, deprecated, message: "Use Function.count(Expression.all()), or count(Expression.property(_:))")
    public static func count(_ text: String) -> any ExpressionProtocol { count(text == "*" ? Expression.all() : Expression.property(text)) }
    /// The 2.x spelling of ``atan2(y:x:)``.
    @available(*, deprecated, message: "Use atan2(y:x:)")
    public static func atan2(x: any ExpressionProtocol, y: any ExpressionProtocol) -> any ExpressionProtocol { atan2(y: y, x: x) }
}

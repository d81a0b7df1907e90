// The expressions of the developer previews, which take plain values in place of expressions.

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
    public func equalTo(_ value: any QueryLiteral) -> any ExpressionProtocol { equalTo(Expression.value(value)) }
    public func notEqualTo(_ value: any QueryLiteral) -> any ExpressionProtocol { notEqualTo(Expression.value(value)) }
    public func lessThan(_ value: any QueryLiteral) -> any ExpressionProtocol { lessThan(Expression.value(value)) }
    public func lessThanOrEqualTo(_ value: any QueryLiteral) -> any ExpressionProtocol { lessThanOrEqualTo(Expression.value(value)) }
    public func greaterThan(_ value: any QueryLiteral) -> any ExpressionProtocol { greaterThan(Expression.value(value)) }
    public func greaterThanOrEqualTo(_ value: any QueryLiteral) -> any ExpressionProtocol { greaterThanOrEqualTo(Expression.value(value)) }
    public func like(_ value: any QueryLiteral) -> any ExpressionProtocol { like(Expression.value(value)) }
    public func regex(_ value: any QueryLiteral) -> any ExpressionProtocol { regex(Expression.value(value)) }
    public func add(_ value: any QueryLiteral) -> any ExpressionProtocol { add(Expression.value(value)) }
}

@available(*, deprecated, renamed: "Meta")
public final class PreviewMeta {
    fileprivate init() {}

    public var id: any MetaExpressionProtocol { Meta.id }
    public var sequence: any MetaExpressionProtocol { Meta.sequence }
}

extension Expression {
    @available(*, deprecated, message: "Use Meta.id and Meta.sequence")
    public static func meta() -> PreviewMeta { PreviewMeta() }
}

// Spellings of the developer previews, which are kept beside the final ones (API 19).

extension Function {
    /// The number of rows in the group, for `"*"`; otherwise the number of rows that have the property at the path `text`.
    @available(*, deprecated, message: "Use Function.count(Expression.all()), or count(Expression.property(_:))")
    public static func count(_ text: String) -> any ExpressionProtocol { count(text == "*" ? Expression.all() : Expression.property(text)) }
    @available(*, deprecated, message: "Use atan2(y:x:)")
    public static func atan2(x: any ExpressionProtocol, y: any ExpressionProtocol) -> any ExpressionProtocol { atan2(y: y, x: x) }
}

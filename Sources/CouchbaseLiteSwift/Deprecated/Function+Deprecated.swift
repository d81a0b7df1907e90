// Spellings of the developer previews, which are kept beside the final ones (API 19).

extension Function {
    /// The number of rows in the group, for `"*"`; otherwise the number of rows that have the property at the path `text`.
    @available(*, deprecated, message: "Use Function.count(Expression.all()), or count(Expression.property(_:))")
    public static func count(_ text: String) -> any ExpressionProtocol {
        count(text == "*" ? Expression.all() : Expression.property(text))
    }

    /// The 2.x spelling of ``atan2(y:x:)``.
    @available(*, deprecated, message: "Use atan2(y:x:)")
    public static func atan2(x: any ExpressionProtocol, y: any ExpressionProtocol) -> any ExpressionProtocol {
        atan2(y: y, x: x)
    }
}

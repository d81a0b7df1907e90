// Spellings of the developer previews that live on beside the final ones (API 19).

extension Function {
    /// How many rows of the group there are, for `"*"`; else how many have the property at the path `text`.
    @available(*, deprecated, message: "Use Function.count(Expression.all()), or count(Expression.property(_:))")
    public static func count(_ text: String) -> any ExpressionProtocol {
        count(text == "*" ? Expression.all() : Expression.property(text))
    }
}

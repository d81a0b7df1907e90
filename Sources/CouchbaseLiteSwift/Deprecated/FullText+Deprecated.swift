import QueryEngine

// Full-text search in the previews' words: of properties, not of indexes.

@available(*, deprecated, message: "Use FullTextFunction.match(_:query:), with the name of the index")
extension ExpressionProtocol {
    /// Whether the words of a property match a pattern. There must be a full-text index that has the property.
    public func match(_ pattern: String) -> any ExpressionProtocol {
        BuiltExpression { () throws(QueryError) in
            guard case .property(let path) = try self.queryExpression(), !path.isEmpty else {
                throw .invalidQuery("only properties can be matched")
            }
            return .match(index: path.encoded, pattern: .string(pattern))
        }
    }

    /// Whether the words of a property do not match a pattern: no query can ask for that.
    public func notMatch(_ pattern: String) -> any ExpressionProtocol {
        Expression.not(match(pattern))
    }
}

/// The previews' functions of full-text search.
@available(*, deprecated, message: "Use FullTextFunction")
public final class PreviewFullText {
    init() {}

    /// How well the document matches; see ``FullTextFunction/rank(_:)-(String)``.
    public func rank(_ property: String) -> any ExpressionProtocol { FullTextFunction.rank(property) }
}

extension Expression {
    /// The functions of full-text search.
    @available(*, deprecated, message: "Use FullTextFunction")
    public static func fts() -> PreviewFullText { PreviewFullText() }
}

extension Function {
    /// How well the document matches the pattern that a property is searched for.
    @available(*, deprecated, message: "Use FullTextFunction.rank(_:)")
    public static func rank(_ property: String) -> any ExpressionProtocol { FullTextFunction.rank(property) }
}

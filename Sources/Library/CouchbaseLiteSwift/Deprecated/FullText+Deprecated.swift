import QueryLanguage

// The full-text search of the developer previews, which names properties instead of indexes.

@available(*, deprecated, message: "Use FullTextFunction.match(_:query:), with the name of the index")
extension ExpressionProtocol {
    /// Whether the words of a property match a full-text pattern. Running the query throws `missingIndex` if no full-text index contains
    /// the property.
    public func match(_ pattern: String) -> any ExpressionProtocol {
        build(self) { operands throws(QueryError) in try .match(operands[0], pattern: pattern) }
    }

    /// Whether the words of a property do not match a pattern. Never usable: a query with this condition throws when it is run, because a
    /// match cannot be negated.
    public func notMatch(_ pattern: String) -> any ExpressionProtocol { Expression.not(match(pattern)) }
}

@available(*, deprecated, message: "Use FullTextFunction")
public final class PreviewFullText {
    init() {}

    public func rank(_ property: String) -> any ExpressionProtocol { FullTextFunction.rank(property) }
}

extension Expression {
    @available(*, deprecated, message: "Use FullTextFunction")
    public static func fts() -> PreviewFullText { PreviewFullText() }
}

extension Function {
    @available(*, deprecated, message: "Use FullTextFunction.rank(_:)")
    public static func rank(_ property: String) -> any ExpressionProtocol { FullTextFunction.rank(property) }
}

/// A full-text index in the query builder of releases before 2.8.
public protocol FullTextExpressionProtocol {
    /// Returns the condition that the index matches `query`.
    func match(_ query: String) -> any ExpressionProtocol
}

@available(*, deprecated, message: "Use FullTextFunction.match(_:query:)")
public final class FullTextExpression {
    private init() {}

    public static func index(_ name: String) -> any FullTextExpressionProtocol { FullTextIndexExpression(alias: nil, name: name) }
}

extension FullTextIndexExpression: FullTextExpressionProtocol {
    func match(_ query: String) -> any ExpressionProtocol { FullTextFunction.match(self, query: query) }
}

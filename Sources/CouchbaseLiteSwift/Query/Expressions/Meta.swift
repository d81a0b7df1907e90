import QueryEngine

/// The metadata of documents, for use in queries.
public final class Meta {
    private init() {}

    /// The document's ID, a string.
    public static var id: any MetaExpressionProtocol { MetaExpression("_id") }
    /// The ID of the current revision, a string.
    public static var revisionID: any MetaExpressionProtocol { MetaExpression("_revisionID") }
    /// The sequence of the current revision, an integer.
    public static var sequence: any MetaExpressionProtocol { MetaExpression("_sequence") }
    /// Whether the document is deleted. A query that uses this field reads deleted documents too.
    public static var isDeleted: any MetaExpressionProtocol { MetaExpression("_deleted") }
    /// The time at which the document expires, in milliseconds since 1970; missing if it does not expire.
    public static var expiration: any MetaExpressionProtocol { MetaExpression("_expiration") }
}

private final class MetaExpression: BuiltExpression, MetaExpressionProtocol {
    private let field: String

    init(_ field: String) {
        self.field = field
        super.init(.success(.property([.key(field)])))
    }

    func from(_ alias: String) -> any ExpressionProtocol { BuiltExpression(.property([.key(alias), .key(field)])) }
}

import Base

extension ModelCall {
    /// The text that identifies the model and the input: equal for calls that share a table (Vector search FP-2).
    package var identity: String {
        JSONText.string("PREDICTION()") + JSONText.string(model) + QueryJSON.text(of: input.withMetaProperties)
    }
}

extension QueryExpression {
    /// The expression with the fields of `meta()` written as properties, `_id` for `meta().id`: the form in which the builder writes them, so that
    /// SQL++ finds the tables of its indexes.
    fileprivate var withMetaProperties: QueryExpression {
        if case .nested(.meta(alias: nil), let path) = self, let key = path.onlyKey, Self.metaFields.contains(ExactString(key)) {
            return .property([.key("_\(key)")])
        }
        return mapChildren(\.withMetaProperties)
    }

    private static let metaFields: Set<ExactString> = ["id", "sequence", "deleted", "expiration", "revisionID"]
}

#if canImport(Darwin)
import QueryEngine

// Foundation prints predicates and expressions in the language of predicate strings, so this text is parsed. Dates are printed as CAST(…,
// "NSDate"), which the parser accepts.

@available(*, deprecated) extension NSPredicate: QueryPredicate {}
@available(*, deprecated) extension NSExpression: QueryPredicateExpression, QuerySortDescriptor {}
@available(*, deprecated) extension NSSortDescriptor: QuerySortDescriptor {}

/// Returns the text of an `NSPredicate` or `NSExpression`; `nil` for anything else.
func predicateText(_ form: Any) -> String? {
    if let predicate = form as? NSPredicate { return predicate.predicateFormat }
    return (form as? NSExpression)?.description
}

extension NSSortDescriptor {
    /// Returns the ordering that the descriptor describes (Query 9.2).
    ///
    /// - Throws: `invalidQuery` if it has no key or an unsupported selector.
    func ordering() throws(QueryError) -> QueryEngine.Ordering {
        guard let key else { throw .invalidQuery("a sort descriptor must have a key") }
        let property = try PredicateString.parseResult(key)
        let options: CollationOptions?
        switch selector.map(NSStringFromSelector) {
        case nil, "compare:":
            options = nil
        case "caseInsensitiveCompare:":
            options = CollationOptions(isCaseSensitive: false)
        case "localizedCompare:", "localizedStandardCompare:":
            options = CollationOptions(isUnicode: true)
        case "localizedCaseInsensitiveCompare:":
            options = CollationOptions(isUnicode: true, isCaseSensitive: false)
        case .some(let name):
            throw .invalidQuery("a sort descriptor cannot use the selector '\(name)'")
        }
        let expression = options.map { QueryExpression.collate($0, operand: property) } ?? property
        return QueryEngine.Ordering(expression, isDescending: !ascending)
    }
}
#endif

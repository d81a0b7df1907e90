import Foundation
package import QueryLanguage

/// Parses the parts of predicate queries of the developer previews to syntax trees (Query 9.4): strings, JSON arrays and objects, and on
/// Apple platforms objects of Foundation.
package enum PredicateForm {
    /// Returns a query. A part that is `nil` is left as `condition` has it, which may be a whole query.
    ///
    /// - Returns: The query, completed by what every predicate query has, and the shape of its rows.
    /// - Throws: `invalidQuery` if a part is invalid.
    package static func query(
        where condition: Any?,
        groupBy: [Any]?,
        having: Any?,
        returning: [Any]?,
        isDistinct: Bool,
        orderBy: [Any]?
    ) throws(QueryError) -> (SelectStatement, PredicateRowShape) {
        var query = try condition.map(select) ?? SelectStatement()
        if let groupBy {
            query.grouping = try groupBy.map { form throws(QueryError) in try expression(form, PredicateString.parseGrouping) }
        }
        if let having { query.groupCondition = try groupCondition(having) }
        if let returning {
            query.items = try returning.map { form throws(QueryError) in SelectItem(try expression(form, PredicateString.parseResult)) }
        }
        if let orderBy { query.ordering = try orderBy.map(ordering) }
        if isDistinct { query.isDistinct = true }
        let shape = PredicateRowShape(completing: &query, sortsByID: orderBy == nil)
        return (query, shape)
    }

    /// Returns a query with `predicate` as its condition, or the query that `predicate` itself is.
    private static func select(_ predicate: Any) throws(QueryError) -> SelectStatement {
        guard let text = Self.text(predicate) else { return try QueryJSON.parse(json(predicate)) }
        return SelectStatement(condition: try PredicateString.parse(text))
    }

    /// Returns the condition on groups.
    private static func groupCondition(_ predicate: Any) throws(QueryError) -> QueryExpression {
        if predicate is [String: Any] { throw .invalidQuery("a whole query cannot be the condition on groups") }
        return try expression(predicate, PredicateString.parseGroupCondition)
    }

    /// Returns an expression, whose text `parse` parses.
    private static func expression(
        _ form: Any,
        _ parse: (String) throws(QueryError) -> QueryExpression
    ) throws(QueryError) -> QueryExpression {
        guard let text = self.text(form) else { return try QueryJSON.parseExpression(json(form)) }
        return try parse(text)
    }

    private static func ordering(_ descriptor: Any) throws(QueryError) -> OrderingTerm {
        #if canImport(Darwin)
        if let descriptor = descriptor as? NSSortDescriptor { return try descriptor.ordering() }
        #endif
        guard let text = Self.text(descriptor) else { throw .invalidQuery("\(type(of: descriptor)) is not an ordering of this library") }
        return try PredicateString.parseOrdering(text)
    }

    /// Returns the text of a string or, on Apple platforms, of a Foundation object; `nil` for anything else.
    private static func text(_ form: Any) -> String? {
        #if canImport(Darwin)
        // Foundation prints predicates and expressions in the language of predicate strings. Dates are printed as CAST(…, "NSDate"), which
        // the parser accepts.
        if let predicate = form as? NSPredicate { return predicate.predicateFormat }
        if let expression = form as? NSExpression { return expression.description }
        #endif
        return form as? String
    }

    /// Returns an array or dictionary as JSON text.
    private static func json(_ form: Any) throws(QueryError) -> String {
        guard form is [Any] || form is [String: Any] else { throw .invalidQuery("\(type(of: form)) is not a predicate of this library") }
        guard JSONSerialization.isValidJSONObject(form), let data = try? JSONSerialization.data(withJSONObject: form)
        else { throw .invalidQuery("the query holds values that are not JSON") }
        return String(decoding: data, as: UTF8.self)
    }
}

#if canImport(Darwin)
extension NSSortDescriptor {
    /// Returns the ordering that the descriptor describes (Query 9.2).
    ///
    /// - Throws: `invalidQuery` if it has no key or an unsupported selector.
    fileprivate func ordering() throws(QueryError) -> OrderingTerm {
        guard let key else { throw .invalidQuery("a sort descriptor must have a key") }
        let property = try PredicateString.parseResult(key)
        let options: CollationOptions?
        switch selector.map(NSStringFromSelector) {
        case nil, "compare:": options = nil
        case "caseInsensitiveCompare:": options = CollationOptions(isCaseSensitive: false)
        case "localizedCompare:", "localizedStandardCompare:": options = CollationOptions(isUnicode: true)
        case "localizedCaseInsensitiveCompare:": options = CollationOptions(isUnicode: true, isCaseSensitive: false)
        case .some(let name): throw .invalidQuery("a sort descriptor cannot use the selector '\(name)'")
        }
        let expression = options.map { QueryExpression.collate($0, operand: property) } ?? property
        return OrderingTerm(expression, isDescending: !ascending)
    }
}
#endif

import QueryEngine

// The parts of predicate queries of the developer previews. Strings are accepted on all platforms; `NSPredicate` and related types have no
// text form on Linux and are accepted only on Apple platforms.

/// A condition of a ``PredicateQuery``: a predicate string, a WHERE expression as a JSON array, or a whole query as a JSON object; on Apple
/// platforms also an `NSPredicate`.
@available(*, deprecated, message: "Use Database.createQuery(_:) with SQL++, or Collection.query(of:where:)")
public protocol QueryPredicate {}

/// A column or grouping of a ``PredicateQuery``: an expression as a string or as a JSON array; on Apple platforms also an `NSExpression`.
@available(*, deprecated, message: "Use Database.createQuery(_:) with SQL++")
public protocol QueryPredicateExpression {}

/// An ordering of a ``PredicateQuery``: a sort string such as `-name[c]`; on Apple platforms also an `NSSortDescriptor` or an
/// `NSExpression`.
@available(*, deprecated, message: "Use Database.createQuery(_:) with SQL++")
public protocol QuerySortDescriptor {}

@available(*, deprecated) extension String: QueryPredicate, QueryPredicateExpression, QuerySortDescriptor {}
@available(*, deprecated) extension Array: QueryPredicate, QueryPredicateExpression where Element == Any {}
@available(*, deprecated) extension Dictionary: QueryPredicate where Key == String, Value == Any {}

/// Parses the parts to syntax trees (Query 9.4).
@available(*, deprecated)
enum PredicateForm {
    /// Returns a query with `predicate` as its condition, or the query that `predicate` itself is.
    static func select(_ predicate: any QueryPredicate) throws(QueryError) -> QueryEngine.Select {
        guard let text = text(predicate) else { return try QueryJSON.parse(json(predicate)) }
        return QueryEngine.Select(condition: try PredicateString.parse(text))
    }

    /// Returns the condition on groups.
    static func groupCondition(_ predicate: any QueryPredicate) throws(QueryError) -> QueryExpression {
        if predicate is [String: Any] { throw .invalidQuery("a whole query cannot be the condition on groups") }
        return try expression(predicate, PredicateString.parseGroupCondition)
    }

    /// Returns an expression, whose text `parse` parses.
    static func expression(_ form: Any, _ parse: (String) throws(QueryError) -> QueryExpression) throws(QueryError) -> QueryExpression {
        guard let text = text(form) else { return try QueryJSON.parseExpression(json(form)) }
        return try parse(text)
    }

    static func ordering(_ descriptor: any QuerySortDescriptor) throws(QueryError) -> QueryEngine.Ordering {
        #if canImport(Darwin)
        if let descriptor = descriptor as? NSSortDescriptor { return try descriptor.ordering() }
        #endif
        guard let text = text(descriptor) else { throw .invalidQuery("\(type(of: descriptor)) is not an ordering of this library") }
        return try PredicateString.parseOrdering(text)
    }

    /// Returns the text of a string or, on Apple platforms, of a Foundation object; `nil` for anything else.
    private static func text(_ form: Any) -> String? {
        #if canImport(Darwin)
        if let text = predicateText(form) { return text }
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

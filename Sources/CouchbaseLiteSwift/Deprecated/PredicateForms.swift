import QueryEngine

// What the previews' predicate queries are made of. Strings are understood everywhere; `NSPredicate` and its relatives have
// no text form on Linux and are accepted on Apple's systems only.

/// A condition of a ``PredicateQuery``: a predicate string, a WHERE expression as a JSON array, or a whole query as a JSON
/// object; on Apple's systems an `NSPredicate` too.
@available(*, deprecated, message: "Use Database.createQuery(_:) with SQL++, or Collection.query(of:where:)")
public protocol QueryPredicate {}

/// A column or a grouping of a ``PredicateQuery``: the string of an expression, or an expression as a JSON array; on Apple's
/// systems an `NSExpression` too.
@available(*, deprecated, message: "Use Database.createQuery(_:) with SQL++")
public protocol QueryPredicateExpression {}

/// An ordering of a ``PredicateQuery``: a sort string, such as `-name[c]`; on Apple's systems an `NSSortDescriptor` or an
/// `NSExpression` too.
@available(*, deprecated, message: "Use Database.createQuery(_:) with SQL++")
public protocol QuerySortDescriptor {}

@available(*, deprecated) extension String: QueryPredicate, QueryPredicateExpression, QuerySortDescriptor {}
@available(*, deprecated) extension Array: QueryPredicate, QueryPredicateExpression where Element == Any {}
@available(*, deprecated) extension Dictionary: QueryPredicate where Key == String, Value == Any {}

/// Reads the forms as syntax trees (Query 9.4).
@available(*, deprecated)
enum PredicateForm {
    /// The query that has `predicate` as its condition, or that it is.
    static func select(_ predicate: any QueryPredicate) throws(QueryError) -> QueryEngine.Select {
        guard let text = text(predicate) else { return try QueryJSON.parse(json(predicate)) }
        return QueryEngine.Select(condition: try PredicateString.parse(text))
    }

    /// The condition on groups.
    static func groupCondition(_ predicate: any QueryPredicate) throws(QueryError) -> QueryExpression {
        if predicate is [String: Any] { throw .invalidQuery("a whole query cannot be the condition on groups") }
        guard let text = text(predicate) else { return try QueryJSON.parseExpression(json(predicate)) }
        return try PredicateString.parseGroupCondition(text)
    }

    /// A column of the results.
    static func result(_ expression: any QueryPredicateExpression) throws(QueryError) -> QueryExpression {
        guard let text = text(expression) else { return try QueryJSON.parseExpression(json(expression)) }
        return try PredicateString.parseResult(text)
    }

    /// What rows are grouped by.
    static func grouping(_ expression: any QueryPredicateExpression) throws(QueryError) -> QueryExpression {
        guard let text = text(expression) else { return try QueryJSON.parseExpression(json(expression)) }
        return try PredicateString.parseGrouping(text)
    }

    static func ordering(_ descriptor: any QuerySortDescriptor) throws(QueryError) -> QueryEngine.Ordering {
        #if canImport(Darwin)
        if let descriptor = descriptor as? NSSortDescriptor { return try descriptor.ordering() }
        #endif
        guard let text = text(descriptor) else { throw .invalidQuery("\(type(of: descriptor)) is not an ordering of this library") }
        return try PredicateString.parseOrdering(text)
    }

    /// The text of what has one.
    private static func text(_ form: Any) -> String? {
        #if canImport(Darwin)
        if let text = predicateText(form) { return text }
        #endif
        return form as? String
    }

    /// The JSON text of arrays and dictionaries.
    private static func json(_ form: Any) throws(QueryError) -> String {
        guard form is [Any] || form is [String: Any] else { throw .invalidQuery("\(type(of: form)) is not a predicate of this library") }
        guard JSONSerialization.isValidJSONObject(form), let data = try? JSONSerialization.data(withJSONObject: form)
        else { throw .invalidQuery("the query holds values that are not JSON") }
        return String(decoding: data, as: UTF8.self)
    }
}

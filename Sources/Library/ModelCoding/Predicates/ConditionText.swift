import Base
import QueryLanguage

extension QueryExpression {
    /// Returns the condition that a text in SQL++ describes, as in a query that reads only this collection, for a query in which the collection
    /// has the alias of predicates.
    ///
    /// - Throws: `invalidQuery` if the text is not one expression.
    static func condition(_ text: String, on collection: CollectionPath) throws(QueryError) -> QueryExpression {
        try SQLPlusPlus.parseExpression(text).qualified(on: collection)
    }

    /// Returns the expression with all properties in the collection with the alias. Nested queries have sources of their own.
    private func qualified(on collection: CollectionPath) -> QueryExpression {
        switch self {
        case .property(let path): .property(path.qualified(on: collection))
        case .blob(let path): .blob(path.qualified(on: collection))
        case .meta(let name?) where name.isExactly(collection.name): .meta(alias: PredicateTranslator.alias)
        default: mapChildren { $0.qualified(on: collection) }
        }
    }
}

extension PropertyPath {
    /// Returns the path with the alias instead of the name of the collection, or before a property without it.
    fileprivate func qualified(on collection: CollectionPath) -> PropertyPath {
        let isNamed = firstKey.map { $0.isExactly(collection.name) } ?? false
        return PropertyPath([.key(PredicateTranslator.alias)] + (isNamed ? dropFirst() : self).components)
    }
}

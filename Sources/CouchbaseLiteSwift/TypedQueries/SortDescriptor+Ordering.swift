import QueryEngine

extension SortDescriptor {
    /// The term of ORDER BY.
    ///
    /// - Throws: `invalidQuery` when it does not sort by a property that documents keep.
    func ordering() throws(QueryError) -> QueryEngine.Ordering where Compared: Decodable {
        guard let keyPath else { throw PredicateTranslator.unsupported("a sort descriptor has no key path") }
        let document = QueryExpression.property([.key(PredicateTranslator.alias)])
        let property: QueryExpression
        switch try ModelKeyPath(keyPath, of: Compared.self) {
        case .id: property = document.appending([.key("_id")])
        case .property(let path): property = document.appending(path.components)
        }
        let isDescending = order == .reverse
        // Only `lexical` compares strings as they are.
        guard let stringComparator, stringComparator != .lexical else { return QueryEngine.Ordering(property, isDescending: isDescending) }
        let collated = QueryExpression.collate(CollationOptions(isUnicode: true), operand: property)
        return QueryEngine.Ordering(collated, isDescending: isDescending)
    }
}

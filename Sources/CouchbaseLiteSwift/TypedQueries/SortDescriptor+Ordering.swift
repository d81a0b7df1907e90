import QueryEngine

extension SortDescriptor {
    /// Returns the term for ORDER BY.
    ///
    /// - Throws: `invalidQuery` if the descriptor does not sort by a property that is stored in documents.
    func ordering() throws(QueryError) -> QueryEngine.Ordering where Compared: Decodable {
        guard let keyPath else { throw PredicateTranslator.unsupported("a sort descriptor has no key path") }
        let document = QueryExpression.property([.key(PredicateTranslator.alias)])
        let property: QueryExpression
        switch try ModelKeyPath(keyPath, of: Compared.self) {
        case .id: property = document.appending([.key("_id")])
        case .property(let path): property = document.appending(path.components)
        }
        let isDescending = order == .reverse
        // Only `lexical` compares strings by their code points.
        guard let stringComparator, stringComparator != .lexical else { return QueryEngine.Ordering(property, isDescending: isDescending) }
        let collated = QueryExpression.collate(CollationOptions(isUnicode: true), operand: property)
        return QueryEngine.Ordering(collated, isDescending: isDescending)
    }
}

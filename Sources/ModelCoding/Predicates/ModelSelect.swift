package import Foundation
package import QueryEngine

extension Select {
    /// Creates the query for documents as objects of a model: the ID, the revision and the properties of each document.
    ///
    /// - Parameter idKey: The key of the model's property that represents the ID of the document; `nil` if there is none.
    /// - Throws: `invalidQuery` if the predicate or a sort descriptor cannot be translated.
    package init<Model: Decodable>(
        from collection: CollectionPath,
        where predicate: Predicate<Model>?,
        orderBy sortDescriptors: [SortDescriptor<Model>],
        limit: Int?,
        offset: Int,
        types: ModelTypes,
        idKey: String? = nil
    ) throws(QueryError) {
        let document = PredicateTranslator.document
        self.init(
            items: [
                SelectItem(document.appending([.key("_id")])), SelectItem(document.appending([.key("_revisionID")])),
                SelectItem(document),
            ],
            sources: [.collection(collection, alias: PredicateTranslator.alias)]
        )
        if let predicate { condition = try PredicateTranslator.condition(predicate, types, idKey: idKey) }
        for descriptor in sortDescriptors { ordering.append(try descriptor.ordering(types, idKey: idKey)) }
        self.limit = limit.map { .integer(Int64($0)) }
        if offset != 0 { self.offset = .integer(Int64(offset)) }
    }

    /// Limits the results to the first.
    package mutating func limitToFirst() {
        if limit != .integer(0) { limit = .integer(1) }
    }

    /// Replaces the results by the IDs of the documents.
    package mutating func onlyIDs() { items.removeSubrange(1...) }

    /// The statement that deletes the documents.
    package var deletion: DataStatement? { sources.first.map { DataStatement(.delete, in: $0, where: condition) } }

    /// Replaces the results by their number, ignoring the limit and the offset.
    package mutating func countAll() {
        items = [SelectItem(.function(name: "COUNT", arguments: [.property([])]))]
        ordering = []
        limit = nil
        offset = nil
    }
}

extension SortDescriptor {
    /// Returns the term for ORDER BY.
    ///
    /// - Throws: `invalidQuery` if the descriptor does not sort by a property that is stored in documents.
    fileprivate func ordering(_ types: ModelTypes, idKey: String?) throws(QueryError) -> Ordering where Compared: Decodable {
        guard let keyPath else { throw .unsupportedPredicate("a sort descriptor has no key path") }
        let property = PredicateTranslator.document.appending(
            try ModelKeyPath(keyPath, of: Compared.self, types).identified(by: idKey)
        )
        let isDescending = order == .reverse
        // Only `lexical` compares strings by their code points.
        guard let stringComparator, stringComparator != .lexical else { return Ordering(property, isDescending: isDescending) }
        return Ordering(.collate(CollationOptions(isUnicode: true), operand: property), isDescending: isDescending)
    }
}

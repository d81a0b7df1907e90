package import Foundation
package import QueryLanguage

/// Which documents are selected as objects of a model, and in which order.
package struct ModelSelection<Model: Decodable> {
    /// The condition that documents satisfy.
    package enum Condition {
        /// A predicate in Swift.
        case predicate(Predicate<Model>)
        /// An expression of SQL++, as in a query that reads only this collection.
        case text(String)
    }

    /// A search in a full-text index.
    package struct Search {
        private let index: String
        private let pattern: String
        private let bm25: [Double]?

        /// Searches the index with a name for a pattern.
        ///
        /// - Parameter bm25: The arguments of `bm25()` after the index; `nil` to rank the documents by `rank()`.
        package init(index: String, pattern: String, bm25: [Double]? = nil) {
            (self.index, self.pattern, self.bm25) = (index, pattern, bm25)
        }

        // The alias comes first, so that it is not taken for a part of the name.
        private var name: String { "\(PredicateTranslator.alias).\(index)" }
        fileprivate var match: QueryExpression { .match(index: name, pattern: .string(pattern)) }
        fileprivate var rank: QueryExpression {
            bm25.map { .search(.bm25, index: name, arguments: $0.map { .double($0) }) } ?? .rank(index: name)
        }
    }

    /// A search for near vectors in a vector index.
    package struct Nearest {
        private let expression: String

        /// The parameter of the query with the vector of which the distances are computed.
        package static var parameter: String { "_vector" }

        /// Searches the index of an expression of SQL++, as in a query that reads only this collection.
        package init(expression: String) { self.expression = expression }

        fileprivate func distance(in collection: CollectionPath) throws(QueryError) -> QueryExpression {
            let value = try QueryExpression.condition(expression, on: collection)
            return .function(name: "APPROX_VECTOR_DISTANCE", arguments: [value, .parameter(Self.parameter)])
        }
    }

    private let condition: Condition?
    private let search: Search?
    private let nearest: Nearest?
    private let sortDescriptors: [SortDescriptor<Model>]
    private let limit: Int?
    private let offset: Int

    /// Selects documents by a condition, or all of them if it is `nil`, that match a search if there is one; sorts them; and returns at most
    /// `limit` of them, or all if it is `nil`, after the first `offset`. The nearest documents are those that have a vector, by their distance.
    package init(
        _ condition: Condition?,
        _ sortDescriptors: [SortDescriptor<Model>] = [],
        _ limit: Int? = nil,
        _ offset: Int = 0,
        search: Search? = nil,
        nearest: Nearest? = nil
    ) {
        (self.condition, self.search, self.nearest) = (condition, search, nearest)
        (self.sortDescriptors, self.limit, self.offset) = (sortDescriptors, limit, offset)
    }

    /// Returns the query for the ID, the revision and the properties of each document, and its rank or distance if there is a search. Without
    /// another order, the results of a search are sorted by rank, those of equal rank by ID, or by distance.
    ///
    /// - Parameter idKey: The key of the model's property that represents the ID of the document; `nil` if there is none.
    /// - Throws: `invalidQuery` if the condition or a sort descriptor cannot be translated.
    package func query(of collection: CollectionPath, _ types: ModelTypes, idKey: String? = nil) throws(QueryError) -> SelectStatement {
        let document = PredicateTranslator.document
        var select = SelectStatement(
            items: [
                SelectItem(document.appending([.key("_id")])), SelectItem(document.appending([.key("_revisionID")])),
                SelectItem(document),
            ],
            sources: [.collection(collection, alias: PredicateTranslator.alias)]
        )
        switch condition {
        case .predicate(let predicate): select.condition = try PredicateTranslator.condition(predicate, types, idKey: idKey)
        case .text(let text): select.condition = try QueryExpression.condition(text, on: collection)
        case nil: break
        }
        if let search {
            select.items.append(SelectItem(search.rank))
            select.condition = select.condition.map { .operation(.and, [search.match, $0]) } ?? search.match
            if sortDescriptors.isEmpty {
                select.ordering = [OrderingTerm(search.rank, isDescending: true), OrderingTerm(document.appending([.key("_id")]))]
            }
        }
        if let nearest {
            let distance = try nearest.distance(in: collection)
            select.items.append(SelectItem(distance))
            if sortDescriptors.isEmpty { select.ordering = [OrderingTerm(distance)] }
        }
        for descriptor in sortDescriptors { select.ordering.append(try descriptor.ordering(types, idKey: idKey)) }
        select.limit = limit.map { .integer(Int64($0)) }
        if offset != 0 { select.offset = .integer(Int64(offset)) }
        return select
    }
}

extension SelectStatement {
    /// Limits the results to the first. A limit that allows none stays.
    package mutating func limitToFirst() {
        if case .integer(...0)? = limit { return }
        limit = .integer(1)
    }

    /// Replaces the results by the IDs of the documents.
    package mutating func onlyIDs() { items.removeSubrange(1...) }

    /// The statement that deletes the documents; `nil` if there is none, because a statement selects no part of the documents.
    package var deletion: DataStatement? {
        limit == nil && offset == nil ? sources.first.map { DataStatement(.delete, in: $0, where: condition) } : nil
    }

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
    fileprivate func ordering(_ types: ModelTypes, idKey: String?) throws(QueryError) -> OrderingTerm where Compared: Decodable {
        guard let keyPath else { throw .unsupportedPredicate("a sort descriptor has no key path") }
        let place = try ModelKeyPath(keyPath, of: Compared.self, types).identified(by: idKey)
        let isOptional = type(of: keyPath).valueType is any OptionalValue.Type
        let stored = PredicateTranslator.document.property(place, of: Compared.self, isOptional: isOptional, types)
        // Nil comes first, as in Swift: null is greater than all strings and numbers.
        let property = !place.isID && isOptional ? stored.unwrapped : stored
        let isDescending = order == .reverse
        // Only `lexical` compares strings by their code points.
        guard let stringComparator, stringComparator != .lexical else { return OrderingTerm(property, isDescending: isDescending) }
        return OrderingTerm(.collate(CollationOptions(isUnicode: true), operand: property), isDescending: isDescending)
    }
}

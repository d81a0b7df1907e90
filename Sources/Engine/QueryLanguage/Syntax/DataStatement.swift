/// A statement that changes documents: INSERT, UPSERT, UPDATE or DELETE (Query 11). The syntax tree, as ``SelectStatement`` is that of a query.
package struct DataStatement: Sendable, Hashable {
    /// What the statement does.
    package enum Change: Sendable, Hashable {
        /// Creates documents. If `replaces` is `false`, a document that exists already is an error; otherwise it is replaced.
        case insert(Insertion, replaces: Bool)
        /// Changes properties of the documents that ``condition`` selects, at most ``limit``.
        case update([Assignment])
        /// Deletes the documents that ``condition`` selects, at most ``limit``.
        case delete
    }

    /// The documents that INSERT and UPSERT create.
    package enum Insertion: Sendable, Hashable {
        /// `VALUES (key, value)`, several times. A key of `nil` is generated.
        case values([Row])
        /// The rows of a query. `key` and `value` are the titles of its columns; a key of `nil` is generated.
        case select(SelectStatement, key: String?, value: String)
    }

    /// One document to be created.
    package struct Row: Sendable, Hashable {
        /// The document ID; `nil` to generate one.
        package var key: QueryExpression?
        /// The properties of the document, which must be a dictionary when the statement runs.
        package var value: QueryExpression

        package init(key: QueryExpression?, value: QueryExpression) { (self.key, self.value) = (key, value) }
    }

    /// The change of one property.
    package struct Assignment: Sendable, Hashable {
        /// The property, without the alias of the collection.
        package var path: PropertyPath
        /// The new value, computed from the document before the change; `nil` removes the property, as MISSING does.
        package var value: QueryExpression?

        package init(_ path: PropertyPath, _ value: QueryExpression?) { (self.path, self.value) = (path, value) }
    }

    /// What the statement does with the documents of ``target``.
    package var change: Change

    /// The collection, with its alias.
    package var target: Source

    /// The WHERE clause of UPDATE and DELETE.
    package var condition: QueryExpression?

    /// The maximum number of documents that UPDATE and DELETE change.
    package var limit: QueryExpression?

    /// The columns of RETURNING; empty without this clause. They are computed from each document after its change, or before its deletion.
    package var returning: [SelectItem]

    package init(
        _ change: Change,
        in target: Source,
        where condition: QueryExpression? = nil,
        limit: QueryExpression? = nil,
        returning: [SelectItem] = []
    ) {
        (self.change, self.target, self.returning) = (change, target, returning)
        (self.condition, self.limit) = (condition, limit)
    }
}

extension DataStatement {
    /// Adds the change of a property to an UPDATE.
    ///
    /// - Parameters:
    ///   - path: The path of the property, as apps write it.
    ///   - value: The new value; `nil` removes the property.
    /// - Throws: `invalidQuery` if the path is invalid.
    package mutating func assign(_ path: String, _ value: QueryExpression?) throws(QueryError) {
        guard case .update(let assignments) = change else { return }
        let path = try PropertyPath(encoded: path)
        guard path.firstKey != nil else { throw .invalidQuery("a statement cannot set the document as a whole") }
        change = .update(assignments + [Assignment(path, value)])
    }

    /// - Throws: `invalidQuery` if this is an UPDATE that changes no property.
    package func checkAssignments() throws(QueryError) {
        if case .update(let assignments) = change, assignments.isEmpty { throw .invalidQuery("the statement sets no property") }
    }
}

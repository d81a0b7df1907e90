import QueryEngine

/// A query of the default collection made of predicate strings, as the developer previews had them.
///
/// ```swift
/// let query = database.createQuery(where: "type == 'hotel' AND stars >= $stars", orderBy: ["-stars", "name[c]"])
/// query.parameters = ["stars": 4]
/// for row in try query.run() { print(row.document.string(forKey: "name") ?? "") }
/// ```
///
/// Not safe to use from several threads at once.
@available(*, deprecated, message: "Use Database.createQuery(_:) with SQL++, or Collection.query(of:where:)")
public class PredicateQuery {
    /// The database that is asked.
    public let database: Database

    /// How many rows to leave out at the beginning. At first 0.
    public var offset: UInt = 0

    /// The most rows there may be. At first there is no limit.
    public var limit: UInt = .max

    /// The values of the parameters, which stand in the strings as `$name`.
    public var parameters: [String: Any] = [:]

    private let query: Query
    let shape: PredicateRowShape

    /// Makes a query. What is wrong with a string is thrown when it is run.
    ///
    /// - Parameters:
    ///   - database: The database to ask.
    ///   - where: The condition on documents; nil for all documents.
    ///   - groupBy: Rows that agree in all of these make one row of the results.
    ///   - having: The condition on those groups.
    ///   - returning: The columns; nil for the document's ID and sequence.
    ///   - distinct: Whether equal rows are given once.
    ///   - orderBy: The order of the rows; nil for the order of the documents' IDs, an empty array for any.
    public init(
        from database: Database,
        where: (any QueryPredicate)? = nil,
        groupBy: [any QueryPredicateExpression]? = nil,
        having: (any QueryPredicate)? = nil,
        returning: [any QueryPredicateExpression]? = nil,
        distinct: Bool = false,
        orderBy: [any QuerySortDescriptor]? = nil
    ) {
        self.database = database
        let draft = PredicateDraft(
            condition: `where`,
            grouping: groupBy,
            groupCondition: having,
            results: returning,
            isDistinct: distinct,
            ordering: orderBy
        )
        let made = Swift.Result { () throws(QueryError) in try draft.select() }
        query = Query(QueryDraft(select: made.map(\.0), database: database, tellsMatches: true))
        shape = (try? made.get().1) ?? PredicateRowShape(columnCount: 0, identityColumn: nil)
    }

    /// Finds out whether the query can be run.
    ///
    /// - Throws: `invalidQuery` when a string cannot be understood, with the position of the error; `missingIndex` when there
    ///   is no full-text index of a property that is matched; `notOpen` once the database is closed.
    public func check() throws {
        try throwingPublicErrors { _ = try query.prepare() }
    }

    /// How the query is run; see ``Query/explain()``.
    ///
    /// - Throws: As ``check()``.
    public func explain() throws -> String {
        try query.explain()
    }

    /// Runs the query on the database as it is now.
    ///
    /// - Throws: As ``check()``; `invalidQueryParam` for a parameter that has no value, or that the query does not have.
    public func run() throws -> QueryIterator {
        try QueryIterator(results(), shape: shape, of: query)
    }

    /// Runs the query, and gives the documents that its rows stand for.
    ///
    /// - Throws: As ``run()``; `invalidQuery` when rows do not stand for single documents.
    public func allDocuments() throws -> DocumentIterator {
        guard let column = shape.identityColumn else {
            try check()
            throw NSError.couchbaseLite(code: CBLError.invalidQuery, message: "The rows of the query do not stand for single documents")
        }
        return DocumentIterator(try results(), idColumn: column)
    }

    private func results() throws -> ResultSet {
        let values = Parameters()
        for (name, value) in parameters { values.setValue(value, forName: name) }
        try throwingPublicErrors {
            let (_, _, prepared) = try query.prepare()
            let own = [PredicateDraft.offsetParameter, PredicateDraft.limitParameter]
            for name in prepared.compiled.parameterNames where parameters[name] == nil && !own.contains(name) {
                throw QueryError(.invalidQueryParameter, "The parameter '$\(name)' has no value")
            }
        }
        if offset != 0 { values.setInt64(Int64(clamping: offset), forName: PredicateDraft.offsetParameter) }
        if limit != .max { values.setInt64(Int64(clamping: limit), forName: PredicateDraft.limitParameter) }
        query.parameters = values
        return try query.execute()
    }
}

@available(*, deprecated, message: "Use Database.createQuery(_:) with SQL++, or Collection.query(of:where:)")
extension Database {
    /// Makes a query of predicate strings; see ``PredicateQuery/init(from:where:groupBy:having:returning:distinct:orderBy:)``.
    public func createQuery(
        where: (any QueryPredicate)? = nil,
        groupBy: [any QueryPredicateExpression]? = nil,
        having: (any QueryPredicate)? = nil,
        returning: [any QueryPredicateExpression]? = nil,
        distinct: Bool = false,
        orderBy: [any QuerySortDescriptor]? = nil
    ) -> PredicateQuery {
        PredicateQuery(
            from: self,
            where: `where`,
            groupBy: groupBy,
            having: having,
            returning: returning,
            distinct: distinct,
            orderBy: orderBy
        )
    }

    /// Makes a query in the spelling of the first preview; see ``createQuery(where:groupBy:having:returning:distinct:orderBy:)``.
    public func createQuery(
        _ where: any QueryPredicate,
        orderBy: [any QuerySortDescriptor]?,
        returning: [any QueryPredicateExpression]? = nil
    ) -> PredicateQuery {
        PredicateQuery(from: self, where: `where`, returning: returning, orderBy: orderBy)
    }

    /// Makes a query in the spelling of the first preview; see ``createQuery(where:groupBy:having:returning:distinct:orderBy:)``.
    public func createQuery(_ where: any QueryPredicate, returning: [any QueryPredicateExpression]) -> PredicateQuery {
        PredicateQuery(from: self, where: `where`, returning: returning)
    }

    /// All documents of the default collection as they are now, in the order of their IDs. None once the database is closed.
    public var allDocuments: DocumentIterator {
        (try? createQuery().allDocuments()) ?? DocumentIterator()
    }
}

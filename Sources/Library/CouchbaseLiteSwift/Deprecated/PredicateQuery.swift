import DatabaseRuntime
import ModelCoding
import QueryEngine
import QueryLanguage

// The parts of predicate queries of the developer previews. Strings are accepted on all platforms; `NSPredicate` and related types have no
// text form on Linux and are accepted only on Apple platforms.

/// A condition of a ``PredicateQuery``: a predicate string, a WHERE expression as a JSON array, or a whole query as a JSON object; on Apple
/// platforms also an `NSPredicate`.
@available(*, deprecated, message: "Use Database.createQuery(_:) with SQL++, or ModelCollection.query(where:)")
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

#if canImport(Darwin)
@available(*, deprecated) extension NSPredicate: QueryPredicate {}
@available(*, deprecated) extension NSExpression: QueryPredicateExpression, QuerySortDescriptor {}
@available(*, deprecated) extension NSSortDescriptor: QuerySortDescriptor {}
#endif

/// A query of the default collection written in predicate strings, as in the developer previews.
///
/// ```swift
/// let query = database.createQuery(where: "type == 'hotel' AND stars >= $stars", orderBy: ["-stars", "name[c]"])
/// query.parameters = ["stars": 4]
/// for row in try query.run() { print(row.document.string(forKey: "name") ?? "") }
/// ```
///
/// Not thread-safe.
@available(*, deprecated, message: "Use Database.createQuery(_:) with SQL++, or ModelCollection.query(where:)")
public class PredicateQuery {
    /// The database that the query reads.
    public let database: Database

    /// The number of rows to skip at the beginning. Default: 0.
    public var offset: UInt = 0

    /// The maximum number of rows. Default: no limit.
    public var limit: UInt = .max

    /// The values of the parameters by name; the strings refer to them as `$name`. Default: none. Every parameter in the strings needs a
    /// value. A value of a type that documents cannot store is a programming error.
    public var parameters: [String: Any] = [:]

    private let query: Query
    let shape: PredicateRowShape

    /// Creates a query. An invalid string makes the query throw when it is checked, explained or run.
    ///
    /// `returning` has the columns: `nil` selects the document's ID and sequence. If `orderBy` is `nil`, rows are ordered by document ID;
    /// an empty array leaves the order unspecified.
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
        let made = Swift.Result { () throws(QueryError) in
            try PredicateForm.query(
                where: `where`,
                groupBy: groupBy,
                having: having,
                returning: returning,
                isDistinct: distinct,
                orderBy: orderBy
            )
        }
        query = Query(QueryDraft(tree: made.map(\.0), database: database), reportsMatches: true)
        shape = (try? made.get().1) ?? .none
    }

    /// Compiles the query to check whether it can be run.
    ///
    /// - Throws: `invalidQuery` if a string is invalid, with the position of the error; `missingIndex` if there is no full-text index of a
    ///   property that is matched; `notOpen` if the database is closed.
    public func check() throws { try throwingPublicErrors { _ = try query.prepare() } }

    /// Returns a technical description of how the query is run; see ``Query/explain()``. Throws as ``check()``.
    public func explain() throws -> String { try query.explain() }

    /// Runs the query and returns its rows. All rows are read before the function returns and are held in memory; see ``Query/execute()``.
    ///
    /// - Throws: As ``check()``; `invalidQueryParam` if a parameter of the query has no value, or if ``parameters`` has one that the query
    ///   does not have.
    public func run() throws -> QueryIterator { try QueryIterator(results(), shape: shape, of: query) }

    /// Runs the query and returns the documents of its rows. The documents are loaded one by one during the iteration.
    ///
    /// - Throws: As ``run()``; `invalidQuery` if the rows do not belong to single documents.
    public func allDocuments() throws -> DocumentIterator {
        guard let column = shape.identityColumn else {
            try check()
            throw LibraryError(CBLError.invalidQuery, "The rows of the query do not belong to single documents")
        }
        return DocumentIterator(try results(), idColumn: column)
    }

    private func results() throws -> ResultSet {
        let values = Parameters()
        for (name, value) in parameters { values.setValue(value, forName: name) }
        try throwingPublicErrors {
            let names = try query.prepare().1.compiled.parameterNames
            try PredicateRowShape.checkParameters(names) { parameters[$0] != nil }
        }
        if offset != 0 { values.setInt64(Int64(clamping: offset), forName: PredicateRowShape.offsetParameter) }
        if limit != .max { values.setInt64(Int64(clamping: limit), forName: PredicateRowShape.limitParameter) }
        query.parameters = values
        return try query.execute()
    }
}

@available(*, deprecated, message: "Use Database.createQuery(_:) with SQL++, or ModelCollection.query(where:)")
extension Database {
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

    public func createQuery(
        _ where: any QueryPredicate,
        orderBy: [any QuerySortDescriptor]?,
        returning: [any QueryPredicateExpression]? = nil
    ) -> PredicateQuery { PredicateQuery(from: self, where: `where`, returning: returning, orderBy: orderBy) }

    public func createQuery(_ where: any QueryPredicate, returning: [any QueryPredicateExpression]) -> PredicateQuery {
        PredicateQuery(from: self, where: `where`, returning: returning)
    }

    /// All documents of the default collection, in the order of their IDs. Empty if the database is closed or cannot be read.
    ///
    /// Each access reads all document IDs into memory; the documents are loaded one by one during the iteration.
    ///
    /// - Complexity: O(*n*) in the number of documents.
    public var allDocuments: DocumentIterator { (try? createQuery().allDocuments()) ?? DocumentIterator(nil) }
}

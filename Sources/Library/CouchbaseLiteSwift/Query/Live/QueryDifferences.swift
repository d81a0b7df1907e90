import DatabaseRuntime
import QueryEngine
import QueryLanguage

/// How rows of new results are matched with rows of the old results. A matched row may have other values or another position.
public enum ResultIdentity: Hashable, Sendable {
    /// By the document IDs, if the query selects them; otherwise by all values.
    case automatic
    /// By the value of the column with that title. Rows with the same value are matched in their order.
    case column(String)
    /// By all values: a row with any other value counts as another row.
    case wholeRow
}

/// An asynchronous sequence of the changes in the results of a query, created by ``Query/differences(by:)``.
///
/// In the first element all rows are inserted, even if there are none. A further element follows whenever rows were added or removed, or
/// have other values or another position. A slow consumer gets several changes combined in one element, which always leads from the rows of
/// the previous element to the current rows. Otherwise the rules of ``QueryResults`` apply. The old and the new rows are both held in
/// memory.
public struct QueryDifferences: AsyncSequence, Sendable {
    /// The errors that iterating may throw; see ``AsyncIterator/next()``.
    public typealias Failure = any Error

    fileprivate let subscription: QuerySubscription
    fileprivate let select: Swift.Result<SelectStatement, QueryError>
    fileprivate let identity: ResultIdentity

    init(_ query: Query, by identity: ResultIdentity) {
        subscription = QuerySubscription(query)
        select = query.draft.tree
        self.identity = identity
    }

    /// Returns an iterator. Create only one: several iterators would each get a part of the changes.
    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(differences: self) }

    /// Returns the differences one after the other.
    public struct AsyncIterator: AsyncIteratorProtocol {
        private let differences: QueryDifferences
        private var comparison = RowComparison()

        fileprivate init(differences: QueryDifferences) { self.differences = differences }

        /// Returns what has changed since the last call, waiting for a change if necessary; `nil` at the end.
        ///
        /// - Throws: Once, the error because of which the query cannot be run; `invalidQuery` if the column given for
        ///   ``ResultIdentity/column(_:)`` does not exist.
        public mutating func next() async throws -> ResultDifference? { try await next(isolation: nil) }

        /// As ``next()``, on the actor `actor`.
        public mutating func next(isolation actor: isolated (any Actor)?) async throws -> ResultDifference? {
            while let (rows, database) = try await differences.subscription.next(isolation: actor) {
                let rowIdentity = try throwingPublicErrors { try identity(in: rows) }
                if let change = comparison.change(to: rows, by: rowIdentity) { return ResultDifference(change, in: database) }
            }
            return nil
        }

        private func identity(in rows: RecordedRows) throws -> RowIdentity {
            switch differences.identity {
            case .automatic: RowIdentity(documentIDsOf: try differences.select.get())
            case .wholeRow: .wholeRow
            case .column(let title): try .column(title, of: rows)
            }
        }
    }
}

extension Query {
    /// Returns the changes in the results of the query, as an asynchronous sequence that starts with all current rows as inserted ones.
    ///
    /// ```swift
    /// for try await difference in query.differences() {
    ///     difference.apply(to: &names) { row in row.string(forKey: "name") ?? "" }
    ///     table.reload(difference)
    /// }
    /// ```
    ///
    /// Comparing 10,000 rows of which a few have changed takes about a millisecond.
    ///
    /// - Complexity: For each change one run of the query, and O(*n* log *n*) in the number of rows to compare.
    /// - Parameter identity: How old and new rows are matched. The default is right for queries that select `meta().id`.
    public func differences(by identity: ResultIdentity = .automatic) -> QueryDifferences { QueryDifferences(self, by: identity) }
}

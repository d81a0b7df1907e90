import QueryEngine

/// What makes a row of new results the same row as one of the old results, though it may have other values or another place.
public enum ResultIdentity: Hashable, Sendable {
    /// The IDs of the documents, if the query selects them; otherwise all values.
    case automatic
    /// The value of the column with that title. Rows with the same value are taken in their order.
    case column(String)
    /// All values: a row with another value is another row.
    case wholeRow
}

/// What changes in the results of a query: made by ``Query/differences(by:)``.
///
/// In the first element all rows are inserted ones, even if there are none. After that there is one whenever rows have come or
/// gone, or have other values or places. Whoever is slow gets several changes in one element: it always leads from the rows of the
/// element before to those there are now. For the rest the rules are those of ``QueryResults``.
public struct QueryDifferences: AsyncSequence, Sendable {
    public typealias Failure = any Error

    private let subscription: QuerySubscription
    private let select: Swift.Result<QueryEngine.Select, QueryError>
    private let identity: ResultIdentity

    init(_ query: Query, by identity: ResultIdentity) {
        subscription = QuerySubscription(query)
        select = query.draft.select
        self.identity = identity
    }

    public func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator(subscription: subscription, select: select, identity: identity)
    }

    /// Takes differences as they come.
    public struct AsyncIterator: AsyncIteratorProtocol {
        fileprivate let subscription: QuerySubscription
        fileprivate let select: Swift.Result<QueryEngine.Select, QueryError>
        fileprivate let identity: ResultIdentity
        private var old: ResultTable?

        fileprivate init(subscription: QuerySubscription, select: Swift.Result<QueryEngine.Select, QueryError>, identity: ResultIdentity) {
            self.subscription = subscription
            self.select = select
            self.identity = identity
        }

        /// What has changed since the last call; nil at the end.
        public mutating func next() async throws -> ResultDifference? {
            try await next(isolation: nil)
        }

        /// What has changed since the last call; nil at the end.
        public mutating func next(isolation actor: isolated (any Actor)?) async throws -> ResultDifference? {
            while let (rows, database) = try await subscription.next(isolation: actor) {
                let new = ResultTable(rows, database: database)
                let nothing = ResultTable(RecordedRows(columnTitles: new.titles), database: database)
                let difference = ResultDifference(from: old ?? nothing, to: new, by: try rowIdentity(in: new))
                let isFirst = old == nil
                old = new
                if isFirst || !difference.isEmpty { return difference }
            }
            return nil
        }

        private func rowIdentity(in table: ResultTable) throws -> RowIdentity {
            switch identity {
            case .automatic: return try throwingPublicErrors { RowIdentity(documentIDsOf: try select.get()) }
            case .wholeRow: return .wholeRow
            case .column(let title):
                guard let column = table.index(of: title) else {
                    throw NSError.couchbaseLite(
                        code: CBLError.invalidQuery,
                        message: "The query has no column \"\(title)\" by which its rows could be told apart"
                    )
                }
                return .column(column)
            }
        }
    }
}

extension Query {
    /// What changes in the results of the query, beginning with all rows there are.
    ///
    /// ```swift
    /// for try await difference in query.differences() {
    ///     difference.apply(to: &names) { row in row.string(forKey: "name") ?? "" }
    ///     table.reload(difference)
    /// }
    /// ```
    ///
    /// The differences of 10,000 rows of which a few have changed are found in a millisecond or so.
    ///
    /// - Parameter identity: What makes rows the same. A query that selects `meta().id` needs to say nothing.
    public func differences(by identity: ResultIdentity = .automatic) -> QueryDifferences {
        QueryDifferences(self, by: identity)
    }
}

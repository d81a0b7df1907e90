/// The results of a query, and again whenever they have changed: made by ``Query/results()``.
///
/// The first element are the results as they are when somebody begins to listen, even if they are empty. Only the newest results
/// are kept until they are taken: whoever is slow misses those in between, never the last ones. When the query is run is said
/// at ``Query/addChangeListener(withQueue:_:)``.
///
/// The sequence ends when the database is closed; when the last reference to the database goes, which the sequence does not keep
/// open; and when the task that iterates is cancelled. When the query cannot be run it throws why, and ends. It stops
/// listening when nobody has it or its iterator any more. Iterate over it once: several iterators share the results among them.
public struct QueryResults: AsyncSequence, Sendable {
    public typealias Failure = any Error

    private let subscription: QuerySubscription

    init(_ query: Query) {
        subscription = QuerySubscription(query)
    }

    public func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator(subscription: subscription)
    }

    /// Takes results as they come.
    public struct AsyncIterator: AsyncIteratorProtocol {
        fileprivate let subscription: QuerySubscription

        /// The newest results; nil at the end.
        public mutating func next() async throws -> ResultSet? {
            try await next(isolation: nil)
        }

        /// The newest results; nil at the end.
        public mutating func next(isolation actor: isolated (any Actor)?) async throws -> ResultSet? {
            guard let (rows, database) = try await subscription.next(isolation: actor) else { return nil }
            return ResultSet(rows, database: database)
        }
    }
}

extension Query {
    /// The results of the query, and again whenever they have changed.
    ///
    /// ```swift
    /// for try await results in query.results() {
    ///     show(try results.data(as: Airport.self))
    /// }
    /// ```
    public func results() -> QueryResults {
        QueryResults(self)
    }
}

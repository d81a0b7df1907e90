import DatabaseRuntime
import QueryEngine
import QueryLanguage

/// An asynchronous sequence of the results of a query, created by ``Query/results()``: the current results, and the new ones whenever they
/// change.
///
/// The first element has the results at the start of the observation, even if they are empty. Only the newest results are kept until they
/// are taken: a slow consumer misses intermediate results, but never the last ones. ``Query/addChangeListener(withQueue:_:)`` describes
/// when the query is run.
///
/// The sequence ends when the database is closed, when the last reference to the database is released (the sequence does not retain it),
/// and when the iterating task is cancelled. If the query cannot be run, it throws the error and ends. The observation stops when the
/// sequence and its iterators are released. Use one iterator only: several iterators would each get a part of the results.
public struct QueryResults: AsyncSequence, Sendable {
    /// The errors that iterating may throw; see ``AsyncIterator/next()``.
    public typealias Failure = any Error

    private let subscription: QuerySubscription

    init(_ query: Query) { subscription = QuerySubscription(query) }

    /// Returns an iterator. Create only one: several iterators would each get a part of the results.
    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(subscription: subscription) }

    /// Returns the results one after the other.
    public struct AsyncIterator: AsyncIteratorProtocol {
        fileprivate let subscription: QuerySubscription

        /// Returns the newest results, waiting for a change if the last ones were already taken; `nil` at the end.
        ///
        /// - Throws: Once, the error because of which the query cannot be run.
        public mutating func next() async throws -> ResultSet? { try await next(isolation: nil) }

        /// As ``next()``, on the actor `actor`.
        public mutating func next(isolation actor: isolated (any Actor)?) async throws -> ResultSet? {
            guard let (rows, database) = try await subscription.next(isolation: actor) else { return nil }
            return ResultSet(rows, database: database)
        }
    }
}

extension Query {
    /// Returns the results of the query as an asynchronous sequence: the current results, and the new ones whenever they change.
    ///
    /// ```swift
    /// for try await results in query.results() {
    ///     show(try results.data(as: Airport.self))
    /// }
    /// ```
    ///
    /// The observation starts at this call, not with the first iteration.
    public func results() -> QueryResults { QueryResults(self) }
}

/// The newest results of a query, which are taken by a task, and their database, which is not retained.
struct QuerySubscription: Sendable {
    private let database: @Sendable () -> Database?
    private let rows: RowSubscription

    init(_ query: Query) {
        database = { [weak database = query.draft.database] in database }
        rows = RowSubscription(query.observer)
    }

    /// Returns the newest rows that have not been taken yet, and their database; `nil` at the end. Cancelling the task ends the
    /// subscription.
    ///
    /// - Throws: The error because of which the query cannot be run, once.
    func next(isolation: isolated (any Actor)?) async throws -> (rows: RecordedRows, database: Database)? {
        do {
            guard let rows = try await rows.next(isolation: isolation), let database = self.database() else { return nil }
            return (rows, database)
        } catch {
            throw publicError(error)
        }
    }
}

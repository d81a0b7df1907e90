import DatabaseRuntime
import QueryEngine

/// The newest results of a query, which are taken by a task, and their database, which is not retained.
struct QuerySubscription: Sendable {
    private let database: @Sendable () -> Database?
    private let rows: RowSubscription

    init(_ query: Query) {
        do {
            let (database, observer) = try query.observer()
            self = QuerySubscription(
                database: { [weak database] in database },
                rows: RowSubscription(database.core.observedQueries, observer)
            )
        } catch {
            self = QuerySubscription(failingWith: error)
        }
    }

    /// Creates a subscription to a query that cannot be observed.
    init(failingWith error: any Error) { self = QuerySubscription(database: { nil }, rows: RowSubscription(failingWith: error)) }

    private init(database: @escaping @Sendable () -> Database?, rows: RowSubscription) { (self.database, self.rows) = (database, rows) }

    /// Returns the newest rows that have not been taken yet, and their database; `nil` at the end. Cancelling the task ends the
    /// subscription.
    ///
    /// - Throws: The error because of which the query cannot be run, once.
    func next(isolation: isolated (any Actor)?) async throws -> (rows: RecordedRows, database: Database)? {
        do {
            guard let rows = try await rows.next(isolation: isolation), let database = database() else { return nil }
            return (rows, database)
        } catch {
            throw publicError(error)
        }
    }
}

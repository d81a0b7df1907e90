import DatabaseRuntime
import QueryEngine

/// A listener of a query whose newest results are taken by a task. It observes the query until it is released.
final class QuerySubscription: Sendable {
    /// A weak reference to the database.
    private let database: @Sendable () -> Database?
    private let latest = AsyncBuffer<LatestValue<RecordedRows>, any Error>()
    private let removal: ListenerRemoval

    init(_ query: Query) {
        do {
            let (database, observer) = try throwingPublicErrors { try query.observer() }
            self.database = { [weak database] in database }
            removal = database.observedQueries.add(
                to: observer,
                receive: { [latest, weak queries = database.observedQueries] number, outcome in
                    switch outcome {
                    case .success(let rows): latest.set(rows)
                    case .failure(let error):
                        // The sequence ends with the error, so the query need not run again for it.
                        queries?.remove(number)
                        latest.fail(publicError(error))
                    }
                },
                finish: { [latest] in latest.finish() }
            )
        } catch {
            database = { nil }
            removal = {}
            latest.fail(error)
        }
    }

    deinit {
        removal()
    }

    /// Returns the newest rows that have not been taken yet, and their database; `nil` at the end. Cancelling the task ends the
    /// subscription.
    ///
    /// - Throws: The error because of which the query cannot be run, once.
    func next(isolation: isolated (any Actor)?) async throws -> (rows: RecordedRows, database: Database)? {
        let rows = try await withTaskCancellationHandler(
            operation: { try await latest.next(isolation: isolation) },
            onCancel: {
                removal()
                latest.finish()
            },
            isolation: isolation
        )
        guard let rows, !Task.isCancelled, let database = database() else { return nil }
        return (rows, database)
    }
}

package import QueryEngine

/// A listener of a query whose newest rows are taken by a task. It observes the query until it is released.
package final class RowSubscription: Sendable {
    private let latest = AsyncBuffer<LatestValue<RecordedRows>, any Error>()
    private let removal: ListenerRemoval

    package init(_ queries: ObservedQueries, _ observer: QueryObserver) {
        removal = queries.add(
            to: observer,
            receive: { [latest, weak queries] number, outcome in
                switch outcome {
                case .success(let rows): latest.set(rows)
                case .failure(let error):
                    // The sequence ends with the error, so the query need not run again for it.
                    queries?.remove(number)
                    latest.fail(error)
                }
            },
            finish: { [latest] in latest.finish() }
        )
    }

    /// Creates a subscription to a query that cannot be observed.
    package init(failingWith error: any Error) {
        removal = {}
        latest.fail(error)
    }

    deinit { removal() }

    /// Returns the newest rows that have not been taken yet; `nil` at the end. Cancelling the task ends the subscription.
    ///
    /// - Throws: The error because of which the query cannot be run, once.
    package func next(isolation: isolated (any Actor)?) async throws -> RecordedRows? {
        let rows = try await withTaskCancellationHandler(
            operation: { try await latest.next(isolation: isolation) },
            onCancel: {
                removal()
                latest.finish()
            },
            isolation: isolation
        )
        return Task.isCancelled ? nil : rows
    }
}

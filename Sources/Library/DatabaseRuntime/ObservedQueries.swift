package import Dispatch
package import QueryEngine
import Synchronization

/// The queries with listeners, of one `Database` object.
///
/// Retains their observers, so that a query stays observed even if the app releases it. Observers do not retain the database.
package final class ObservedQueries: Sendable {
    private struct Listener: Sendable {
        let observer: QueryObserver
        let number: Int
        let finish: @Sendable () -> Void
    }

    private struct State {
        var listeners: [Int: Listener] = [:]
        var nextNumber = 0
        var isStopped = false
    }

    private let state = Mutex(State())

    package init() {}

    /// Adds a listener that is called on a queue. The queue must be serial.
    package func add(
        to observer: QueryObserver,
        queue: DispatchQueue,
        notify: @escaping @Sendable (QueryObserver.Outcome) -> Void
    ) -> ListenerRemoval {
        add(
            to: observer,
            receive: { [weak self] number, outcome in
                queue.async { [weak self] in
                    // The listener may have been removed since this call was queued.
                    guard let self, state.withLock({ $0.listeners[number] != nil }) else { return }
                    notify(outcome)
                }
            }
        )
    }

    /// Adds a listener to an observer.
    ///
    /// - Parameters:
    ///   - receive: Called with the number of the listener, and with the rows or an error. It must return quickly.
    ///   - finish: Called when no more results will follow, but not when the listener is removed.
    package func add(
        to observer: QueryObserver,
        receive: @escaping @Sendable (Int, QueryObserver.Outcome) -> Void,
        finish: @escaping @Sendable () -> Void = {}
    ) -> ListenerRemoval {
        let number = state.withLock { state -> Int? in
            guard !state.isStopped else { return nil }
            state.nextNumber += 1
            let number = state.nextNumber
            let inner = observer.addListener { receive(number, $0) }
            state.listeners[number] = Listener(observer: observer, number: inner, finish: finish)
            return number
        }
        guard let number else {
            finish()
            return {}
        }
        return { [weak self] in self?.remove(number) }
    }

    /// Removes a listener; does nothing if it has been removed.
    package func remove(_ number: Int) {
        // Released outside the lock: releasing what the listener's closure captures may remove other listeners.
        let removed = state.withLock { $0.listeners.removeValue(forKey: number) }
        removed?.observer.removeListener(removed?.number ?? 0)
    }

    /// Pauses all runs until ``resume()`` or ``stop()``: results read while the database is being closed would be discarded.
    func suspend() {
        for listener in listeners { listener.observer.suspend() }
    }

    /// Continues after ``suspend()``: queries run again if their collections have changed since.
    func resume() {
        for listener in listeners { listener.observer.resume() }
    }

    /// Removes all listeners, and refuses new ones.
    package func stop() {
        let listeners = state.withLock { state in
            state.isStopped = true
            defer { state.listeners.removeAll() }
            return state.listeners
        }
        for listener in listeners.values {
            listener.observer.removeListener(listener.number)
            listener.finish()
        }
    }

    private var listeners: [Listener] { state.withLock { Array($0.listeners.values) } }
}

/// A listener of a query whose newest rows are taken by a task. It observes the query until it is released.
package final class RowSubscription: Sendable {
    private let latest = AsyncBuffer<LatestValue<RecordedRows>, any Error>()
    private let removal: ListenerRemoval

    /// Begins to observe the query.
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

    /// Creates a subscription to a query, whose observer `source` returns. If it throws, so does the subscription.
    package convenience init(_ source: () throws -> (ObservedQueries, QueryObserver)) {
        do {
            let (queries, observer) = try source()
            self.init(queries, observer)
        } catch {
            self.init(failingWith: error)
        }
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
        try await latest.next(isolation: isolation, removing: removal)
    }
}

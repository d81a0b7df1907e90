import QueryEngine
import Synchronization

/// The queries with listeners, of one `Database` object.
///
/// Retains their observers, so that a query stays observed even if the app releases it. Observers do not retain the database.
final class ObservedQueries: Sendable {
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

    /// Adds a listener to an observer.
    ///
    /// - Parameters:
    ///   - receive: Called with the number of the listener, and with the rows or an error. It must return quickly.
    ///   - finish: Called when no more results will follow, but not when the listener is removed.
    func add(
        to observer: QueryObserver,
        receive: @escaping @Sendable (Int, QueryObserver.Outcome) -> Void,
        finish: @escaping @Sendable () -> Void = {}
    ) -> ListenerToken {
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
            return ListenerToken {}
        }
        return ListenerToken { [weak self] in self?.remove(number) }
    }

    func contains(_ number: Int) -> Bool {
        state.withLock { $0.listeners[number] != nil }
    }

    /// Removes a listener; does nothing if it has been removed.
    func remove(_ number: Int) {
        // Released outside the lock: releasing what the listener's closure captures may remove other listeners.
        let removed = state.withLock { $0.listeners.removeValue(forKey: number) }
        removed?.observer.removeListener(removed?.number ?? 0)
    }

    // MARK: The end

    /// Pauses all runs until ``resume()`` or ``stop()``: results read while the database is being closed would be discarded.
    func suspend() {
        for listener in listeners { listener.observer.suspend() }
    }

    func resume() {
        for listener in listeners { listener.observer.resume() }
    }

    /// Removes all listeners, and refuses new ones.
    func stop() {
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

import QueryEngine
import Synchronization

/// The queries of one `Database` object that somebody listens to.
///
/// It keeps their observers, so that a query that nobody else keeps goes on being observed; observers do not keep the database.
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

    /// Adds a listener of an observer.
    ///
    /// - Parameters:
    ///   - receive: Is given the number of the listener, and the rows or an error; it must be brief.
    ///   - finish: Is called when nothing more is going to come. Not called when the listener is removed.
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

    private func remove(_ number: Int) {
        // What the listener refers to must go outside the lock: it may remove listeners in turn.
        let removed = state.withLock { $0.listeners.removeValue(forKey: number) }
        removed?.observer.removeListener(removed?.number ?? 0)
    }

    // MARK: The end

    /// Runs nothing until ``resume()`` or ``stop()``: what is read while the database is being closed is of no use.
    func suspend() {
        for listener in listeners { listener.observer.suspend() }
    }

    func resume() {
        for listener in listeners { listener.observer.resume() }
    }

    /// Drops all listeners, for good.
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

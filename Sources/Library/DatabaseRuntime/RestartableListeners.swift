import Synchronization

/// Listeners that are registered at their source while they are started. When they are stopped, they are kept for the next start.
package final class RestartableListeners<Listener: Sendable>: Sendable {
    /// Registers a listener at the source, and returns the function that removes it there.
    package typealias Registration = (Listener) -> ListenerRemoval

    private struct Registered {
        let remove: ListenerRemoval
    }

    private struct State {
        /// The listeners by their numbers. Number 0 is the permanent one.
        var listeners: [Int: Listener]
        var nextNumber = 1
        /// What is registered at the source; empty while the listeners are stopped.
        var registered: [Int: Registered] = [:]

        mutating func start(_ register: Registration) {
            for (number, listener) in listeners.sorted(by: { $0.key < $1.key }) {
                registered[number] = Registered(remove: register(listener))
            }
        }
    }

    private let state: Mutex<State>

    /// Creates stopped listeners.
    ///
    /// - Parameter permanent: A listener that is registered before all others, and cannot be removed.
    package init(permanent: Listener) { state = Mutex(State(listeners: [0: permanent])) }

    /// Registers all listeners; does nothing if they are started. The lock is held meanwhile.
    package func start(_ register: Registration) {
        state.withLock { state in if state.registered.isEmpty { state.start(register) } }
    }

    /// Removes all listeners from the source.
    package func stop() {
        let registered = state.withLock { state in
            defer { state.registered = [:] }
            return state.registered
        }
        for listener in registered.values { listener.remove() }
    }

    /// Adds a listener, and starts all of them.
    package func add(_ listener: Listener, _ register: Registration) -> ListenerRemoval {
        let number = state.withLock { state in
            let number = state.nextNumber
            state.nextNumber += 1
            state.listeners[number] = listener
            // Under the same lock, so that a concurrent `stop()` leaves either all listeners registered or none.
            if state.registered.isEmpty {
                state.start(register)
            } else {
                state.registered[number] = Registered(remove: register(listener))
            }
            return number
        }
        return { [weak self] in self?.remove(number) }
    }

    private func remove(_ number: Int) {
        // The listener is released outside the lock: it may be a closure of the app, whose release can run any code.
        let (listener, registered) = state.withLock { state in
            (state.listeners.removeValue(forKey: number), state.registered.removeValue(forKey: number))
        }
        registered?.remove()
        withExtendedLifetime(listener) {}
    }
}

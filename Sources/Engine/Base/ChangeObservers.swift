import Synchronization

/// Functions that are called after each change of something, until their observations are released. Thread-safe.
package final class ChangeObservers: Sendable {
    /// A closure stored directly in a mutex would be wrapped again by each access.
    private struct Observer {
        let changed: @Sendable () -> Void
    }

    private struct State {
        var observers: [Int: Observer] = [:]
        var lastNumber = 0
    }

    private let state = Mutex(State())

    package init() {}

    /// The number of functions that would be called now.
    package var count: Int { state.withLock { $0.observers.count } }

    /// Adds a function. It is called until the result is released, by the threads that call ``notify()``, so it must return quickly.
    package func add(_ changed: @escaping @Sendable () -> Void) -> ChangeObservation {
        let number = state.withLock { state in
            state.lastNumber += 1
            state.observers[state.lastNumber] = Observer(changed: changed)
            return state.lastNumber
        }
        return ChangeObservation { [weak self] in self?.remove(number) }
    }

    /// Calls all functions. Must be called outside of locks.
    package func notify() {
        let observers = state.withLock { Array($0.observers.values) }
        for observer in observers { observer.changed() }
    }

    private func remove(_ number: Int) {
        // The function is released outside of the lock.
        let removed = state.withLock { $0.observers.removeValue(forKey: number) }
        withExtendedLifetime(removed) {}
    }
}

/// An observation of something that ends when this object is released.
package final class ChangeObservation: Sendable {
    private let end: @Sendable () -> Void

    /// - Parameter end: Ends the observation. Called once.
    package init(_ end: @escaping @Sendable () -> Void) { self.end = end }

    deinit { end() }
}

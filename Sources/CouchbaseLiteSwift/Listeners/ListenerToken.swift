import Synchronization

/// Stands for a listener that has been added, and removes it. Dropping it leaves the listener where it is.
public class ListenerToken: @unchecked Sendable {
    // Unchecked because the class is open to the module's own subclasses; its one property is a lock.
    private let state: Mutex<State>

    /// A closure bare in a mutex would be wrapped once more by every access.
    private struct State {
        var removal: (@Sendable () -> Void)?
    }

    init(_ removal: @escaping @Sendable () -> Void) {
        state = Mutex(State(removal: removal))
    }

    /// Removes the listener. A call that is on its way already may still arrive. Removing twice is harmless.
    public func remove() {
        let removal = state.withLock { state in
            defer { state.removal = nil }
            return state.removal
        }
        removal?()
    }
}

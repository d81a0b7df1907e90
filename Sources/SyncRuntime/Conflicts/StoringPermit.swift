#if Replication
import Synchronization

/// Decides between a task that stores a result and a replicator that stops: nothing is stored after the replicator has stopped.
final class StoringPermit: Sendable {
    private struct State {
        var isStoring = false
        var isRevoked = false
    }

    private let state = Mutex(State())

    /// Begins to store a result. Returns `false` if the permit was revoked.
    func begin() -> Bool {
        state.withLock { state in
            state.isStoring = !state.isRevoked
            return state.isStoring
        }
    }

    /// Ends storing without a result, because the document was changed concurrently. After a stored result it is not called: the task is
    /// about to report it.
    func end() {
        state.withLock { $0.isStoring = false }
    }

    /// Revokes the permit. Returns `false` if a result is being stored.
    func revoke() -> Bool {
        state.withLock { state in
            state.isRevoked = true
            return !state.isStoring
        }
    }
}
#endif

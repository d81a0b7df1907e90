#if Replication
import Synchronization

/// The memory that the bodies of all requests, or of all responses, of a server may take.
package final class BodyBudget: Sendable {
    private let free: Atomic<Int>

    /// Creates a budget of so many bytes.
    package init(bytes: Int) { free = Atomic(bytes) }

    /// Takes memory from the budget. Returns `false` if there is not enough.
    package func reserve(_ count: Int) -> Bool {
        guard free.subtract(count, ordering: .relaxed).newValue < 0 else { return true }
        release(count)
        return false
    }

    /// Returns memory to the budget.
    package func release(_ count: Int) { free.add(count, ordering: .relaxed) }
}
#endif

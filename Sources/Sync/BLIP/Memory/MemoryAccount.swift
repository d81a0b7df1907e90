import Synchronization

/// The share of a ``MemoryBudget`` that one connection uses, within a limit of its own.
package final class MemoryAccount: Sendable {
    private struct State {
        var used = 0
        /// The bytes granted by the budget: at least ``used``, in larger steps, so that the budget is rarely asked.
        var granted = 0
    }

    private static let step = 64 << 10

    /// The most bytes that the connection may hold.
    package let limit: Int
    private let budget: MemoryBudget
    private let number: Int
    private let state = Mutex(State())

    /// Opens an account. It is closed when this object is released.
    ///
    /// - Parameter limit: The most bytes that the connection may hold, whatever the budget has left.
    package init(_ budget: MemoryBudget, limit: Int) {
        self.budget = budget
        self.limit = limit
        number = budget.open()
    }

    deinit { budget.close(number) }

    /// The number of bytes that the connection holds.
    package var used: Int { state.withLock { $0.used } }

    /// Whether all connections of the process together use more than half of the memory they may use.
    package var isBudgetShort: Bool { budget.isShort }

    /// Sets the closure that closes the connection when its memory is revoked. It is called on any thread, and must return quickly.
    package func whenRevoked(_ revoke: @escaping @Sendable () -> Void) { budget.whenRevoked(number, revoke) }

    /// Reserves bytes that are about to be allocated.
    ///
    /// - Parameter isOptional: Whether the connection also works without these bytes. They are refused if the process has no memory left,
    ///   and no other connection is closed for them.
    /// - Throws: ``BLIPError/tooMuchMemory(limit:)`` or ``BLIPError/memoryIsShort``.
    package func reserve(_ count: Int, isOptional: Bool = false) throws(BLIPError) {
        let refusal = state.withLock { state -> BLIPError? in
            guard count <= limit - state.used else { return .tooMuchMemory(limit: limit) }
            let missing = state.used + count - state.granted
            if missing > 0 {
                let wanted = (missing + Self.step - 1) / Self.step * Self.step
                guard budget.grant(number, wanted, isForced: false, mayRevoke: !isOptional) else { return .memoryIsShort }
                state.granted += wanted
            }
            state.used += count
            return nil
        }
        if let refusal { throw refusal }
    }

    /// Counts bytes that are allocated in any case, regardless of the limits.
    package func add(_ count: Int) {
        state.withLock { state in
            state.used += count
            let missing = state.used - state.granted
            guard missing > 0 else { return }
            _ = budget.grant(number, missing, isForced: true)
            state.granted += missing
        }
    }

    /// Releases bytes that were reserved or added.
    package func release(_ count: Int) {
        state.withLock { state in
            state.used -= count
            let spare = state.granted - state.used
            guard spare >= 4 * Self.step else { return }
            budget.reclaim(number, spare - Self.step)
            state.granted = state.used + Self.step
        }
    }
}

/// Bytes of an account that belong to one object: they are released with its last reference.
///
/// Only the code that has created the reservation changes the count, and never on two threads at the same time. So it needs no order with
/// other memory.
package final class MemoryReservation: Sendable {
    private let account: MemoryAccount
    private let reserved = Atomic(0)

    /// Creates an empty reservation, which returns its bytes to the account when it is released.
    package init(_ account: MemoryAccount) { self.account = account }

    deinit { account.release(reserved.load(ordering: .relaxed)) }

    /// Changes the reserved bytes to `newCount`. Must be called by the creator only, on one thread at a time. Others only hold references.
    package func resize(to newCount: Int) throws(BLIPError) {
        let count = reserved.load(ordering: .relaxed)
        if newCount > count {
            try account.reserve(newCount - count)
        } else {
            account.release(count - newCount)
        }
        reserved.store(newCount, ordering: .relaxed)
    }
}

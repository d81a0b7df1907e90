import Synchronization

/// What one connection holds of a ``MemoryBudget``, within a limit of its own.
package final class MemoryAccount: Sendable {
    private struct State {
        var used = 0
        /// What the budget has granted: at least ``used``, in larger steps, so that the budget is rarely asked.
        var granted = 0
    }

    /// Why something could not be reserved.
    package enum Refusal: Error, Hashable, Sendable {
        /// The connection would hold more than it may.
        case connectionIsFull(limit: Int)
        /// All connections together hold as much as they may.
        case processIsFull
    }

    private static let step = 64 << 10

    /// How many bytes the connection may hold.
    package let limit: Int
    private let budget: MemoryBudget
    private let number: Int
    private let state = Mutex(State())

    package init(_ budget: MemoryBudget, limit: Int) {
        self.budget = budget
        self.limit = limit
        number = budget.open()
    }

    deinit {
        budget.close(number)
    }

    /// How many bytes the connection holds.
    package var used: Int { state.withLock { $0.used } }

    /// Says what closes the connection when it has to give way. Is called on any thread, and must be brief.
    package func whenRevoked(_ revoke: @escaping @Sendable () -> Void) {
        budget.whenRevoked(number, revoke)
    }

    /// Reserves bytes that are about to be allocated.
    package func reserve(_ count: Int) throws(Refusal) {
        let refusal = state.withLock { state -> Refusal? in
            guard count <= limit - state.used else { return .connectionIsFull(limit: limit) }
            let missing = state.used + count - state.granted
            if missing > 0 {
                let wanted = (missing + Self.step - 1) / Self.step * Self.step
                guard budget.grant(number, wanted, isForced: false) else { return .processIsFull }
                state.granted += wanted
            }
            state.used += count
            return nil
        }
        if let refusal { throw refusal }
    }

    /// Counts bytes that are there in any case, whatever the limits say.
    package func add(_ count: Int) {
        state.withLock { state in
            state.used += count
            let missing = state.used - state.granted
            guard missing > 0 else { return }
            _ = budget.grant(number, missing, isForced: true)
            state.granted += missing
        }
    }

    /// Gives bytes back that were reserved or added.
    package func release(_ count: Int) {
        state.withLock { state in
            state.used -= count
            let spare = state.granted - state.used
            guard spare >= 4 * Self.step else { return }
            budget.takeBack(number, spare - Self.step)
            state.granted = state.used + Self.step
        }
    }
}

/// Bytes of an account that belong to something: they are given back when nobody holds it any more.
///
/// Unchecked because the count changes as long as its first owner, a connection, adds to a message. Nobody else has it until then.
package final class MemoryReservation: @unchecked Sendable {
    private let account: MemoryAccount
    private var count = 0

    package init(_ account: MemoryAccount) {
        self.account = account
    }

    deinit {
        account.release(count)
    }

    /// Reserves what is missing to that many bytes, or gives back what is more. To be called by whoever made it, before anybody else has it.
    package func resize(to newCount: Int) throws(MemoryAccount.Refusal) {
        if newCount > count {
            try account.reserve(newCount - count)
        } else {
            account.release(count - newCount)
        }
        count = newCount
    }
}

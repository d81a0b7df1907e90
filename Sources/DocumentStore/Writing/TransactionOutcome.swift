import Synchronization

/// Records whether a transaction was rolled back, for objects that were changed in it and treat their content as stored.
package final class TransactionOutcome: Sendable {
    private let rolledBack = Atomic(false)

    /// Whether the transaction has been rolled back.
    package var isRolledBack: Bool { rolledBack.load(ordering: .acquiring) }

    func noteRollback() {
        rolledBack.store(true, ordering: .releasing)
    }
}

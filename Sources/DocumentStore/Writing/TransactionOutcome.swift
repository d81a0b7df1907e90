import Synchronization

/// Whether a transaction was taken back, for objects that were told in it that they are stored.
package final class TransactionOutcome: Sendable {
    private let rolledBack = Atomic(false)

    /// Whether what was done in the transaction has been undone.
    package var isRolledBack: Bool { rolledBack.load(ordering: .acquiring) }

    func noteRollback() {
        rolledBack.store(true, ordering: .releasing)
    }
}

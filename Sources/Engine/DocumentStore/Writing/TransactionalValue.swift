/// A value that is reset to its previous state if the batch in which it was set is rolled back.
///
/// Inlinable, because objects of the API contain one each, and generic code that is not specialized takes several times longer.
@frozen
public struct TransactionalValue<Value: Sendable>: Sendable {
    @usableFromInline var current: Value
    @usableFromInline var undo: Undo?

    /// The state to restore. A class, so that values that are not saved in a batch need no more space than a pointer for it.
    @usableFromInline
    final class Undo: Sendable {
        @usableFromInline let outcome: TransactionOutcome
        @usableFromInline let value: Value

        @inlinable
        init(_ outcome: TransactionOutcome, _ value: Value) { (self.outcome, self.value) = (outcome, value) }
    }

    /// Creates the value. It is not part of a batch before it is set.
    @inlinable @inline(__always)
    public init(_ value: Value) { current = value }

    /// The current value. A value that is assigned here is not reset on its own, but only together with a value that was set earlier in the
    /// same batch.
    @inlinable public var value: Value {
        @inline(__always)
        mutating get {
            undoIfRolledBack()
            return current
        }
        @inline(__always)
        set {
            undoIfRolledBack()
            current = newValue
        }
    }

    /// Sets the value.
    ///
    /// - Parameter transactionOutcome: The outcome of the batch in which the value is set; `nil` if the change is final.
    @inlinable @inline(__always)
    public mutating func set(_ value: Value, transactionOutcome outcome: TransactionOutcome?) {
        undoIfRolledBack()
        if let outcome {
            // An undo state with another outcome belongs to a batch that was committed.
            if undo?.outcome !== outcome { undo = Undo(outcome, current) }
        } else {
            undo = nil
        }
        current = value
    }

    @inlinable @inline(__always)
    mutating func undoIfRolledBack() {
        guard let undo, undo.outcome.isRolledBack else { return }
        current = undo.value
        self.undo = nil
    }
}

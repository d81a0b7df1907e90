import DocumentStore

/// A value that is reset to its previous state if the batch in which it was set is rolled back.
struct TransactionalValue<Value: Sendable>: Sendable {
    private var current: Value
    private var undo: Undo?

    /// The state to restore. A class, so that values that are not saved in a batch need no more space than a pointer for it.
    private final class Undo: Sendable {
        let fate: TransactionOutcome
        let value: Value

        init(_ fate: TransactionOutcome, _ value: Value) {
            self.fate = fate
            self.value = value
        }
    }

    init(_ value: Value) {
        current = value
    }

    /// The current value. A value that is assigned here is not reset on its own, but only together with a value that was set earlier in the
    /// same batch.
    var value: Value {
        mutating get {
            settle()
            return current
        }
        set {
            settle()
            current = newValue
        }
    }

    /// Sets the value.
    ///
    /// - Parameter fate: The outcome of the batch in which the value is set; `nil` if the change is final.
    mutating func set(_ value: Value, fate: TransactionOutcome?) {
        settle()
        if let fate {
            // An undo state with another outcome belongs to a batch that was committed.
            if undo?.fate !== fate { undo = Undo(fate, current) }
        } else {
            undo = nil
        }
        current = value
    }

    private mutating func settle() {
        guard let undo, undo.fate.isRolledBack else { return }
        current = undo.value
        self.undo = nil
    }
}

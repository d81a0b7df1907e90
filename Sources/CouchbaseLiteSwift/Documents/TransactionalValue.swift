import DocumentStore

/// A value that goes back to what it was when the batch fails in which it was set.
struct TransactionalValue<Value: Sendable>: Sendable {
    private var current: Value
    private var undo: Undo?

    /// A reference: what is not being saved in a batch has no use for it.
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

    /// The value. To set it so is not taken back alone, but with what was set in the same batch before.
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
    /// - Parameter fate: That of the batch in which this happens; nil when it is final.
    mutating func set(_ value: Value, fate: TransactionOutcome?) {
        settle()
        if let fate {
            // An undo with another fate is that of a batch that has ended well.
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

/// What a transaction does besides writing to the file, until it is committed or rolled back.
extension Writer {
    /// Records a changed document for the observers, if there are any.
    func recordChange(of documentID: String, in collection: CollectionStore) {
        if feed.hasObservers { guarded.running.effects.changes.recordChange(of: documentID, in: collection.id) }
    }

    /// Records a document that replication has stored and that is not in conflict, for the handlers, if there are any.
    func recordArrival(of documentID: String, in collection: CollectionStore) {
        guard let arrivals = context.file?.arrivals, !arrivals.isEmpty else { return }
        guarded.running.effects.arrivals.note(documentID, in: collection.id)
    }

    /// Records the new expiration time of a document, so that the document is purged at that time if the transaction is committed; `nil` if
    /// the document does not expire anymore.
    func recordExpiration(_ milliseconds: Int64?, in collection: CollectionStore) {
        if let milliseconds { guarded.running.effects.noteExpiration(at: milliseconds) }
        if context.file?.watch.isNeeded ?? false { guarded.running.effects.noteChangedExpirations(of: collection.tables.store) }
    }

    /// The outcome of the surrounding transaction, if there is one. `nil` if the transaction contains only the current change, so that both
    /// end together.
    package var transactionOutcome: TransactionOutcome? {
        guard isNested else { return nil }
        if guarded.running.effects.outcome == nil { guarded.running.effects.outcome = TransactionOutcome() }
        return guarded.running.effects.outcome
    }

    /// Registers an action to run if the transaction is rolled back.
    func onRollback(_ action: @escaping () -> Void) {
        guarded.running.effects.rollbackActions.append(action)
    }

    /// Registers an action to run after the commit, before observers are notified.
    func onCommit(_ action: @escaping () -> Void) {
        guarded.running.effects.commitActions.append(action)
    }
}

import Fleece

/// What belongs to the running transaction besides its changes of the file: what is published when it is committed, and undone when it is
/// rolled back.
struct TransactionEffects {
    /// The number of shared keys at the start.
    var keyCountAtStart = 0
    /// The shared keys to publish to other connections, with the size of their stored form in bytes.
    var keysToPublish: (SharedKeys, Int64)?
    var changes = ChangeRecorder()
    /// The changed stores, with their counts. Changed counts are recorded only while there are observers.
    var changedStores: [ChangedStore] = []
    /// The earliest expiration time that was set.
    var earliestExpiration: Int64?
    /// The actions that undo changes outside of the file.
    var rollbackActions: [() -> Void] = []
    /// The changes outside of the file that others must not see before the commit.
    var commitActions: [() -> Void] = []
    var outcome: TransactionOutcome?

    /// Prepares for the next transaction. Memory that most transactions need is kept.
    mutating func reset() {
        keysToPublish = nil
        changes = ChangeRecorder()
        if !changedStores.isEmpty { changedStores.removeAll(keepingCapacity: true) }
        earliestExpiration = nil
        if !rollbackActions.isEmpty { rollbackActions.removeAll() }
        if !commitActions.isEmpty { commitActions.removeAll() }
        outcome = nil
    }
}

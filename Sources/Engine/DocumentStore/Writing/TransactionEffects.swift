import Base
import Fleece
import Synchronization

/// What belongs to the running transaction besides its changes of the file: what is published when it is committed, and undone when it is
/// rolled back.
struct TransactionEffects {
    /// The number of shared keys at the start.
    var keyCountAtStart = 0
    /// The shared keys to publish to other connections, with the size of their stored form in bytes.
    var keysToPublish: (SharedKeys, Int64)?
    var changes = ChangeRecorder()
    /// The documents that replication has stored. Recorded only while there are handlers.
    var arrivals = Arrivals()
    /// The changed stores, with their counts. Changed counts are recorded only while there are observers.
    var changedStores: [ChangedStore] = []
    /// The earliest expiration time that was set.
    var earliestExpiration: Int64?
    /// The actions that undo changes outside of the file.
    var rollbackActions: [() -> Void] = []
    /// The changes outside of the file that others must not see before the commit.
    var commitActions: [() -> Void] = []
    var outcome: TransactionOutcome?

    /// Notes that a document expires at a time, in milliseconds since 1970.
    mutating func noteExpiration(at time: Int64) { earliestExpiration = min(earliestExpiration ?? .max, time) }

    /// Notes that expiration times in a store have changed. Called only while there are observers.
    mutating func noteChangedExpirations(of store: String) {
        let changed = ChangedStore.expirations(of: store)
        guard !changedStores.contains(where: { changed.isExactly($0.store) }) else { return }
        changedStores.append(ChangedStore(store: changed, counts: nil))
    }

    /// Notes that a collection was deleted.
    mutating func noteDeletion(of collection: CollectionID, store: String) {
        changes.recordDeletion(of: collection)
        changedStores.append(ChangedStore(store: store, counts: nil))
    }

    /// A point to which ``undo(since:)`` can return.
    struct Mark {
        fileprivate let changes: ChangeRecorder.Mark
        fileprivate let arrivals: [CollectionID: Int]
        fileprivate let changedStores: Int
        fileprivate let earliestExpiration: Int64?
        fileprivate let rollbackActions: Int
        fileprivate let commitActions: Int
    }

    var mark: Mark {
        Mark(
            changes: changes.mark,
            arrivals: arrivals.mark,
            changedStores: changedStores.count,
            earliestExpiration: earliestExpiration,
            rollbackActions: rollbackActions.count,
            commitActions: commitActions.count
        )
    }

    /// Forgets what was recorded since `mark`.
    ///
    /// - Returns: The actions that undo the changes outside of the file that were made since, in the order in which the caller must run them.
    ///   They may use the writer, and so these effects.
    mutating func undo(since mark: Mark) -> [() -> Void] {
        let actions: [() -> Void] = rollbackActions[mark.rollbackActions...].reversed()
        rollbackActions.removeLast(rollbackActions.count - mark.rollbackActions)
        commitActions.removeLast(commitActions.count - mark.commitActions)
        changedStores.removeLast(changedStores.count - mark.changedStores)
        earliestExpiration = mark.earliestExpiration
        changes.undo(since: mark.changes)
        arrivals.undo(since: mark.arrivals)
        return actions
    }

    /// Prepares for the next transaction. Memory that most transactions need is kept.
    mutating func reset() {
        keysToPublish = nil
        changes = ChangeRecorder()
        arrivals = Arrivals()
        if !changedStores.isEmpty { changedStores.removeAll(keepingCapacity: true) }
        earliestExpiration = nil
        if !rollbackActions.isEmpty { rollbackActions.removeAll() }
        if !commitActions.isEmpty { commitActions.removeAll() }
        outcome = nil
    }
}

/// The change of one store by a transaction.
package struct ChangedStore {
    let store: String
    /// The counts after the transaction; `nil` if they are unchanged, because the collection has been deleted or only expiration times have
    /// changed.
    let counts: StoreCounts?

    /// Returns a name that observers register for, besides the name of a store, to be notified of expiration times that are set or removed.
    /// These are not counted as changes of documents. No store has such a name.
    package static func expirations(of store: String) -> String { expirationsPrefix + store }

    /// The beginning of the names of ``expirations(of:)``.
    static let expirationsPrefix = "expirations of "
}

/// The documents and collections changed by a transaction, for the observers.
struct ChangeRecorder {
    private struct ChangedDocuments {
        var ids: [String] = []
        var seen: Set<ExactString> = []
    }

    private var documents: [CollectionID: ChangedDocuments] = [:]
    /// The deleted collections, with the changes of their documents before.
    private var deletedCollections: [(id: CollectionID, changed: ChangedDocuments?)] = []

    mutating func recordChange(of documentID: String, in collection: CollectionID) {
        if documents[collection, default: ChangedDocuments()].seen.insert(ExactString(documentID)).inserted {
            documents[collection]?.ids.append(documentID)
        }
    }

    /// Records that a collection was deleted. Changes of its documents are not reported then.
    mutating func recordDeletion(of collection: CollectionID) {
        deletedCollections.append((collection, documents.removeValue(forKey: collection)))
    }

    /// The number of changed documents of each collection, and of deleted collections.
    struct Mark {
        fileprivate let counts: [CollectionID: Int]
        fileprivate let deletedCollections: Int
    }

    var mark: Mark { Mark(counts: documents.mapValues(\.ids.count), deletedCollections: deletedCollections.count) }

    mutating func undo(since mark: Mark) {
        while deletedCollections.count > mark.deletedCollections, let deleted = deletedCollections.popLast() {
            documents[deleted.id] = deleted.changed
        }
        for (collection, var changed) in documents {
            let count = mark.counts[collection] ?? 0
            documents[collection] = nil
            guard count > 0 else { continue }
            for id in changed.ids[count...] { changed.seen.remove(ExactString(id)) }
            changed.ids.removeLast(changed.ids.count - count)
            documents[collection] = changed
        }
    }

    /// Returns and removes what was recorded; `nil` if there is nothing.
    mutating func drain() -> CommittedChanges? {
        guard !documents.isEmpty || !deletedCollections.isEmpty else { return nil }
        defer { self = ChangeRecorder() }
        return CommittedChanges(documents.mapValues { ($0.ids, $0.seen) })
    }
}

/// Records whether a transaction was rolled back, for objects that were changed in it and treat their content as stored.
public final class TransactionOutcome: Sendable {
    private let rolledBack = Atomic(false)

    /// Whether the transaction has been rolled back.
    public var isRolledBack: Bool { rolledBack.load(ordering: .acquiring) }

    func noteRollback() {
        rolledBack.store(true, ordering: .releasing)
    }
}

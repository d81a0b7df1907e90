import ExactStrings
import Fleece
import LogCore
package import SQLiteEngine

/// The one connection of a file that writes, and the lock in front of it.
///
/// A transaction belongs to the thread that began it, and can be entered again by it. Everything here but the lock is used
/// only by the thread that holds it.
package final class Writer: @unchecked Sendable {
    // Unchecked Sendable: `lock` guards all that follows it.
    let lock = RecursiveLock()
    @exclusivity(unchecked) private(set) var context: ConnectionContext
    private let feed: ChangeFeed
    private let blobs: BlobStore
    @exclusivity(unchecked) var keys: MutableSharedKeys
    @exclusivity(unchecked) var encoder: Encoder
    /// A list that the keys are known to begin with.
    @exclusivity(unchecked) var knownBase: SharedKeys?
    @exclusivity(unchecked) var reservedKeys = ReservedKeyCheck()
    @exclusivity(unchecked) var privateProperties = PrivatePropertyWarnings()
    /// How many revisions a branch of a document keeps.
    @exclusivity(unchecked) private(set) var maximumTreeDepth = RevisionTree.defaultMaximumDepth
    @exclusivity(unchecked) private var depth = 0
    @exclusivity(unchecked) private var keyCountAtStart = 0
    /// Shared keys that become everybody's when the transaction has been committed, with the size of their stored form.
    @exclusivity(unchecked) private var keysToPublish: (SharedKeys, Int64)?
    /// What is known of the collections while nobody else writes, by ordinal.
    @exclusivity(unchecked) private var states: [CollectionWriteState?] = []
    @exclusivity(unchecked) private var changes: [CollectionID: ChangedDocuments] = [:]
    @exclusivity(unchecked) private var deletedCollections: Set<CollectionID> = []
    /// The stores that the transaction has changed, with their counts, as long as anybody waits for that.
    @exclusivity(unchecked) private var changedStores: [ChangedStore] = []
    @exclusivity(unchecked) private(set) var contentVersion: UInt32?
    /// The earliest expiration that the transaction has set.
    @exclusivity(unchecked) private var earliestExpiration: Int64?
    /// What is to be taken back, apart from the file's content, when the transaction fails.
    @exclusivity(unchecked) private var rollbackActions: [() -> Void] = []
    @exclusivity(unchecked) private var currentFate: TransactionOutcome?
    /// Whose batch the transaction is, and on behalf of whom the thread that has it open works at the moment; see ``BatchOwner``.
    @exclusivity(unchecked) var batchOwner: BatchOwner?
    @exclusivity(unchecked) var currentUser: BatchOwner?
    /// What ``checkIsInPlace()`` has found: then no transaction is begun in vain.
    @exclusivity(unchecked) private var wasMoved = false

    init(_ context: ConnectionContext, changes: ChangeFeed, blobs: BlobStore) {
        self.context = context
        feed = changes
        self.blobs = blobs
        keys = MutableSharedKeys(.empty)
        encoder = Encoder(sharedKeys: keys, capacity: 4096)
    }

    package var connection: Connection { context.connection }

    /// Goes on with another connection, to a file with the same content. Outside of transactions.
    func replaceContext(_ context: ConnectionContext) {
        self.context = context
        contentVersion = nil
    }

    /// Whether the calling thread is inside a transaction, whoever sees it.
    var hasTransactionOfThisThread: Bool { lock.isHeldByCurrentThread && depth > 0 }

    /// Whether the calling thread is inside a transaction that is seen by whom it works for.
    var isInTransactionOfThisThread: Bool { hasTransactionOfThisThread && isBatchVisible }

    /// Runs `body` in a transaction and commits; an error rolls everything back. Inside another transaction of this thread
    /// it joins that one.
    func transaction<Result>(_ body: (Writer) throws -> Result) throws -> Result {
        lock.lock()
        if depth > 0 {
            defer { lock.unlock() }
            guard isBatchVisible else { throw StoreError.batchOfAnother(path: connection.path) }
            guard connection.isInTransaction else { throw StoreError.transactionAborted }
            depth += 1
            defer { depth -= 1 }
            return try body(self)
        }
        defer {
            let warnings = privateProperties.take()
            lock.unlock()
            // Also when the transaction fails: it may have found what other processes have changed. Observers are not called with the
            // lock held, which the caller may have taken for more than this transaction: then he has it delivered.
            if !lock.isHeldByCurrentThread { feed.deliver() }
            for warning in warnings { EngineLog.log(.warning, .database, warning) }
        }
        return try runOutermost(body)
    }

    private func runOutermost<Result>(_ body: (Writer) throws -> Result) throws -> Result {
        guard !connection.isClosed else { throw StoreError.notOpen(what: "the database at \(connection.path)") }
        if wasMoved { try checkIsInPlace() }
        try connection.begin(.immediate)
        depth = 1
        defer { depth = 0 }
        do {
            try adoptForeignChanges()
            keyCountAtStart = keys.count
            let result = try body(self)
            guard connection.isInTransaction else { throw StoreError.transactionAborted }
            try storeCounters()
            try storeKeys()
            try checkIsInPlace()
            // Takes as long as the medium wants; much can happen meanwhile.
            if try blobs.syncNames() { try checkIsInPlace() }
            try connection.commit()
            // Our own commits count as changes of the content too, and must not look like foreign ones next time.
            contentVersion = connection.contentVersion
            publish()
            return result
        } catch {
            forgetTransaction()
            throw error
        }
    }

    /// Looks whether the file that is open is still the one at its path: what is committed to one that was deleted, moved or replaced
    /// would be lost without a word. Asks the file system once, which takes a fiftieth of the shortest commit.
    ///
    /// - Throws: `moved`.
    func checkIsInPlace() throws(StoreError) {
        wasMoved = connection.hasMoved
        if wasMoved { throw .moved(path: connection.path) }
    }

    /// When another process has written since our last transaction, nothing remembered from before counts.
    private func adoptForeignChanges() throws {
        // The version stands for the content seen by this transaction only once something has been read in it.
        _ = try connection.scalar("SELECT 1 FROM kv_info LIMIT 1")
        let version = connection.contentVersion
        guard version != contentVersion else { return }
        try context.reloadSharedKeys()
        keys = MutableSharedKeys(context.sharedKeys)
        knownBase = nil
        encoder.sharedKeys = keys
        reservedKeys = ReservedKeyCheck()
        privateProperties.forgetKeys()
        let depth = try InfoStore.integer(InfoStore.maximumTreeDepth, on: connection) ?? 0
        maximumTreeDepth = depth == 0 ? RevisionTree.defaultMaximumDepth : Int(clamping: depth)
        states.removeAll()
        contentVersion = version
        context.file?.expirations.wakeSoon()
        guard feed.hasObservers else { return }
        let changes = foreignChanges()
        if !changes.isEmpty {
            feed.enqueue(CommittedChanges(changes.mapValues { ($0, Set(exactly: $0)) }))
        }
    }

    private func forgetTransaction() {
        try? connection.rollback()
        currentFate?.noteRollback()
        currentFate = nil
        for action in rollbackActions.reversed() { action() }
        rollbackActions.removeAll()
        changes.removeAll()
        deletedCollections.removeAll()
        changedStores.removeAll()
        earliestExpiration = nil
        keysToPublish = nil
        privateProperties.forgetTransaction()
        states.removeAll()
        // Makes the next transaction read the keys again; those added by this one are gone.
        contentVersion = nil
        context.forgetSharedKeys()
        encoder.reset()
    }

    /// - Throws: `transactionAborted` when an earlier error made SQLite roll the transaction back: what is done now would be
    ///   committed by itself.
    @inline(__always)
    func checkIsInTransaction() throws(StoreError) {
        guard connection.isInTransaction else { throw .transactionAborted }
    }

    // MARK: Shared keys

    /// Makes keys added by the encoder known to the SQL functions, which index expressions call.
    @inline(__always)
    func publishKeysToFunctions() {
        if keys.count != context.sharedKeys.count { context.sharedKeys = keys.snapshot }
    }

    private func storeKeys() throws {
        guard keys.count != keyCountAtStart else { return }
        let snapshot = keys.snapshot
        let encoded = try snapshot.encoded()
        try InfoStore.set(InfoStore.sharedKeys, to: encoded, on: connection)
        keysToPublish = (snapshot, Int64(encoded.count))
    }

    private func storeCounters() throws {
        let isWatched = context.file?.watch.isNeeded ?? false
        for case let state? in states where state.isChanged {
            if isWatched { changedStores.append(ChangedStore(store: state.counter.store, counts: state.counts)) }
            try state.counter.store(on: connection)
            try state.tombstoneCounter.store(on: connection)
        }
    }

    /// What is known of a collection in this transaction.
    @inline(__always)
    func state(of collection: CollectionStore) throws -> CollectionWriteState {
        let ordinal = collection.ordinal
        if ordinal < states.count, let state = states[ordinal] { return state }
        return try makeState(of: collection)
    }

    @inline(never)
    private func makeState(of collection: CollectionStore) throws -> CollectionWriteState {
        let state = try CollectionWriteState(collection, on: connection)
        while states.count <= collection.ordinal { states.append(nil) }
        states[collection.ordinal] = state
        return state
    }

    /// Forgets what is known of a collection that is going to be dropped.
    func forget(_ collection: CollectionStore) {
        if collection.ordinal < states.count { states[collection.ordinal] = nil }
        changes[collection.id] = nil
        deletedCollections.insert(collection.id)
        changedStores.append(ChangedStore(store: collection.tables.store, counts: nil))
    }

    // MARK: Changes

    private struct ChangedDocuments {
        var ids: [String] = []
        var seen: Set<ExactString> = []
    }

    func recordChange(of documentID: String, in collection: CollectionStore) {
        guard feed.hasObservers else { return }
        if changes[collection.id, default: ChangedDocuments()].seen.insert(ExactString(documentID)).inserted {
            changes[collection.id]?.ids.append(documentID)
        }
    }

    /// Has the document with that expiration purged in time, once it is committed.
    func recordExpiration(_ milliseconds: Int64) {
        earliestExpiration = min(earliestExpiration ?? .max, milliseconds)
    }

    /// What becomes of the transaction, if it goes on after the change that is being made: nil in a transaction of that change alone,
    /// whose end is the end of the change.
    package var fate: TransactionOutcome? {
        guard depth > 1 else { return nil }
        if currentFate == nil { currentFate = TransactionOutcome() }
        return currentFate
    }

    /// Has `action` run when the transaction is rolled back.
    func onRollback(_ action: @escaping () -> Void) {
        rollbackActions.append(action)
    }

    private func publish() {
        currentFate = nil
        if !rollbackActions.isEmpty { rollbackActions.removeAll() }
        if let (keys, size) = keysToPublish {
            context.adopt(keys, encodedSize: size)
            keysToPublish = nil
        }
        if let time = earliestExpiration {
            context.file?.expirations.wake(by: time)
            earliestExpiration = nil
        }
        if feed.hasObservers, let watcher = context.file?.foreignChanges {
            for case let state? in states { watcher.committed(state.counter.lastSequence, in: state.counter.store) }
        }
        if !changedStores.isEmpty {
            context.file?.watch.committed(changedStores)
            changedStores.removeAll(keepingCapacity: true)
        }
        guard !changes.isEmpty || !deletedCollections.isEmpty else { return }
        feed.enqueue(CommittedChanges(changes.mapValues { ($0.ids, $0.seen) }, deletedCollections: deletedCollections))
        changes.removeAll()
        deletedCollections.removeAll()
    }
}

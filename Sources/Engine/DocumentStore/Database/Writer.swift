import Base
import Fleece
package import SQLiteEngine

/// The only connection of a file that writes, and the write lock.
///
/// A transaction belongs to the thread that began it, which can enter it recursively. All members except the lock are used only by the
/// thread that holds the lock.
package final class Writer: @unchecked Sendable {
    // `@unchecked Sendable` is safe because `lock` guards all properties below it.
    let lock = RecursiveLock()
    let feed: ChangeFeed
    private let blobs: BlobStore
    let renewal = IndexRenewal()
    // Safe: only the holder of the lock uses it, and each access reads or assigns a value, or calls a function that only computes. None runs
    // statements, actions or code of the app meanwhile, from which the writer could be used again.
    @exclusivity(unchecked) var guarded: Guarded
    // Safe like `guarded`, from which it is apart because code of the app writes to it, and can use everything else of the writer meanwhile.
    @exclusivity(unchecked) var encoder: Encoder

    /// What the lock guards besides the encoder, in parts that belong together.
    struct Guarded {
        /// The connection with its state. It is replaced when the content moves to another file.
        fileprivate(set) var context: ConnectionContext
        var bodies = Bodies(MutableSharedKeys(.empty))
        var names = RevisionNaming()
        var users = BatchUsers()
        var indexes = KnownIndexes()
        var running = RunningTransaction()
    }

    /// The running transaction, and what is known from the one before.
    struct RunningTransaction {
        /// The number of transactions of the thread that are nested in each other; 0 outside of a transaction.
        fileprivate var depth = 0
        /// What the running transaction has done besides writing to the file.
        var effects = TransactionEffects()
        /// The cached states of the collections, by ordinal, valid as long as no other process writes.
        var states: [CollectionWriteState?] = []
        /// The version of the content to which the cached state belongs; `nil` if the state must be read again.
        fileprivate(set) var contentVersion: UInt32?
        /// The result of the last ``checkIsInPlace()``. If it is `true`, the check is repeated before a transaction begins.
        fileprivate var wasMoved = false
        /// The state of the file when the transaction began, if counts of documents are known.
        fileprivate var stateAtStart: CommittedState?
    }

    init(_ context: ConnectionContext, changes: ChangeFeed, blobs: BlobStore) {
        feed = changes
        self.blobs = blobs
        guarded = Guarded(context: context)
        encoder = Encoder(sharedKeys: guarded.bodies.keys, capacity: 4096)
    }

    /// The connection that writes, with its state. Only the holder of the write lock may use it.
    package var context: ConnectionContext { guarded.context }

    /// The connection that writes. Only the holder of the write lock may use it.
    package var connection: Connection { guarded.context.connection }

    /// Switches to another connection, to a file with the same content. Must be called outside of transactions.
    func replaceContext(_ context: ConnectionContext) {
        guarded.context = context
        guarded.running.contentVersion = nil
        context.file?.documentCounts.forgetAll()
    }

    /// Whether the calling thread is inside a transaction, even if that is a batch of another user.
    var hasTransactionOfThisThread: Bool { lock.isLockedByCurrentThread && guarded.running.depth > 0 }

    /// Whether the calling thread is inside a transaction that is visible to its current user.
    var isInTransactionOfThisThread: Bool { hasTransactionOfThisThread && isBatchVisible }

    /// Whether the current change is a part of a transaction that began before it.
    var isNested: Bool { guarded.running.depth > 1 }

    /// Runs `body` in a transaction and commits it; an error rolls everything back. Inside another transaction of this thread it joins that
    /// transaction. Blocks while another thread or process is writing.
    func transaction<Result>(_ body: (Writer) throws -> Result) throws -> Result {
        lock.lock()
        if guarded.running.depth > 0 {
            defer { lock.unlock() }
            guard isBatchVisible else { throw StoreError.batchOfAnother(path: connection.path) }
            guard connection.isInTransaction else { throw StoreError.transactionAborted }
            guarded.running.depth += 1
            defer { guarded.running.depth -= 1 }
            return try body(self)
        }
        defer {
            let warnings = guarded.bodies.privateProperties.drain()
            let messages = renewal.isSuspended ? [] : renewal.drainMessages()
            lock.unlock()
            // Also necessary if the transaction fails, because it may have found changes of other processes. Observers are not called while
            // the caller still holds the lock; then the caller delivers the changes.
            if !lock.isLockedByCurrentThread { feed.deliver() }
            for warning in warnings { EngineLog.log(.warning, .database, warning) }
            for (level, message) in messages { EngineLog.log(level, .database, message) }
        }
        return try runOutermost(body)
    }

    private func runOutermost<Result>(_ body: (Writer) throws -> Result) throws -> Result {
        guard !connection.isClosed else { throw StoreError.notOpen(what: "the database at \(connection.path)") }
        if guarded.running.wasMoved { try checkIsInPlace() }
        // The log can only begin anew if nobody reads from it.
        context.file?.readers.endIdleSnapshots()
        try connection.begin(.immediate)
        guarded.running.depth = 1
        defer { guarded.running.depth = 0 }
        do {
            try adoptForeignChanges()
            guarded.running.effects.keyCountAtStart = keys.count
            guarded.running.stateAtStart = context.file?.documentCounts.isEmpty ?? true ? nil : connection.committedState
            let indexes = context.file?.options.indexes
            if let indexes { try renewal.begin(zoneHasChanged: context.adoptLocalZone(), indexConditions(indexes)) }
            try findMaintainedIndexes()
            let result = try body(self)
            if let arrivals = context.file?.arrivals, !arrivals.isEmpty { try arrivals.handle(guarded.running.effects.arrivals) }
            guard connection.isInTransaction else { throw StoreError.transactionAborted }
            try indexDeferredTexts()
            try completeMaintainedIndexes()
            try storeCounters()
            if let indexes { try renewal.finish(indexConditions(indexes)) }
            try storeKeys()
            try checkIsInPlace()
            // Flushing may take long, so the file may have been moved during it.
            if try blobs.flush() { try checkIsInPlace() }
            try connection.commit()
            // Own commits change the version too, and must not be taken for changes of another process next time.
            guarded.running.contentVersion = connection.contentVersion
            commitCounts()
            publish()
            return result
        } catch {
            discardTransaction()
            throw error
        }
    }

    /// Runs `body` in the open transaction. If it throws, only its own changes are undone, unless they are the whole transaction, which the
    /// caller rolls back. `body` must not change objects that depend on the ``transactionOutcome``.
    func undoably<Result>(_ body: () throws -> Result) throws -> Result {
        guard isNested else { return try body() }
        // Otherwise `body` could index texts of earlier documents, which would then be undone.
        try indexDeferredTexts()
        let mark = guarded.running.effects.mark
        let saved = guarded.running.states.map { $0.map { (state: $0, counters: $0.counters) } }
        do {
            return try connection.savepoint("statement", body)
        } catch {
            for action in guarded.running.effects.undo(since: mark) { action() }
            guarded.indexes.maintained = .unknown
            // `body` may have deleted a collection, and with it its state.
            guarded.running.states = saved.map(\.?.state)
            for case let (state, counters)? in saved { state.undo(to: counters) }
            encoder.reset()
            throw error
        }
    }

    /// Checks whether the open file is still the one at its path. Otherwise the commit would be lost silently, because the file was
    /// deleted, moved or replaced. Costs one system call, which takes about 2 % of the time of the shortest commit.
    ///
    /// - Throws: `moved`.
    func checkIsInPlace() throws(StoreError) {
        guarded.running.wasMoved = connection.hasMoved
        if guarded.running.wasMoved { throw .moved(path: connection.path) }
    }

    /// Discards all cached state if another process has written since the last transaction.
    private func adoptForeignChanges() throws {
        // An immediate transaction has its snapshot from the start, so the version is that of the content that it sees.
        let version = connection.contentVersion
        guard version != guarded.running.contentVersion else { return }
        try context.reloadSharedKeys()
        guarded.bodies.replaceKeys(with: MutableSharedKeys(context.sharedKeys))
        encoder.sharedKeys = keys
        try readNaming()
        guarded.running.states.removeAll()
        guarded.indexes.maintained = .unknown
        renewal.noteForeignChange()
        guarded.running.contentVersion = version
        context.file?.expirations.scheduleWakeUp()
        context.file?.watch.changedByAnotherProcess(version: version)
        guard feed.hasObservers else { return }
        let changes = foreignChanges()
        if !changes.isEmpty { feed.enqueue(CommittedChanges(changes.mapValues { ($0, Set(exactly: $0)) })) }
    }

    private func discardTransaction() {
        // SQLite may have rolled back already; otherwise the next transaction gets the error.
        try? connection.rollback()
        guarded.running.effects.outcome?.noteRollback()
        for action in guarded.running.effects.rollbackActions.reversed() { action() }
        guarded.running.effects.reset()
        renewal.noteRollback()
        guarded.bodies.privateProperties.discardTransaction()
        guarded.running.states.removeAll()
        guarded.indexes = KnownIndexes()
        // Makes the next transaction read the keys again, because the keys added by this one were rolled back.
        guarded.running.contentVersion = nil
        context.discardSharedKeys()
        encoder.reset()
    }

    /// Checks that the transaction is still open.
    ///
    /// - Throws: `transactionAborted` if SQLite has rolled the transaction back after an earlier error. Further changes would each be
    ///   committed separately.
    @inline(__always)
    func checkIsInTransaction() throws(StoreError) {
        guard connection.isInTransaction else { throw .transactionAborted }
    }

    // MARK: The end of a transaction

    private func storeKeys() throws {
        guard keys.count != guarded.running.effects.keyCountAtStart else { return }
        let snapshot = keys.snapshot
        let encoded = try snapshot.encoded()
        try InfoStore.set(InfoStore.sharedKeys, to: encoded, on: connection)
        guarded.running.effects.keysToPublish = (snapshot, Int64(encoded.count))
    }

    private func storeCounters() throws {
        let isWatched = context.file?.watch.isNeeded ?? false
        for case let state? in guarded.running.states where state.isChanged {
            if isWatched {
                let changed = ChangedStore(store: state.counters.documents.store, counts: state.counts)
                guarded.running.effects.changedStores.append(changed)
            }
            try state.storeCounters(on: context)
            try renewal.noteSequence(state.counters.documents.lastSequence, of: state.counters.documents.store, on: connection)
        }
    }

    /// Adds the changes of the transaction to the known counts of documents.
    private func commitCounts() {
        if let counts = context.file?.documentCounts, !counts.isEmpty {
            let changes = guarded.running.states.compactMap { state in
                state.map { (collection: $0.collectionNumber, change: $0.counters.countChange) }
            }
            counts.commit(from: guarded.running.stateAtStart, to: connection.committedState, changes: changes)
        }
        for state in guarded.running.states { state?.counters.countChange = 0 }
    }

    /// Notes that the transaction creates, deletes or rebuilds indexes.
    ///
    /// - Parameter all: Whether all indexes are rebuilt. The default is `false`.
    package func noteIndexChange(ofAll all: Bool = false) {
        guarded.indexes.maintained = .unknown
        if all { renewal.noteRebuild() } else { renewal.noteIndexChange() }
    }

    /// Records the commit for those who know which keys of indexes are exact. The history is told of differing keys first, so that it never
    /// takes them for exact ones.
    private func commitKeys() {
        guard let history = context.file?.indexKeyHistory else { return }
        if context.evaluation.hasDifferingKeys { history.committedDifferingKeys() }
        context.evaluation.hasDifferingKeys = false
        guard history.isNeeded else { return }
        for case let state? in guarded.running.states {
            history.committed(state.counters.documents.ownSequences, in: state.counters.documents.store)
        }
    }

    private func publish() {
        commitKeys()
        for action in guarded.running.effects.commitActions { action() }
        if let (keys, size) = guarded.running.effects.keysToPublish { context.adopt(keys, encodedSize: size) }
        if let time = guarded.running.effects.earliestExpiration { context.file?.expirations.wake(by: time) }
        if feed.hasObservers, let watcher = context.file?.foreignChanges {
            for case let state? in guarded.running.states {
                watcher.committed(state.counters.documents.lastSequence, in: state.counters.documents.store)
            }
        }
        let changedStores = guarded.running.effects.changedStores
        if !changedStores.isEmpty { context.file?.watch.committed(changedStores) }
        if let changes = guarded.running.effects.changes.drain() { feed.enqueue(changes) }
        guarded.running.effects.reset()
    }
}

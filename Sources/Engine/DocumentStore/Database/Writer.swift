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
    /// The connection with its state. It is replaced when the content moves to another file.
    @exclusivity(unchecked) package private(set) var context: ConnectionContext
    private let feed: ChangeFeed
    private let blobs: BlobStore
    @exclusivity(unchecked) var keys: MutableSharedKeys
    @exclusivity(unchecked) var encoder: Encoder
    /// A list of keys that `keys` is known to begin with.
    @exclusivity(unchecked) var knownBase: SharedKeys?
    @exclusivity(unchecked) var reservedKeys = ReservedKeyCheck()
    @exclusivity(unchecked) var privateProperties = PrivatePropertyWarnings()
    /// The maximum number of revisions in a branch of a document.
    @exclusivity(unchecked) private(set) var maximumTreeDepth = RevisionTree.defaultMaximumDepth
    /// Whether new revisions have version vectors, as the row `versioning` of the file says (Version vectors 3.1).
    @exclusivity(unchecked) private(set) var usesVersions = false
    /// How revisions are named for clients with revision trees; `nil` if the database has version vectors and serves no such clients, or has trees.
    @exclusivity(unchecked) private(set) var treeNaming: TreeNaming?
    /// The clock of new versions. It begins at zero when the file is opened; the stored versions make it continue.
    @exclusivity(unchecked) var versionClock = HybridClock()
    @exclusivity(unchecked) private var depth = 0
    /// What the running transaction has done besides writing to the file.
    @exclusivity(unchecked) private var effects = TransactionEffects()
    /// The cached states of the collections, by ordinal, valid as long as no other process writes.
    @exclusivity(unchecked) private var states: [CollectionWriteState?] = []
    @exclusivity(unchecked) private(set) var contentVersion: UInt32?
    /// The owner of the open batch, and the user on whose behalf the thread is working; see ``BatchOwner``.
    @exclusivity(unchecked) var batchOwner: BatchOwner?
    @exclusivity(unchecked) var currentUser: BatchOwner?
    /// The result of the last ``checkIsInPlace()``. If it is `true`, the check is repeated before a transaction begins.
    @exclusivity(unchecked) private var wasMoved = false
    let renewal = IndexRenewal()
    /// The indexes to complete before each commit. Unknown again after other processes have written, and after a rollback. Only the thread that
    /// holds the lock reads and replaces it, each time as a whole, so that no access can overlap another.
    @exclusivity(unchecked) var maintainedIndexes = KnownMaintainedIndexes.unknown
    /// The state of the file when the transaction began, if counts of documents are known.
    @exclusivity(unchecked) private var stateAtStart: CommittedState?

    init(_ context: ConnectionContext, changes: ChangeFeed, blobs: BlobStore) {
        self.context = context
        feed = changes
        self.blobs = blobs
        keys = MutableSharedKeys(.empty)
        encoder = Encoder(sharedKeys: keys, capacity: 4096)
    }

    /// The connection that writes. Only the holder of the write lock may use it.
    package var connection: Connection { context.connection }

    /// Switches to another connection, to a file with the same content. Must be called outside of transactions.
    func replaceContext(_ context: ConnectionContext) {
        self.context = context
        contentVersion = nil
        context.file?.documentCounts.forgetAll()
    }

    /// Whether the calling thread is inside a transaction, even if that is a batch of another user.
    var hasTransactionOfThisThread: Bool { lock.isLockedByCurrentThread && depth > 0 }

    /// Whether the calling thread is inside a transaction that is visible to its current user.
    var isInTransactionOfThisThread: Bool { hasTransactionOfThisThread && isBatchVisible }

    /// Runs `body` in a transaction and commits it; an error rolls everything back. Inside another transaction of this thread it joins that
    /// transaction. Blocks while another thread or process is writing.
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
            let warnings = privateProperties.drain()
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
        if wasMoved { try checkIsInPlace() }
        // The log can only begin anew if nobody reads from it.
        context.file?.readers.endIdleSnapshots()
        try connection.begin(.immediate)
        depth = 1
        defer { depth = 0 }
        do {
            try adoptForeignChanges()
            effects.keyCountAtStart = keys.count
            stateAtStart = context.file?.documentCounts.isEmpty ?? true ? nil : connection.committedState
            let indexes = context.file?.options.indexes
            if let indexes { try renewal.begin(zoneHasChanged: context.adoptLocalZone(), indexConditions(indexes)) }
            try findMaintainedIndexes()
            let result = try body(self)
            if let arrivals = context.file?.arrivals, !arrivals.isEmpty { try arrivals.handle(effects.arrivals) }
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
            contentVersion = connection.contentVersion
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
        guard depth > 1 else { return try body() }
        // Otherwise `body` could index texts of earlier documents, which would then be undone.
        try indexDeferredTexts()
        let mark = effects.mark
        let saved = states.map { $0.map { (state: $0, mark: $0.mark) } }
        do {
            return try connection.savepoint("statement", body)
        } catch {
            effects.undo(since: mark)
            maintainedIndexes = .unknown
            // `body` may have deleted a collection, and with it its state.
            states = saved.map(\.?.state)
            for case let (state, mark)? in saved { state.undo(since: mark) }
            encoder.reset()
            throw error
        }
    }

    /// Checks whether the open file is still the one at its path. Otherwise the commit would be lost silently, because the file was
    /// deleted, moved or replaced. Costs one system call, which takes about 2 % of the time of the shortest commit.
    ///
    /// - Throws: `moved`.
    func checkIsInPlace() throws(StoreError) {
        wasMoved = connection.hasMoved
        if wasMoved { throw .moved(path: connection.path) }
    }

    /// Discards all cached state if another process has written since the last transaction.
    private func adoptForeignChanges() throws {
        // An immediate transaction has its snapshot from the start, so the version is that of the content that it sees.
        let version = connection.contentVersion
        guard version != contentVersion else { return }
        try context.reloadSharedKeys()
        keys = MutableSharedKeys(context.sharedKeys)
        knownBase = nil
        encoder.sharedKeys = keys
        reservedKeys = ReservedKeyCheck()
        privateProperties.discardKeys()
        let depth = try InfoStore.integer(InfoStore.maximumTreeDepth, on: connection) ?? 0
        maximumTreeDepth = depth == 0 ? RevisionTree.defaultMaximumDepth : Int(clamping: depth)
        usesVersions = try InfoStore.integer(InfoStore.versioning, on: connection) == InfoStore.versionVectors
        treeNaming = try usesVersions && InfoStore.integer(InfoStore.treeClients, on: connection) == 1 ? makeTreeNaming() : nil
        states.removeAll()
        maintainedIndexes = .unknown
        renewal.noteForeignChange()
        contentVersion = version
        context.file?.expirations.scheduleWakeUp()
        context.file?.watch.changedByAnotherProcess(version: version)
        guard feed.hasObservers else { return }
        let changes = foreignChanges()
        if !changes.isEmpty { feed.enqueue(CommittedChanges(changes.mapValues { ($0, Set(exactly: $0)) })) }
    }

    /// Gives new revisions version vectors from now on. If the transaction is rolled back, they have trees again.
    func useVersions() {
        guard !usesVersions else { return }
        usesVersions = true
        onRollback { [unowned self] in usesVersions = false }
    }

    /// Names revisions for clients with revision trees from now on. If the transaction is rolled back, they get no such names.
    func useTreeNames() throws {
        guard treeNaming == nil, let naming = try makeTreeNaming() else { return }
        treeNaming = naming
        onRollback { [unowned self] in treeNaming = nil }
    }

    private func makeTreeNaming() throws -> TreeNaming? {
        try InfoStore.bytes(InfoStore.publicUUID, on: connection).flatMap { SourceID($0) }
            .map { TreeNaming(own: $0, maximumDepth: maximumTreeDepth) }
    }

    private func discardTransaction() {
        // SQLite may have rolled back already; otherwise the next transaction gets the error.
        try? connection.rollback()
        effects.outcome?.noteRollback()
        for action in effects.rollbackActions.reversed() { action() }
        effects.reset()
        renewal.noteRollback()
        privateProperties.discardTransaction()
        states.removeAll()
        maintainedIndexes = .unknown
        // Makes the next transaction read the keys again, because the keys added by this one were rolled back.
        contentVersion = nil
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

    // MARK: Shared keys

    /// Makes keys added by the encoder known to the SQL functions that are called by index expressions.
    @inline(__always)
    func publishKeysToFunctions() {
        if keys.count != context.sharedKeys.count { context.sharedKeys = keys.snapshot }
    }

    private func storeKeys() throws {
        guard keys.count != effects.keyCountAtStart else { return }
        let snapshot = keys.snapshot
        let encoded = try snapshot.encoded()
        try InfoStore.set(InfoStore.sharedKeys, to: encoded, on: connection)
        effects.keysToPublish = (snapshot, Int64(encoded.count))
    }

    private func storeCounters() throws {
        let isWatched = context.file?.watch.isNeeded ?? false
        for case let state? in states where state.isChanged {
            if isWatched { effects.changedStores.append(ChangedStore(store: state.counter.store, counts: state.counts)) }
            try state.storeCounters(on: context)
            try renewal.noteSequence(state.counter.lastSequence, of: state.counter.store, on: connection)
        }
    }

    /// Adds the changes of the transaction to the known counts of documents.
    private func commitCounts() {
        if let counts = context.file?.documentCounts, !counts.isEmpty {
            let changes = states.compactMap { state in state.map { (collection: $0.collectionNumber, change: $0.countChange) } }
            counts.commit(from: stateAtStart, to: connection.committedState, changes: changes)
        }
        for state in states { state?.countChange = 0 }
    }

    /// The change of a collection's number of live documents by the open transaction.
    func countChange(of collection: CollectionStore) -> Int64 {
        guard collection.ordinal < states.count, let state = states[collection.ordinal] else { return 0 }
        return state.countChange
    }

    /// Adds the texts whose indexing was deferred to their full-text indexes. Returns at once if there are no such texts.
    ///
    /// Triggers change full-text indexes without this call. All other code calls it before it reads a full-text index, changes its entries,
    /// or creates or deletes a full-text index.
    ///
    /// - Throws: `SQLiteError` if a statement fails.
    package func indexDeferredTexts() throws {
        for case let state? in states { try state.texts.finish(context) }
    }

    /// Notes that the transaction creates, deletes or rebuilds indexes.
    ///
    /// - Parameter all: Whether all indexes are rebuilt. The default is `false`.
    package func noteIndexChange(ofAll all: Bool = false) {
        maintainedIndexes = .unknown
        if all { renewal.noteRebuild() } else { renewal.noteIndexChange() }
    }

    /// Returns the cached state of a collection, and reads it if necessary.
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

    /// Discards the cached state of a collection that is about to be deleted.
    func forget(_ collection: CollectionStore) {
        if collection.ordinal < states.count { states[collection.ordinal] = nil }
        maintainedIndexes = .unknown
        renewal.noteIndexChange()
        effects.noteDeletion(of: collection.id, store: collection.tables.store)
    }

    // MARK: Changes

    /// Records a changed document for the observers, if there are any.
    func recordChange(of documentID: String, in collection: CollectionStore) {
        if feed.hasObservers { effects.changes.recordChange(of: documentID, in: collection.id) }
    }

    /// Records a document that replication has stored and that is not in conflict, for the handlers, if there are any.
    func recordArrival(of documentID: String, in collection: CollectionStore) {
        guard let arrivals = context.file?.arrivals, !arrivals.isEmpty else { return }
        effects.arrivals.note(documentID, in: collection.id)
    }

    /// Records the new expiration time of a document, so that the document is purged at that time if the transaction is committed; `nil` if
    /// the document does not expire anymore.
    func recordExpiration(_ milliseconds: Int64?, in collection: CollectionStore) {
        if let milliseconds { effects.noteExpiration(at: milliseconds) }
        if context.file?.watch.isNeeded ?? false { effects.noteChangedExpirations(of: collection.tables.store) }
    }

    /// The outcome of the surrounding transaction, if there is one. `nil` if the transaction contains only the current change, so that both
    /// end together.
    package var transactionOutcome: TransactionOutcome? {
        guard depth > 1 else { return nil }
        if effects.outcome == nil { effects.outcome = TransactionOutcome() }
        return effects.outcome
    }

    /// Registers an action to run if the transaction is rolled back.
    func onRollback(_ action: @escaping () -> Void) {
        effects.rollbackActions.append(action)
    }

    /// Registers an action to run after the commit, before observers are notified.
    func onCommit(_ action: @escaping () -> Void) {
        effects.commitActions.append(action)
    }

    /// Records the commit for those who know which keys of indexes are exact. The history is told of differing keys first, so that it never
    /// takes them for exact ones.
    private func commitKeys() {
        guard let history = context.file?.indexKeyHistory else { return }
        if context.hasDifferingKeys { history.committedDifferingKeys() }
        context.hasDifferingKeys = false
        guard history.isNeeded else { return }
        for case let state? in states { history.committed(state.counter.ownSequences, in: state.counter.store) }
    }

    private func publish() {
        commitKeys()
        for action in effects.commitActions { action() }
        if let (keys, size) = effects.keysToPublish { context.adopt(keys, encodedSize: size) }
        if let time = effects.earliestExpiration { context.file?.expirations.wake(by: time) }
        if feed.hasObservers, let watcher = context.file?.foreignChanges {
            for case let state? in states { watcher.committed(state.counter.lastSequence, in: state.counter.store) }
        }
        if !effects.changedStores.isEmpty { context.file?.watch.committed(effects.changedStores) }
        if let changes = effects.changes.drain() { feed.enqueue(changes) }
        effects.reset()
    }
}

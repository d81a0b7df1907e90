import Base
import Dispatch
import SQLiteEngine
import Synchronization

/// Tracks the changes made by this process, in order to recognize the changes of other processes, and checks for those periodically.
///
/// A change of another process is recognized by its sequence: it is above the last known sequence and was not assigned by this process.
/// Purges have no sequence, so purges by other processes are not recognized. Nothing is checked while there are no observers.
final class ForeignChangeWatcher: Sendable {
    /// The interval between two checks of the file, in milliseconds. A check takes some microseconds if nothing has changed.
    static let interval: Int64 = 1000

    private struct State {
        /// The last known sequence of each store.
        var known: [ExactString: UInt64] = [:]
        /// Whether ``known`` covers all stores, from the time when the first observer was added.
        var isComplete = false
        var wakeUp: ScheduledCall?
        var isStopped = false
    }

    private let clock: any WallClock
    private let queue: DispatchQueue
    private let state = Mutex(State())

    init(_ clock: any WallClock, queue: DispatchQueue) {
        self.clock = clock
        self.queue = queue
    }

    deinit {
        stop()
    }

    /// Starts or restarts tracking. Changes committed before this call are not reported.
    ///
    /// - Parameters:
    ///   - lastSequences: Reads the last sequences of all stores.
    ///   - look: Checks for changes, and returns whether to continue. Called on the queue after each ``interval``.
    func start(lastSequences: () throws -> [ExactString: UInt64], look: @escaping @Sendable () -> Bool) {
        state.withLock { state in
            state.known = [:]
            state.isComplete = false
        }
        // No lock is held while reading: commits of this process continue and are recorded.
        guard let sequences = try? lastSequences() else { return }
        state.withLock { state in
            state.known.merge(sequences) { max($0, $1) }
            state.isComplete = true
            if state.wakeUp == nil { scheduleCheck(&state, look) }
        }
    }

    func stop() {
        state.withLock { state in
            state.isStopped = true
            state.wakeUp?.cancel()
            state.wakeUp = nil
        }
    }

    private func scheduleCheck(_ state: inout State, _ look: @escaping @Sendable () -> Bool) {
        guard !state.isStopped else { return }
        state.wakeUp = clock.wake(at: clock.now + Self.interval, on: queue) { [weak self] in
            guard let self else { return }
            self.state.withLock { $0.wakeUp = nil }
            guard look() else { return }
            self.state.withLock { if $0.wakeUp == nil { self.scheduleCheck(&$0, look) } }
        }
    }

    /// Records a commit of this process. Must be called under the write lock.
    func committed(_ lastSequence: UInt64, in store: String) {
        let store = ExactString(store)
        state.withLock { $0.known[store] = max($0.known[store] ?? 0, lastSequence) }
    }

    /// The last known sequence of each store; `nil` if tracking has not been started completely.
    var knownSequences: [ExactString: UInt64]? {
        state.withLock { $0.isComplete ? $0.known : nil }
    }
}

extension DatabaseFile {
    /// Starts checking for changes of other processes. Must be called after the first observer has been added.
    func watchForeignChanges() {
        guard let writer = try? self.writer() else { return }
        foreignChanges.start {
            try read { try InfoStore.lastSequences(on: $0.connection) }
        } look: { [weak self, weak writer] in
            guard let self, let writer, changes.hasObservers else { return false }
            writer.checkForForeignChanges()
            return true
        }
    }
}

extension Writer {
    /// Notifies the observers of changes committed by other processes. Does nothing if another thread is writing, because that thread's
    /// transaction does it.
    func checkForForeignChanges() {
        guard lock.tryLock() else { return }
        let isNew = (try? hasForeignChanges()) ?? false
        lock.unlock()
        // If another process holds a lock, its changes are found by the next check.
        if isNew { try? transaction { _ in } }
    }

    /// Returns the documents that other processes have changed since the last check, in the order of the changes. Must be called at the
    /// start of a transaction. Changes that cannot be read are ignored, because no transaction depends on them.
    func foreignChanges() -> [CollectionID: [String]] {
        guard let file = context.file, let known = file.foreignChanges.knownSequences,
            let lastSequences = try? InfoStore.lastSequences(on: connection)
        else { return [:] }
        var found: [CollectionID: [String]] = [:]
        // A collection that cannot be opened or read is left out: its readers get the error.
        for (store, lastSequence) in lastSequences {
            let since = known[store] ?? 0
            guard lastSequence > since, let id = CollectionID(storeName: store.string) else { continue }
            file.foreignChanges.committed(lastSequence, in: store.string)
            guard let collection = try? file.knownCollection(id) ?? file.collection(id) else { continue }
            found[id] = try? changedDocuments(since: since, in: collection.tables)
        }
        return found.filter { !$0.value.isEmpty }
    }

    /// Returns the version of the content if another process has changed it since the last transaction of this process; otherwise, `nil`. Also
    /// if another thread is writing, because that thread's transaction notices the change.
    func foreignVersion() -> UInt32? {
        guard lock.tryLock() else { return nil }
        defer { lock.unlock() }
        // The next access gets the error.
        return (try? hasForeignChanges()) == true ? connection.contentVersion : nil
    }

    private func hasForeignChanges() throws -> Bool {
        guard !connection.isClosed else { return false }
        // The version corresponds to the content only after something has been read.
        _ = try connection.scalar("SELECT 1 FROM kv_info LIMIT 1")
        return connection.contentVersion != guarded.running.contentVersion
    }

    private func changedDocuments(since sequence: UInt64, in tables: CollectionTables) throws -> [String] {
        let names = tables.names
        for name in names {
            // Couchbase Lite also creates this index before it reads by sequence (Storage format 2.4). If it cannot be created, the query
            // is slow.
            try? connection.execute(Schema.createSequenceIndex(name))
        }
        let selects = names.map { "SELECT key, sequence FROM \($0.quotedIdentifier) WHERE sequence > ?1" }
        let statement = try connection.prepare(selects.joined(separator: " UNION ALL ") + " ORDER BY 2")
        defer { statement.finalize() }
        try statement.bind(Int64(clamping: sequence), at: 1)
        var ids: [String] = []
        while try statement.step() { ids.append(statement.text(at: 0)) }
        return ids
    }
}

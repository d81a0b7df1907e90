import Dispatch
import ExactStrings
import SQLiteEngine
import Synchronization

/// Knows which changes were made by this process, so that the others can be told apart; and looks for those now and then.
///
/// Sequences tell: what is above the last one known, and was not given by this process, is another's doing. Purges leave no
/// sequence, so those of other processes are not heard of. All this is done only while somebody listens.
final class ForeignChangeWatcher: Sendable {
    /// How often the file is looked at, in milliseconds. Costs some microseconds when nothing has changed.
    static let interval: Int64 = 1000

    private struct State {
        /// The last sequence known of each store.
        var known: [ExactString: UInt64] = [:]
        /// Whether ``known`` covers all stores, from the moment on when somebody began to listen.
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

    /// Begins anew: what has been committed by now is of no interest.
    ///
    /// - Parameters:
    ///   - lastSequences: Reads the last sequences of all stores.
    ///   - look: Looks for changes, and says whether to go on. Called on the queue from time to time.
    func start(lastSequences: () throws -> [ExactString: UInt64], look: @escaping @Sendable () -> Bool) {
        state.withLock { state in
            state.known = [:]
            state.isComplete = false
        }
        // No lock is held meanwhile: commits of this process go on, and are noted.
        guard let sequences = try? lastSequences() else { return }
        state.withLock { state in
            state.known.merge(sequences) { max($0, $1) }
            state.isComplete = true
            if state.wakeUp == nil { lookLater(&state, look) }
        }
    }

    func stop() {
        state.withLock { state in
            state.isStopped = true
            state.wakeUp?.cancel()
            state.wakeUp = nil
        }
    }

    private func lookLater(_ state: inout State, _ look: @escaping @Sendable () -> Bool) {
        guard !state.isStopped else { return }
        state.wakeUp = clock.wake(at: clock.now + Self.interval, on: queue) { [weak self] in
            guard let self else { return }
            self.state.withLock { $0.wakeUp = nil }
            guard look() else { return }
            self.state.withLock { if $0.wakeUp == nil { self.lookLater(&$0, look) } }
        }
    }

    /// Notes what this process has committed. To be called under the write lock.
    func committed(_ lastSequence: UInt64, in store: String) {
        let store = ExactString(store)
        state.withLock { $0.known[store] = max($0.known[store] ?? 0, lastSequence) }
    }

    /// The last sequence known of each store; nil when it is not known from when on changes count.
    var knownSequences: [ExactString: UInt64]? {
        state.withLock { $0.isComplete ? $0.known : nil }
    }
}

extension DatabaseFile {
    /// Begins to look for other processes' changes. To be called when somebody has begun to listen.
    func watchForeignChanges() {
        guard let writer = try? writer() else { return }
        foreignChanges.start {
            try read { try InfoStore.lastSequences(on: $0.connection) }
        } look: { [weak self, weak writer] in
            guard let self, let writer, changes.hasObservers else { return false }
            writer.lookForForeignChanges()
            return true
        }
    }
}

extension Writer {
    /// Has listeners told what other processes have committed. When another thread is writing just now that is done by it.
    func lookForForeignChanges() {
        guard lock.tryLock() else { return }
        let isNew = (try? hasForeignChanges()) ?? false
        lock.unlock()
        // What another process's lock holds up is found the next time.
        if isNew { try? transaction { _ in } }
    }

    /// The documents that other processes have changed since the last look, in the order of the changes. To be called in a
    /// transaction, at its start. What cannot be read is passed over: nobody's own work depends on it.
    func foreignChanges() -> [CollectionID: [String]] {
        guard let file = context.file, let known = file.foreignChanges.knownSequences,
            let lastSequences = try? InfoStore.lastSequences(on: connection)
        else { return [:] }
        var found: [CollectionID: [String]] = [:]
        for (store, lastSequence) in lastSequences {
            let since = known[store] ?? 0
            guard lastSequence > since, let id = CollectionID(storeName: store.string) else { continue }
            file.foreignChanges.committed(lastSequence, in: store.string)
            guard let collection = try? file.knownCollection(id) ?? file.collection(id) else { continue }
            found[id] = try? changedDocuments(since: since, in: collection.tables)
        }
        return found.filter { !$0.value.isEmpty }
    }

    private func hasForeignChanges() throws -> Bool {
        guard !connection.isClosed else { return false }
        // The version stands for the content once something has been read.
        _ = try connection.scalar("SELECT 1 FROM kv_info LIMIT 1")
        return connection.contentVersion != contentVersion
    }

    private func changedDocuments(since sequence: UInt64, in tables: CollectionTables) throws -> [String] {
        let names = [tables.liveName, tables.tombstoneName].compactMap { $0 }
        for name in names {
            // As the original does before it reads by sequence (Storage format 2.4). It may not be possible; then it is slow.
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

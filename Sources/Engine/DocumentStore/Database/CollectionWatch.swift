import Base
package import Dispatch
import SQLiteEngine
import Synchronization

/// Notifies waiting observers that a commit, by any process, has changed documents of a collection.
///
/// The notification contains neither the documents nor the number of changes. An observer is notified at most once for each name that it has
/// registered for, until it calls ``wait(_:)`` again. So a commit to a collection without waiting observers costs one dictionary lookup,
/// whatever the number of observers of other collections. Commits of this process are reported immediately. Changes by other processes,
/// including purges, are looked for every ``interval`` while any observer is registered. Which expiration times they set is not known, so
/// observers of expiration times are notified of every change by another process, except in files that are opened read-only.
package final class CollectionWatch: Sendable {
    /// Identifies a registered observer.
    package struct Registration: Hashable, Sendable {
        fileprivate let number: Int
    }

    /// The interval between two checks of the file for changes by other processes, in milliseconds. A check takes some microseconds.
    static let interval: Int64 = 1000

    fileprivate struct Waiter: Sendable {
        let stores: [ExactString]
        let changed: @Sendable () -> Void
    }

    /// The state of the file at the last check or commit.
    fileprivate struct FileState: Sendable {
        var counts: [ExactString: StoreCounts]
        let schemaVersion: Int64
    }

    fileprivate struct State {
        var waiters: [Int: Waiter] = [:]
        var nextNumber = 0
        /// The numbers of the observers to notify of the next change, by store.
        var waiting: [ExactString: Set<Int>] = [:]
        var seen: FileState?
        /// The version of the content after the last known change by another process.
        var foreignVersion: UInt32?
        var wakeUp: ScheduledCall?
        var isStopped = false
    }

    /// The serial queue on which the file is checked. Observers may use it for their own work.
    package let queue = DispatchQueue(label: "CouchbaseLite.watch")
    private let clock: any SteadyClock
    private let state = Mutex(State())
    private let count = Atomic(0)

    init(_ clock: any SteadyClock) {
        self.clock = clock
    }

    /// Whether any observer is registered. Otherwise no changes need to be recorded.
    var isNeeded: Bool { count.load(ordering: .relaxed) > 0 }

    /// Registers an observer, which can call ``wait(_:)`` from now on.
    ///
    /// - Parameters:
    ///   - stores: The names of the collections' stores, and those for their expiration times (``ChangedStore/expirations(of:)``).
    ///   - file: The file. It is read once if no observer was registered before.
    ///   - changed: Called at most once for each name after each ``wait(_:)``, on ``queue`` or by a committing thread that holds the write
    ///     lock: it must return quickly.
    /// - Throws: An error of the file if it cannot be read.
    package func register(for stores: [String], of file: DatabaseFile, changed: @escaping @Sendable () -> Void) throws -> Registration {
        let (registration, isFirst) = state.withLock { state in
            state.nextNumber += 1
            state.waiters[state.nextNumber] = Waiter(stores: stores.map { ExactString($0) }, changed: changed)
            count.store(state.waiters.count, ordering: .relaxed)
            return (Registration(number: state.nextNumber), state.wakeUp == nil)
        }
        guard isFirst else { return registration }
        do {
            let seen = try Self.readState(of: file)
            state.withLock { state in
                state.seen = seen
                if state.wakeUp == nil { scheduleCheck(at: file, &state) }
            }
        } catch {
            remove(registration)
            throw error
        }
        return registration
    }

    /// Requests a notification of the next change under each of the observer's names.
    package func wait(_ registration: Registration) {
        state.withLock { state in
            for store in state.waiters[registration.number]?.stores ?? [] {
                state.waiting[store, default: []].insert(registration.number)
            }
        }
    }

    /// Removes an observer, which is not notified any more.
    package func remove(_ registration: Registration) {
        // The observer's closure is released outside of the lock.
        let removed = state.withLock { state -> Waiter? in
            let removed = state.waiters.removeValue(forKey: registration.number)
            count.store(state.waiters.count, ordering: .relaxed)
            for store in removed?.stores ?? [] { state.waiting[store]?.remove(registration.number) }
            return removed
        }
        withExtendedLifetime(removed) {}
    }

    /// Stops checking the file.
    func stop() {
        state.withLock { state in
            state.isStopped = true
            state.wakeUp?.cancel()
            state.wakeUp = nil
        }
    }

    /// Notifies the observers of a commit by this process. Must be called under the write lock.
    func committed(_ changes: [ChangedStore]) {
        let waiters = state.withLock { state in
            for change in changes {
                if let counts = change.counts { state.seen?.counts[ExactString(change.store)] = counts }
            }
            return state.removeWaiters(changes.lazy.map { ExactString($0.store) })
        }
        for waiter in waiters { waiter.changed() }
    }

    // MARK: Changes by other processes

    /// Notifies the observers of expiration times that another process has changed the file. Returns `false` if this was known.
    @discardableResult
    func changedByAnotherProcess(version: UInt32) -> Bool {
        let waiters = state.withLock { state -> [Waiter]? in
            guard state.foreignVersion != version else { return nil }
            state.foreignVersion = version
            return state.removeWaiters(state.waiting.keys.filter { $0.string.beginsExactly(with: ChangedStore.expirationsPrefix) })
        }
        for waiter in waiters ?? [] { waiter.changed() }
        return waiters != nil
    }

    private static func readState(of file: DatabaseFile) throws -> FileState {
        try file.read { context in
            FileState(
                counts: try StoreCounts.all(on: context.connection),
                schemaVersion: try context.schemaVersion
            )
        }
    }

    private func scheduleCheck(at file: DatabaseFile, _ state: inout State) {
        guard !state.isStopped else { return }
        state.wakeUp = clock.wake(at: clock.now + Self.interval, on: queue) { [weak self, weak file] in
            guard let self, let file else { return }
            checkForChanges(of: file)
        }
    }

    private func checkForChanges(of file: DatabaseFile) {
        let isNeeded = state.withLock { state in
            if state.waiters.isEmpty { state.wakeUp = nil }
            return !state.waiters.isEmpty
        }
        guard isNeeded else { return }
        // If the file cannot be read now, for example because it is being replaced, it is checked again after the next interval.
        let now = try? Self.readState(of: file)
        let waiters = state.withLock { state in
            scheduleCheck(at: file, &state)
            guard let now else { return [Waiter]() }
            let before = state.seen
            state.seen = now
            // Tables and indexes may have been created or dropped, which can concern every observer.
            if before?.schemaVersion != now.schemaVersion { return state.removeWaiters(Array(state.waiting.keys)) }
            return state.removeWaiters(now.counts.filter { before?.counts[$0.key] != $0.value }.keys)
        }
        for waiter in waiters { waiter.changed() }
        if let version = file.writerIfWritable?.foreignVersion(), changedByAnotherProcess(version: version) {
            file.expirations.scheduleWakeUp()
        }
    }
}

extension CollectionWatch.State {
    /// Removes and returns the observers that wait for a change of one of the stores, in the order of their registration.
    fileprivate mutating func removeWaiters(_ stores: some Sequence<ExactString>) -> [CollectionWatch.Waiter] {
        var numbers: Set<Int> = []
        for store in stores {
            guard let waiting = self.waiting.removeValue(forKey: store) else { continue }
            numbers.formUnion(waiting)
        }
        if numbers.isEmpty { return [] }
        return numbers.sorted().compactMap { waiters[$0] }
    }
}

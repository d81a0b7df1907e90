package import Dispatch
import ExactStrings
import SQLiteEngine
import Synchronization

/// What a transaction has changed.
struct ChangedStore {
    let store: String
    /// The counts it has now; nil when its collection has been deleted, which leaves them as they were.
    let counts: StoreCounts?
}

/// Tells who waits for it that documents of a collection have been changed by a commit, whoever made it.
///
/// It says neither which documents nor how often: who waits is told once, and then no more until it waits again. So a commit
/// to a collection for which nobody waits costs one look-up, however many wait for others. What this process commits is told
/// at once; what other processes do, purges included, is looked for every ``interval`` while anybody is registered.
package final class CollectionWatch: Sendable {
    /// Somebody who wants to be told.
    package struct Registration: Hashable, Sendable {
        fileprivate let number: Int
    }

    /// How often the file is looked at for what others have done, in milliseconds. A look costs some microseconds.
    static let interval: Int64 = 1000

    fileprivate struct Waiter: Sendable {
        let stores: [ExactString]
        let changed: @Sendable () -> Void
    }

    /// What the file held when it was last looked at, or committed to.
    fileprivate struct Seen: Sendable {
        var counts: [ExactString: StoreCounts]
        let schemaVersion: Int64
    }

    fileprivate struct State {
        var waiters: [Int: Waiter] = [:]
        var nextNumber = 0
        /// Those who are told of the next change of a store.
        var waiting: [ExactString: Set<Int>] = [:]
        var seen: Seen?
        var wakeUp: ScheduledCall?
        var isStopped = false
    }

    /// Where the file is looked at: a serial queue, on which those who wait may do their work too.
    package let queue = DispatchQueue(label: "CouchbaseLite.watch")
    private let clock: any SteadyClock
    private let state = Mutex(State())
    private let count = Atomic(0)

    init(_ clock: any SteadyClock) {
        self.clock = clock
    }

    /// Whether anybody is registered: otherwise nothing needs to be noted.
    var isNeeded: Bool { count.load(ordering: .relaxed) > 0 }

    /// Adds somebody who can wait from now on.
    ///
    /// - Parameters:
    ///   - stores: The names of the collections' stores.
    ///   - file: The file, which is read once when nobody has been registered before.
    ///   - changed: Is called by the thread that has committed, with the write lock held: it must be brief.
    package func register(for stores: [String], of file: DatabaseFile, changed: @escaping @Sendable () -> Void) throws -> Registration {
        let (registration, isFirst) = state.withLock { state in
            state.nextNumber += 1
            state.waiters[state.nextNumber] = Waiter(stores: stores.map { ExactString($0) }, changed: changed)
            count.store(state.waiters.count, ordering: .relaxed)
            return (Registration(number: state.nextNumber), state.wakeUp == nil)
        }
        guard isFirst else { return registration }
        do {
            let seen = try Self.look(at: file)
            state.withLock { state in
                state.seen = seen
                if state.wakeUp == nil { lookLater(at: file, &state) }
            }
        } catch {
            remove(registration)
            throw error
        }
        return registration
    }

    /// Has somebody told when one of its collections is changed the next time.
    package func wait(_ registration: Registration) {
        state.withLock { state in
            for store in state.waiters[registration.number]?.stores ?? [] {
                state.waiting[store, default: []].insert(registration.number)
            }
        }
    }

    /// Tells somebody no more.
    package func remove(_ registration: Registration) {
        // What it refers to must go outside of the lock.
        let removed = state.withLock { state -> Waiter? in
            let removed = state.waiters.removeValue(forKey: registration.number)
            count.store(state.waiters.count, ordering: .relaxed)
            for store in removed?.stores ?? [] { state.waiting[store]?.remove(registration.number) }
            return removed
        }
        withExtendedLifetime(removed) {}
    }

    /// Looks no more.
    func stop() {
        state.withLock { state in
            state.isStopped = true
            state.wakeUp?.cancel()
            state.wakeUp = nil
        }
    }

    /// This process has committed changes. To be called under the write lock.
    func committed(_ changes: [ChangedStore]) {
        let waiters = state.withLock { state in
            for change in changes {
                if let counts = change.counts { state.seen?.counts[ExactString(change.store)] = counts }
            }
            return state.takeWaiters(changes.lazy.map { ExactString($0.store) })
        }
        for waiter in waiters { waiter.changed() }
    }

    // MARK: What others do

    private static func look(at file: DatabaseFile) throws -> Seen {
        try file.read { context in
            Seen(
                counts: try StoreCounts.all(on: context.connection),
                schemaVersion: try context.connection.scalar("PRAGMA schema_version") ?? 0
            )
        }
    }

    private func lookLater(at file: DatabaseFile, _ state: inout State) {
        guard !state.isStopped else { return }
        state.wakeUp = clock.wake(at: clock.now + Self.interval, on: queue) { [weak self, weak file] in
            guard let self, let file else { return }
            lookForChanges(of: file)
        }
    }

    private func lookForChanges(of file: DatabaseFile) {
        let isNeeded = state.withLock { state in
            if state.waiters.isEmpty { state.wakeUp = nil }
            return !state.waiters.isEmpty
        }
        guard isNeeded else { return }
        // What cannot be read now, say because the file is being replaced, is looked at the next time.
        let now = try? Self.look(at: file)
        let waiters = state.withLock { state in
            lookLater(at: file, &state)
            guard let now else { return [Waiter]() }
            let before = state.seen
            state.seen = now
            // Tables and indexes may have come or gone: that may concern everybody.
            if before?.schemaVersion != now.schemaVersion { return state.takeWaiters(Array(state.waiting.keys)) }
            return state.takeWaiters(now.counts.filter { before?.counts[$0.key] != $0.value }.keys)
        }
        for waiter in waiters { waiter.changed() }
    }
}

extension CollectionWatch.State {
    /// Those who wait for a change of one of the stores, in the order of their registrations. They do not wait any more.
    fileprivate mutating func takeWaiters(_ stores: some Sequence<ExactString>) -> [CollectionWatch.Waiter] {
        var numbers: Set<Int> = []
        for store in stores {
            guard let waiting = self.waiting.removeValue(forKey: store) else { continue }
            numbers.formUnion(waiting)
        }
        if numbers.isEmpty { return [] }
        return numbers.sorted().compactMap { waiters[$0] }
    }
}

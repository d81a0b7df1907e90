#if Replication
import Base
import Replication
import SyncCore
import Synchronization

/// What the clients of one database have synced since the hub was started.
package struct SyncCount: Sendable, Equatable {
    /// The number of clients that are connected at the moment.
    package var clients: UInt64 = 0
    /// The number of documents that clients have accepted from the hub, including deletions.
    package var sent: UInt64 = 0
    /// The number of documents that the hub has stored for clients, including deletions.
    package var received: UInt64 = 0
    /// How often one side has refused a document, for example because the user may not store it. A client may push a refused document again,
    /// since another one that it has pushed meanwhile may have made it acceptable.
    package var refused: UInt64 = 0
    /// The number of connections that ended with an error.
    package var failures: UInt64 = 0
}

/// Counts what clients sync, by database. Thread-safe.
final class SyncCounters: Sendable {
    /// Called after each change of a count of any database.
    let observers = ChangeObservers()
    /// The databases of a hub, whose number does not change.
    private let counts = Mutex<[ExactString: SyncCount]>([:])

    func count(of database: String) -> SyncCount { counts.withLock { $0[ExactString(database)] ?? SyncCount() } }

    /// Begins to count for a client. Its reports must be passed to the result.
    func begin(_ database: String) -> CountedSession {
        change(database) { $0.clients += 1 }
        return CountedSession(self, database)
    }

    fileprivate func change(_ database: String, _ body: (inout SyncCount) -> Void) {
        counts.withLock { body(&$0[ExactString(database), default: SyncCount()]) }
        observers.notify()
    }
}

/// Adds the reports of one session to the counters of its database. The client counts as connected until the end is reported, or this object
/// is released.
final class CountedSession: Sendable {
    private let counters: SyncCounters
    private let database: String
    /// What was added already: the counts of a session never decrease.
    private let added = Mutex(SessionCounts())
    private let hasEnded = Atomic(false)

    fileprivate init(_ counters: SyncCounters, _ database: String) {
        self.counters = counters
        self.database = database
    }

    deinit { end(nil) }

    func handle(_ report: SessionReport) {
        switch report {
        case .status(let status): add(status.counts)
        case .ended(let error): end(error)
        case .documents, .conflict: break
        }
    }

    private func end(_ error: SyncError?) {
        guard !hasEnded.exchange(true, ordering: .relaxed) else { return }
        counters.change(database) { count in
            count.clients -= min(count.clients, 1)
            if let error, !Self.isNormalEnd(error) { count.failures += 1 }
        }
    }

    private func add(_ counts: SessionCounts) {
        let before = added.withLock { added in
            defer { added = counts }
            return added
        }
        guard counts != before else { return }
        counters.change(database) { count in
            count.sent &+= counts.pushed &- before.pushed
            count.received &+= counts.pulled &+ counts.removed &- before.pulled &- before.removed
            count.refused &+= counts.refused &- before.refused
        }
    }

    /// The client decides when to close: these codes are not errors (RFC 6455, 7.4.1).
    private static func isNormalEnd(_ error: SyncError) -> Bool { error.domain == .webSocket && [1000, 1001].contains(error.code) }
}
#endif

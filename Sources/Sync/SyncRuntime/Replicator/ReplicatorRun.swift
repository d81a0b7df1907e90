#if Replication
import Dispatch
import DocumentStore
import Replication

/// The state of a replicator between its start and its stop. It is used on the queue of the replicator only.
final class ReplicatorRun {
    /// The object that is retained while the replicator runs.
    private(set) var owner: (any AnyObject & Sendable)?
    /// Whether the next successful attempt to connect resets the checkpoints.
    var isReset: Bool
    var connection: SessionDriver?
    var timer: ScheduledCall?
    var throttle = StatusThrottle()
    var documents = EndedDocumentBatch()
    /// What became of the documents on earlier connections, and the last status of the current one.
    var earlier = ReplicatorTotals()
    var sessionStatus: SessionStatus?
    /// The documents whose conflicts were resolved in a one-shot run, and of which listeners were notified. Pushing their results is not
    /// reported again.
    var resolved: Set<DocumentKey> = []
    private var activities: [@Sendable () -> Void]

    init(_ owner: any AnyObject & Sendable, isReset: Bool, activities: [@Sendable () -> Void]) {
        (self.owner, self.isReset, self.activities) = (owner, isReset, activities)
    }

    /// Returns whether a document is the pushed result of a conflict that was reported in this run. Returns `true` once for each.
    func isResult(_ document: EndedDocument) -> Bool {
        guard !resolved.isEmpty, document.isPush, document.error == nil else { return false }
        return resolved.remove(DocumentKey(document.documentID, in: document.collection)) != nil
    }

    func flushDocuments(_ observer: any ReplicatorObserver) {
        let rounds = documents.drain()
        guard let owner else { return }
        for round in rounds {
            for (isPush, documents) in [(false, round.pulled), (true, round.pushed)] where !documents.isEmpty {
                observer.notify(documents, isPush: isPush, of: owner)
            }
        }
    }

    /// Releases everything when the replicator has stopped.
    func finish() {
        timer?.cancel()
        throttle.cancel()
        owner = nil
        _ = documents.drain()
        let endings = activities
        activities = []
        for end in endings { end() }
    }
}

/// Limits progress reports to one every 200 ms (Replication 4.12).
struct StatusThrottle {
    private static let interval: Int64 = 200

    private var lastNotified: Int64?
    private var wakeUp: ScheduledCall?

    /// Returns whether progress may be reported now. If not, `report` is called once when it may, even if this method is called several times
    /// until then.
    mutating func mayReport(_ clock: any SteadyClock, _ queue: DispatchQueue, later report: @escaping @Sendable () -> Void) -> Bool {
        guard wakeUp == nil else { return false }
        guard let lastNotified, lastNotified + Self.interval > clock.now else { return true }
        wakeUp = clock.wake(at: lastNotified + Self.interval, on: queue, report)
        return false
    }

    mutating func noteReport(_ clock: any SteadyClock) {
        lastNotified = clock.now
        cancel()
    }

    mutating func cancel() {
        wakeUp?.cancel()
        wakeUp = nil
    }
}
#endif

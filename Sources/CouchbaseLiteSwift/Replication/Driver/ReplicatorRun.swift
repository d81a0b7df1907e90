#if Replication
import DocumentStore
import Replication

/// What a replicator has from its start until it has stopped. To be used on its queue only.
final class ReplicatorRun: @unchecked Sendable {
    // Unchecked: it is touched on the queue of its replicator only.
    /// The replicator, which is kept as long as it runs.
    private(set) var replicator: Replicator?
    /// Whether the checkpoints are to be forgotten by the next connection that can be made.
    var isReset: Bool
    var connection: SessionDriver?
    var timer: ScheduledCall?
    var resolving: ConflictResolving?
    var throttle = StatusThrottle()
    let documents: EndedDocumentBatch
    private var activities: [() -> Void]

    init(_ replicator: Replicator, isReset: Bool, activities: [() -> Void]) {
        self.replicator = replicator
        self.isReset = isReset
        self.activities = activities
        documents = EndedDocumentBatch(replicator)
    }

    /// It has stopped: lets go of everything.
    func finish() {
        timer?.cancel()
        throttle.cancel()
        resolving = nil
        replicator = nil
        documents.forget()
        let endings = activities
        activities = []
        for end in endings { end() }
    }
}

/// Sees to it that progress is told not more often than every 200 ms (Replication 4.12).
struct StatusThrottle {
    private static let interval: Int64 = 200

    private var lastTold: Int64?
    private var wakeUp: ScheduledCall?

    /// Whether it is time to tell. If not, `tell` is called when it is: once, however often that is asked for meanwhile.
    mutating func isTime(_ clock: any SteadyClock, _ queue: DispatchQueue, later tell: @escaping @Sendable () -> Void) -> Bool {
        guard wakeUp == nil else { return false }
        guard let lastTold, lastTold + Self.interval > clock.now else { return true }
        wakeUp = clock.wake(at: lastTold + Self.interval, on: queue, tell)
        return false
    }

    /// The status has been told.
    mutating func didTell(_ clock: any SteadyClock) {
        lastTold = clock.now
        cancel()
    }

    mutating func cancel() {
        wakeUp?.cancel()
        wakeUp = nil
    }
}
#endif

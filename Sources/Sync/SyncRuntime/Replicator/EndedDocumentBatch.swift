#if Replication
import Dispatch
import DocumentStore

/// Collects replicated documents, of which listeners are notified together: after 200 ms, or when there are a hundred (Replication 4.12).
struct EndedDocumentBatch {
    private static let interval: Int64 = 200
    private static let largest = 100

    /// The documents of two notifications: the pulled documents, then the pushed ones. Usually a document is pulled before it is pushed:
    /// first with a conflict, then with the result of its resolver.
    struct Round {
        private(set) var pulled: [ReportedDocument] = []
        private(set) var pushed: [ReportedDocument] = []
        /// The pushed documents, which cannot be added as pulled any more.
        private var pushedKeys: Set<DocumentKey> = []

        /// Adds a document. Returns `false` if listeners would be notified of its events in the wrong order.
        mutating func add(_ document: ReportedDocument, isPush: Bool) -> Bool {
            if isPush {
                pushedKeys.insert(DocumentKey(document.documentID, in: document.collection))
                pushed.append(document)
                return true
            }
            let isInOrder = pushedKeys.isEmpty || !pushedKeys.contains(DocumentKey(document.documentID, in: document.collection))
            guard isInOrder else { return false }
            pulled.append(document)
            return true
        }
    }

    private var rounds: [Round] = []
    private var count = 0
    private var wakeUp: ScheduledCall?

    mutating func add(_ document: ReportedDocument, isPush: Bool) {
        count += 1
        if let last = rounds.indices.last, rounds[last].add(document, isPush: isPush) { return }
        var round = Round()
        _ = round.add(document, isPush: isPush)
        rounds.append(round)
    }

    /// Returns whether listeners must be notified now. If not, `flush` is called when it is time for it, unless there are no documents.
    mutating func isDue(_ clock: any SteadyClock, _ queue: DispatchQueue, later flush: @escaping @Sendable () -> Void) -> Bool {
        if count >= Self.largest { return true }
        if count > 0, wakeUp == nil { wakeUp = clock.wake(at: clock.now + Self.interval, on: queue, flush) }
        return false
    }

    /// Removes and returns all documents: each document in the order of its events, pushed and pulled ones separately.
    mutating func drain() -> [Round] {
        wakeUp?.cancel()
        defer { self = EndedDocumentBatch() }
        return rounds
    }
}
#endif

#if Replication
import Dispatch
import DocumentStore
import ExactStrings

/// Collects replicated documents, of which listeners are notified together: after 200 ms, or when there are a hundred (Replication 4.12).
final class EndedDocumentBatch: @unchecked Sendable {
    // Unchecked: it is accessed on the queue of its replicator only.
    private static let interval: Int64 = 200
    private static let largest = 100

    /// The documents of two notifications: the pulled documents, then the pushed ones. Usually a document is pulled before it is pushed:
    /// first with a conflict, then with the result of its resolver.
    private struct Round {
        var pulled: [ReportedDocument] = []
        var pushed: [ReportedDocument] = []
        /// The pushed documents, which cannot be added as pulled any more.
        private var pushedKeys: Set<Key> = []

        private struct Key: Hashable {
            let collection: CollectionID
            let document: ExactString

            init(_ document: ReportedDocument) {
                collection = document.collection
                self.document = ExactString(document.documentID)
            }
        }

        /// Adds a document. Returns `false` if listeners would be notified of its events in the wrong order.
        mutating func add(_ document: ReportedDocument, isPush: Bool) -> Bool {
            if isPush {
                pushedKeys.insert(Key(document))
                pushed.append(document)
                return true
            }
            guard pushedKeys.isEmpty || !pushedKeys.contains(Key(document)) else { return false }
            pulled.append(document)
            return true
        }
    }

    private var owner: (any AnyObject & Sendable)?
    private var rounds: [Round] = []
    private var count = 0
    private var wakeUp: ScheduledCall?

    init(_ owner: any AnyObject & Sendable) {
        self.owner = owner
    }

    func add(_ document: ReportedDocument, isPush: Bool) {
        count += 1
        if let last = rounds.indices.last, rounds[last].add(document, isPush: isPush) { return }
        var round = Round()
        _ = round.add(document, isPush: isPush)
        rounds.append(round)
    }

    /// Notifies listeners when it is time for it.
    func flushSoon(_ observer: any ReplicatorObserver, _ clock: any SteadyClock, _ queue: DispatchQueue) {
        if count >= Self.largest { return flush(observer) }
        guard count > 0, wakeUp == nil else { return }
        wakeUp = clock.wake(at: clock.now + Self.interval, on: queue) { [weak self] in self?.flush(observer) }
    }

    /// Notifies listeners of all documents: of each document in the order of its events, of pushed and pulled ones separately.
    func flush(_ observer: any ReplicatorObserver) {
        let rounds = takeAll()
        guard let owner else { return }
        for round in rounds {
            for (isPush, documents) in [(false, round.pulled), (true, round.pushed)] where !documents.isEmpty {
                observer.notify(documents, isPush: isPush, of: owner)
            }
        }
    }

    func discard() {
        _ = takeAll()
        owner = nil
    }

    private func takeAll() -> [Round] {
        wakeUp?.cancel()
        wakeUp = nil
        count = 0
        defer { rounds = [] }
        return rounds
    }
}
#endif

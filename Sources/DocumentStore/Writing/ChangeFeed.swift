import ExactStrings
import Synchronization

/// What one commit changed.
package struct CommittedChanges: Sendable {
    /// For each collection, the documents that were saved, deleted or purged, in the order of the changes, each once.
    package let documents: [CollectionID: [String]]
    /// The collections that were deleted.
    package let deletedCollections: Set<CollectionID>
    private let sets: [CollectionID: Set<ExactString>]

    init(_ changes: [CollectionID: (ids: [String], set: Set<ExactString>)], deletedCollections: Set<CollectionID> = []) {
        self.deletedCollections = deletedCollections
        documents = changes.mapValues(\.ids)
        sets = changes.mapValues(\.set)
    }

    /// Whether a document is among them.
    package func contains(_ documentID: String, in collection: CollectionID) -> Bool {
        sets[collection]?.contains(documentID) ?? false
    }
}

/// Tells observers what has been committed through a file, in the order of the commits.
///
/// Observers are called on the committing thread with no lock held but the feed's own order: they must be brief, and hand on
/// to a queue whatever takes time.
package final class ChangeFeed: Sendable {
    package struct Token: Hashable, Sendable {
        fileprivate let number: Int
    }

    package typealias Observer = @Sendable (CommittedChanges) -> Void

    private struct State {
        var observers: [Int: Observer] = [:]
        var nextNumber = 0
        var queue: [CommittedChanges] = []
        var isDelivering = false
    }

    private let state = Mutex(State())
    private let observerCount = Atomic(0)
    private let firstObserverAdded: @Sendable () -> Void

    /// - Parameter firstObserverAdded: Called after the first observer, or the first after a time without any, was added.
    init(firstObserverAdded: @escaping @Sendable () -> Void) {
        self.firstObserverAdded = firstObserverAdded
    }

    /// Whether anybody listens: otherwise nothing needs to be recorded.
    var hasObservers: Bool { observerCount.load(ordering: .relaxed) > 0 }

    package func addObserver(_ observer: @escaping Observer) -> Token {
        let (token, isFirst) = state.withLock { state in
            state.nextNumber += 1
            state.observers[state.nextNumber] = observer
            observerCount.store(state.observers.count, ordering: .relaxed)
            return (Token(number: state.nextNumber), state.observers.count == 1)
        }
        if isFirst { firstObserverAdded() }
        return token
    }

    package func removeObserver(_ token: Token) {
        state.withLock { state in
            state.observers[token.number] = nil
            observerCount.store(state.observers.count, ordering: .relaxed)
        }
    }

    /// Puts changes in line. To be called under the write lock, so that the line has the order of the commits.
    func enqueue(_ changes: CommittedChanges) {
        state.withLock { $0.queue.append(changes) }
    }

    /// Delivers what is in line, unless another thread is doing so. To be called without the write lock.
    func deliver() {
        while true {
            let next: (CommittedChanges, [Observer])? = state.withLock { state in
                guard !state.isDelivering, !state.queue.isEmpty else { return nil }
                state.isDelivering = true
                let observers = state.observers.sorted { $0.key < $1.key }.map(\.value)
                return (state.queue.removeFirst(), observers)
            }
            guard let (changes, observers) = next else { return }
            for observer in observers { observer(changes) }
            state.withLock { $0.isDelivering = false }
        }
    }
}

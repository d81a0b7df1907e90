import Base
import Synchronization

/// The changes made by one commit.
package struct CommittedChanges: Sendable {
    /// The documents that were saved, deleted or purged, by collection, in the order of the changes and each once.
    package let documents: [CollectionID: [String]]
    private let sets: [CollectionID: Set<ExactString>]

    init(_ changes: [CollectionID: (ids: [String], set: Set<ExactString>)]) {
        documents = changes.mapValues(\.ids)
        sets = changes.mapValues(\.set)
    }

    /// Returns whether the commit changed the document.
    package func contains(_ documentID: String, in collection: CollectionID) -> Bool {
        sets[collection]?.contains(documentID) ?? false
    }
}

/// Notifies observers of the changes committed through a file, in the order of the commits.
///
/// Observers are called one after the other by a committing thread, without the write lock. They must return quickly and dispatch longer
/// work to a queue.
package final class ChangeFeed: Sendable {
    /// Identifies an observer.
    package struct Token: Hashable, Sendable {
        fileprivate let number: Int
    }

    /// Receives the changes of one commit. It must return quickly.
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

    /// - Parameter firstObserverAdded: Called after an observer has been added while there was no other one.
    init(firstObserverAdded: @escaping @Sendable () -> Void) {
        self.firstObserverAdded = firstObserverAdded
    }

    /// Whether there are observers. Otherwise no changes need to be recorded.
    var hasObservers: Bool { observerCount.load(ordering: .relaxed) > 0 }

    /// Adds an observer, which is called for later commits until it is removed.
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

    /// Removes an observer. A call that is running on another thread may end after this returns.
    package func removeObserver(_ token: Token) {
        state.withLock { state in
            state.observers[token.number] = nil
            observerCount.store(state.observers.count, ordering: .relaxed)
        }
    }

    /// Queues changes for delivery. Must be called under the write lock, so that the queue has the order of the commits.
    func enqueue(_ changes: CommittedChanges) {
        state.withLock { $0.queue.append(changes) }
    }

    /// Delivers the queued changes, unless another thread is delivering them. Must be called without the write lock.
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

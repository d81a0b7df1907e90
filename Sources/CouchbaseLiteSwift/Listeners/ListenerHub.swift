import DocumentStore
import Synchronization

/// The document and collection listeners of one `Database` object. They are notified of commits to the file.
///
/// It observes the file only while there are listeners.
final class ListenerHub: Sendable {
    /// The maximum number of document IDs per notification.
    static let groupSize = 1000

    private struct Listener: Sendable {
        let receive: @Sendable (CommittedChanges) -> Void
        let finish: @Sendable () -> Void
    }

    private struct State {
        var listeners: [Int: Listener] = [:]
        var nextNumber = 0
        var isStopped = false
    }

    private let feed: ChangeFeed
    private let queues = ListenerQueues()
    private let state = Mutex(State())
    /// Separate from the state because starting to observe reads from the file, and changes can be delivered during
    /// that.
    private let observation = Mutex<ChangeFeed.Token?>(nil)

    init(_ feed: ChangeFeed) {
        self.feed = feed
    }

    /// Adds a listener that is called on a queue. All listeners on that queue are called one at a time, in the order of
    /// the commits.
    ///
    /// - Parameters:
    ///   - documentID: The document whose changes are reported; `nil` for all documents of the collection.
    ///   - queue: The target queue; `nil` means the main queue.
    ///   - notify: Receives the IDs of one group of documents.
    func add(
        to collection: CollectionID,
        documentID: String? = nil,
        queue: DispatchQueue?,
        notify: @escaping ([String]) -> Void
    ) -> ListenerToken {
        // Unsafe is safe here: the old API accepts closures that are not Sendable; they are called one at a time, on
        // the queue that the app specified.
        nonisolated(unsafe) let notify = notify
        let serialQueue = queues.queue(to: queue ?? .main)
        return add(receive: { [weak self] number, changes in
            for group in changes.groups(of: collection, documentID: documentID) {
                serialQueue.async { [weak self] in
                    // A listener that has been removed since is not called any more.
                    guard let self, self.contains(number) else { return }
                    notify(group)
                }
            }
        })
    }

    /// Adds a listener that is called synchronously by the committing thread, so it must be fast.
    ///
    /// - Parameters:
    ///   - receive: Receives the number of the listener, and the changes.
    ///   - finish: Called when no more changes will be reported. Not called when the listener is removed.
    func add(receive: @escaping @Sendable (Int, CommittedChanges) -> Void, finish: @escaping @Sendable () -> Void = {}) -> ListenerToken {
        let (number, isStopped) = state.withLock { state in
            state.nextNumber += 1
            let number = state.nextNumber
            if !state.isStopped {
                state.listeners[number] = Listener(receive: { receive(number, $0) }, finish: finish)
            }
            return (number, state.isStopped)
        }
        if isStopped { finish() } else { observeIfNeeded() }
        return ListenerToken { [weak self] in self?.remove(number) }
    }

    /// Removes all listeners permanently.
    func stop() {
        let listeners = state.withLock { state in
            state.isStopped = true
            defer { state.listeners.removeAll() }
            return state.listeners
        }
        observeIfNeeded()
        for listener in listeners.values { listener.finish() }
    }

    private func remove(_ number: Int) {
        // The listener's references must be released outside the lock: releasing them may remove other listeners.
        let removed = state.withLock { $0.listeners.removeValue(forKey: number) }
        if removed != nil { observeIfNeeded() }
    }

    private func contains(_ number: Int) -> Bool {
        state.withLock { $0.listeners[number] != nil }
    }

    private func observeIfNeeded() {
        observation.withLock { token in
            let isNeeded = state.withLock { !$0.listeners.isEmpty }
            if isNeeded, token == nil {
                token = feed.addObserver { [weak self] in self?.deliver($0) }
            } else if !isNeeded, let current = token {
                feed.removeObserver(current)
                token = nil
            }
        }
    }

    private func deliver(_ changes: CommittedChanges) {
        let listeners = state.withLock { $0.listeners.sorted { $0.key < $1.key } }
        for (_, listener) in listeners { listener.receive(changes) }
    }
}

extension CommittedChanges {
    /// Returns the changes to report to a listener: the document's ID if it has changed, or all changed IDs of the
    /// collection in groups of at most ``ListenerHub/groupSize``.
    fileprivate func groups(of collection: CollectionID, documentID: String?) -> [[String]] {
        guard let ids = documents[collection] else { return [] }
        if let documentID { return contains(documentID, in: collection) ? [[documentID]] : [] }
        if ids.count <= ListenerHub.groupSize { return [ids] }
        return stride(from: 0, to: ids.count, by: ListenerHub.groupSize).map { start in
            Array(ids[start..<min(start + ListenerHub.groupSize, ids.count)])
        }
    }
}

import DocumentStore
import Synchronization

/// The document and collection listeners of one `Database` object, fed by what is committed to the file.
///
/// It observes the file only while there are listeners.
final class ListenerHub: Sendable {
    /// The most IDs told at once.
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
    private let state = Mutex(State())
    /// Apart from the state, because beginning to observe reads from the file, and changes are delivered meanwhile.
    private let observation = Mutex<ChangeFeed.Token?>(nil)

    init(_ feed: ChangeFeed) {
        self.feed = feed
    }

    /// Adds a listener that is called on a queue: on a serial one of its own that leads there, so that its calls come one by
    /// one in the order of the commits.
    ///
    /// - Parameters:
    ///   - documentID: Only changes of this document are told; nil for those of the whole collection.
    ///   - notify: Is called on `queue`, or the main queue, with the IDs of a group.
    func add(
        to collection: CollectionID,
        documentID: String? = nil,
        queue: DispatchQueue?,
        notify: @escaping ([String]) -> Void
    ) -> ListenerToken {
        // The old API takes closures that are not marked Sendable; they are called one at a time, on the queue asked for.
        nonisolated(unsafe) let notify = notify
        let serialQueue = DispatchQueue(label: "CouchbaseLite.listener", target: queue ?? .main)
        return add(receive: { [weak self] number, changes in
            for group in changes.groups(of: collection, documentID: documentID) {
                serialQueue.async { [weak self] in
                    // Removed since: then it wants to hear no more.
                    guard let self, self.contains(number) else { return }
                    notify(group)
                }
            }
        })
    }

    /// Adds a listener that is called at once, by the thread that has committed: it must be brief.
    ///
    /// - Parameters:
    ///   - receive: Is given the number of the listener, and the changes.
    ///   - finish: Is called when nothing more is going to come. Not called when the listener is removed.
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

    /// Drops all listeners, for good.
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
        // What the listener refers to must go outside the lock: it may remove listeners in turn.
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
    /// What a listener is told at a time: the document's ID if it is among the changes, or else all IDs of the collection, at most
    /// a thousand at a time.
    fileprivate func groups(of collection: CollectionID, documentID: String?) -> [[String]] {
        guard let ids = documents[collection] else { return [] }
        if let documentID { return contains(documentID, in: collection) ? [[documentID]] : [] }
        if ids.count <= ListenerHub.groupSize { return [ids] }
        return stride(from: 0, to: ids.count, by: ListenerHub.groupSize).map { start in
            Array(ids[start..<min(start + ListenerHub.groupSize, ids.count)])
        }
    }
}

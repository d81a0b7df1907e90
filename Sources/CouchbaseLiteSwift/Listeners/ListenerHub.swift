import DocumentStore
import Synchronization

/// The document and collection listeners of one `Database` object, fed by what is committed to the file.
///
/// It observes the file only while there are listeners. Each listener has a serial queue that leads to the one it wants to be
/// called on, so that its calls come one by one in the order of the commits.
final class ListenerHub: Sendable {
    /// The most IDs told at once.
    static let groupSize = 1000

    private struct Listener: Sendable {
        let collection: CollectionID
        /// Nil for a listener to the whole collection.
        let documentID: String?
        let line: DispatchQueue
        let notify: @Sendable ([String]) -> Void
    }

    private struct State {
        var listeners: [Int: Listener] = [:]
        var nextNumber = 0
        var feedToken: ChangeFeed.Token?
        var isStopped = false
    }

    private let feed: ChangeFeed
    private let state = Mutex(State())

    init(_ feed: ChangeFeed) {
        self.feed = feed
    }

    /// Adds a listener.
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
        let line = DispatchQueue(label: "CouchbaseLite.listener", target: queue ?? .main)
        let listener = Listener(collection: collection, documentID: documentID, line: line) { notify($0) }
        let number = state.withLock { state -> Int in
            state.nextNumber += 1
            if !state.isStopped {
                state.listeners[state.nextNumber] = listener
                if state.feedToken == nil {
                    state.feedToken = feed.addObserver { [weak self] in self?.deliver($0) }
                }
            }
            return state.nextNumber
        }
        return ListenerToken { [weak self] in self?.remove(number) }
    }

    /// Drops all listeners, for good.
    func stop() {
        let token = state.withLock { state in
            state.isStopped = true
            state.listeners.removeAll()
            defer { state.feedToken = nil }
            return state.feedToken
        }
        if let token { feed.removeObserver(token) }
    }

    private func remove(_ number: Int) {
        let token = state.withLock { state -> ChangeFeed.Token? in
            state.listeners[number] = nil
            guard state.listeners.isEmpty else { return nil }
            defer { state.feedToken = nil }
            return state.feedToken
        }
        if let token { feed.removeObserver(token) }
    }

    private func contains(_ number: Int) -> Bool {
        state.withLock { $0.listeners[number] != nil }
    }

    private func deliver(_ changes: CommittedChanges) {
        let listeners = state.withLock { $0.listeners.sorted { $0.key < $1.key } }
        for (number, listener) in listeners {
            guard let documentIDs = changes.documents[listener.collection] else { continue }
            if let documentID = listener.documentID {
                guard changes.contains(documentID, in: listener.collection) else { continue }
                post([documentID], to: listener, number)
            } else {
                for start in stride(from: 0, to: documentIDs.count, by: Self.groupSize) {
                    post(
                        Array(documentIDs[start..<min(start + Self.groupSize, documentIDs.count)]),
                        to: listener,
                        number
                    )
                }
            }
        }
    }

    private func post(_ documentIDs: [String], to listener: Listener, _ number: Int) {
        listener.line.async { [weak self] in
            // Removed since: then it wants to hear no more.
            guard let self, contains(number) else { return }
            listener.notify(documentIDs)
        }
    }
}

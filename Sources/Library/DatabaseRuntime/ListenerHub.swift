package import Dispatch
package import DocumentStore
import Synchronization

/// The document and collection listeners of one `Database` object. They are notified of commits to the file.
///
/// It observes the file only while there are listeners.
package final class ListenerHub: Sendable {
    /// The maximum number of document IDs per notification.
    static let groupSize = 1000

    private let feed: ChangeFeed
    private let listeners = ListenerList<CommittedChanges>()
    /// Separate from the list because starting to observe reads from the file, and changes can be delivered during that.
    private let observation = Mutex<ChangeFeed.Token?>(nil)

    init(_ feed: ChangeFeed) { self.feed = feed }

    /// Adds a listener that is called on a queue. All listeners on that queue are called one at a time, in the order of the commits.
    ///
    /// - Parameters:
    ///   - documentID: The document whose changes are reported; `nil` for all documents of the collection.
    ///   - queue: The target queue; `nil` means the main queue.
    ///   - notify: Receives the IDs of one group of documents.
    package func add(
        to collection: CollectionID,
        documentID: String? = nil,
        queue: DispatchQueue?,
        notify: @escaping @Sendable ([String]) -> Void
    ) -> ListenerRemoval {
        observed(listeners.add(queue: queue, parts: { $0.groups(of: collection, documentID: documentID) }, notify: notify))
    }

    /// Adds a listener that is called synchronously by the committing thread, so it must be fast.
    ///
    /// - Parameter finish: Called when no more changes will be reported. Not called when the listener is removed.
    func add(receive: @escaping @Sendable (CommittedChanges) -> Void, finish: @escaping @Sendable () -> Void) -> ListenerRemoval {
        observed(listeners.add(receive: { receive($1) }, finish: finish))
    }

    private func observed(_ removal: @escaping ListenerRemoval) -> ListenerRemoval {
        observeIfNeeded()
        return { [weak self] in
            removal()
            self?.observeIfNeeded()
        }
    }

    /// Removes all listeners permanently.
    package func stop() {
        listeners.stop()
        observeIfNeeded()
    }

    private func observeIfNeeded() {
        observation.withLock { token in
            let isNeeded = !listeners.isEmpty
            if isNeeded, token == nil {
                token = feed.addObserver { [weak self] in self?.listeners.notify($0) }
            } else if !isNeeded, let current = token {
                feed.removeObserver(current)
                token = nil
            }
        }
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

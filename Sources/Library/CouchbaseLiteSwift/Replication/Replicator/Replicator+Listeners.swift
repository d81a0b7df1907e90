#if Replication
import DatabaseRuntime
import DocumentStore
import Replication
import SyncCore
import SyncRuntime
import Synchronization

/// Documents that a replicator has pushed or pulled, or failed to push or pull.
public struct DocumentReplication: Sendable {
    /// The replicator that sends the notification.
    public let replicator: Replicator
    /// Whether the documents were pushed; otherwise they were pulled.
    public let isPush: Bool
    /// The documents, all of one direction, in no particular order.
    public let documents: [ReplicatedDocument]
}

/// A document that was pushed or pulled, or failed to be.
public struct ReplicatedDocument: Sendable {
    /// The document's ID.
    public let id: String
    /// Whether the document was deleted, or the user has lost access to it.
    public let flags: DocumentFlags
    /// The reason for the failure, an `NSError`; `nil` if the document was replicated.
    public let error: (any Error)?
    /// The name of the scope.
    public let scope: String
    /// The name of the collection, without the name of its scope.
    public let collection: String
}

extension Replicator {
    /// Adds a listener that is called on the main queue whenever the status changes; see ``addChangeListener(withQueue:_:)``.
    @discardableResult @preconcurrency
    public func addChangeListener(_ listener: @escaping @MainActor (ReplicatorChange) -> Void) -> ListenerToken {
        addChangeListener(withQueue: nil, onMainActor(listener))
    }

    /// Adds a listener that is called whenever the status changes: immediately if the activity changes, and up to five times a second for
    /// progress.
    ///
    /// - Parameters:
    ///   - queue: The queue on which the listener is called; `nil` means the main queue, which on Linux runs only while `RunLoop.main` or
    ///     `dispatchMain()` does.
    ///   - listener: Receives the new status.
    @discardableResult @preconcurrency
    public func addChangeListener(
        withQueue queue: DispatchQueue?,
        _ listener: @escaping @Sendable (ReplicatorChange) -> Void
    ) -> ListenerToken { ListenerToken(listeners.status.add(queue: queue, notify: listener)) }

    /// Adds a listener that is called on the main queue with the documents that were replicated, or failed to be; see
    /// ``addDocumentReplicationListener(withQueue:_:)``.
    @discardableResult @preconcurrency
    public func addDocumentReplicationListener(_ listener: @escaping @MainActor (DocumentReplication) -> Void) -> ListenerToken {
        addDocumentReplicationListener(withQueue: nil, onMainActor(listener))
    }

    /// Adds a listener that is called on `queue` with the documents that were replicated, or failed to be; `nil` means the main queue.
    ///
    /// It is called with several documents at a time, and before a status listener on the same queue is notified that the replicator is
    /// idle or has stopped. A document in conflict is reported when its conflict has been resolved.
    @discardableResult @preconcurrency
    public func addDocumentReplicationListener(
        withQueue queue: DispatchQueue?,
        _ listener: @escaping @Sendable (DocumentReplication) -> Void
    ) -> ListenerToken { ListenerToken(listeners.documents.add(queue: queue, notify: listener)) }

    /// Removes a listener of either kind; see ``ListenerToken/remove()``.
    @available(*, deprecated, message: "Use ListenerToken.remove()")
    public func removeChangeListener(withToken token: ListenerToken) { token.remove() }

    /// Returns a sequence of the status changes from now on. It buffers only the newest status: a slow task misses those in between, but
    /// never the last one.
    ///
    /// The sequence does not end when the replicator stops, because the replicator may be started again. It ends when the replicator is
    /// deallocated, and when the task is cancelled.
    public func statusChanges() -> AsyncStream<Status> { listeners.status.stream(.bufferingNewest(1)) { $0.status } }

    /// Returns a sequence of the documents that are replicated from now on, or fail to be; see
    /// ``addDocumentReplicationListener(withQueue:_:)``. It buffers all documents until the task receives them. The sequence ends like
    /// ``statusChanges()``.
    public func documentReplications() -> AsyncStream<DocumentReplication> { listeners.documents.stream(.unbounded) { $0 } }
}

/// The listeners of a replicator, which are notified of what it reports.
final class ReplicatorListeners: ReplicatorObserver {
    let status: ListenerList<ReplicatorChange>
    let documents: ListenerList<DocumentReplication>
    /// What records the current run; `nil` if it is not recorded.
    private let recording = Mutex<RunRecorder?>(nil)

    init() {
        let queues = ListenerQueues()
        status = ListenerList(queues)
        documents = ListenerList(queues)
    }

    var recorder: RunRecorder? { recording.withLock { $0 } }

    /// Begins to record a run. Returns `false` if one is being recorded.
    func begin(_ recorder: RunRecorder) -> Bool {
        recording.withLock { current in
            guard current == nil else { return false }
            current = recorder
            return true
        }
    }

    /// Ends the recording.
    func endRecording() { recording.withLock { $0 = nil } }

    var wantsDocuments: Bool { recorder != nil || !documents.isEmpty }

    func notify(_ status: ReplicatorStatus, of owner: AnyObject) {
        guard let replicator = (owner as? RecordedRun)?.replicator ?? owner as? Replicator else { return }
        self.status.notify(ReplicatorChange(replicator: replicator, status: Replicator.Status(status)))
        if status.level == .stopped { (owner as? RecordedRun)?.recorder.didEnd(status) }
    }

    func notify(_ documents: [ReportedDocument], isPush: Bool, of owner: AnyObject) {
        guard let replicator = (owner as? RecordedRun)?.replicator ?? owner as? Replicator else { return }
        (owner as? RecordedRun)?.recorder.add(documents, isPush: isPush)
        if self.documents.isEmpty { return }
        let replication = DocumentReplication(replicator: replicator, isPush: isPush, documents: documents.map { ReplicatedDocument($0) })
        self.documents.notify(replication)
    }
}

extension ReplicatedDocument {
    init(_ document: ReportedDocument) {
        id = document.documentID
        flags = DocumentFlags(isDeleted: document.isDeleted, isAccessRemoved: document.isAccessRemoved)
        error = document.error.map { publicError($0) }
        scope = document.collection.scope
        collection = document.collection.name
    }
}

extension Replicator.Status {
    init(_ status: ReplicatorStatus) {
        activity =
            switch status.level {
            case .stopped: .stopped
            case .offline: .offline
            case .connecting: .connecting
            case .idle: .idle
            case .busy: .busy
            }
        progress = Replicator.Progress(completed: status.progress.completed, total: status.progress.total)
        error = status.error?.publicError
        refusedCount = status.progress.totals.refused
        firstRefusal = status.progress.totals.firstRefusal?.publicError
        pushedCount = status.progress.totals.pushed
    }
}
#endif

#if Replication
import DatabaseRuntime
import DocumentStore
import Replication
import SyncCore
import SyncRuntime

/// The listeners of a replicator, which are notified of what it reports.
final class ReplicatorListeners: ReplicatorObserver {
    let status: ListenerList<ReplicatorChange>
    let documents: ListenerList<DocumentReplication>

    init() {
        let queues = ListenerQueues()
        status = ListenerList(queues)
        documents = ListenerList(queues)
    }

    var wantsDocuments: Bool { !documents.isEmpty }

    func notify(_ status: ReplicatorStatus, of owner: AnyObject) {
        guard let replicator = owner as? Replicator else { return }
        self.status.notify(ReplicatorChange(replicator: replicator, status: Replicator.Status(status)))
    }

    func notify(_ documents: [ReportedDocument], isPush: Bool, of owner: AnyObject) {
        guard let replicator = owner as? Replicator else { return }
        let replication = DocumentReplication(replicator: replicator, isPush: isPush, documents: documents.map { ReplicatedDocument($0) })
        self.documents.notify(replication)
    }
}

extension ReplicatedDocument {
    fileprivate init(_ document: ReportedDocument) {
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
    }
}
#endif

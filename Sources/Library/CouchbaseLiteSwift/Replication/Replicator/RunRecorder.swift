#if Replication
import Base
import DocumentStore
import Replication
import SyncCore
import SyncRuntime
import Synchronization

/// Records one run of a replicator, for its report, and waits for its end.
final class RunRecorder: Sendable {
    fileprivate struct DocumentKey: Hashable {
        let collection: CollectionID
        let id: ExactString
        let isPush: Bool
    }

    fileprivate struct State {
        var report = ReplicatorReport()
        /// The refused documents, with their places in the order of refusals. One that is tried again with success is removed.
        var refusals: [DocumentKey: (place: Int, refusal: ReplicatorReport.Refusal)] = [:]
        var refusalCount = 0
        /// The number of refusals that came when ``refusals`` was full.
        var furtherRefusals = 0
        var end: ReplicatorStatus?
        var waiting: CheckedContinuation<ReplicatorStatus, Never>?
    }

    private let state = Mutex(State())

    /// What the run has done so far.
    var report: ReplicatorReport {
        state.withLock { state in
            var report = state.report
            for (_, refusal) in state.refusals.values.sorted(by: { $0.place < $1.place }) { report.refused.append(refusal) }
            report.refused.count += state.furtherRefusals
            return report
        }
    }

    func add(_ documents: [ReportedDocument], isPush: Bool) {
        state.withLock { state in
            for document in documents where document.error as? SyncError != .rejectedByPullFilter { state.add(document, isPush: isPush) }
        }
    }

    func add(_ conflict: Conflict, _ answer: Document?, _ resolved: ResolvedConflict, in collection: CollectionID) {
        let resolution: ReplicatorReport.Resolution
        if resolved.isDeleted {
            resolution = .deleted
        } else if !resolved.isNew {
            resolution = .remote
        } else {
            resolution = answer === conflict.localDocument ? .local : .merged
        }
        let settled = ReplicatorReport.SettledConflict(
            id: conflict.documentID,
            scope: collection.scope,
            collection: collection.name,
            resolution: resolution
        )
        state.withLock { $0.report.conflicts.append(settled) }
    }

    func didEnd(_ status: ReplicatorStatus) {
        let waiting = state.withLock { state in
            state.end = status
            defer { state.waiting = nil }
            return state.waiting
        }
        waiting?.resume(returning: status)
    }

    /// The last status, when the replicator has stopped. May be awaited once.
    var end: ReplicatorStatus {
        get async {
            await withCheckedContinuation { continuation in
                let end = state.withLock { state in
                    if state.end == nil { state.waiting = continuation }
                    return state.end
                }
                if let end { continuation.resume(returning: end) }
            }
        }
    }
}

extension RunRecorder.State {
    fileprivate mutating func add(_ document: ReportedDocument, isPush: Bool) {
        let key = RunRecorder.DocumentKey(collection: document.collection, id: ExactString(document.documentID), isPush: isPush)
        guard let error = document.error else {
            if !refusals.isEmpty { refusals[key] = nil }
            let replicated = ReplicatedDocument(document)
            if isPush { report.pushed.append(replicated) } else { report.pulled.append(replicated) }
            return
        }
        let place = refusals[key]?.place ?? refusalCount
        guard refusals[key] != nil || refusals.count < ReplicatorReport.List<ReplicatorReport.Refusal>.maximumListed else {
            furtherRefusals += 1
            return
        }
        refusalCount = max(refusalCount, place + 1)
        let refusal = ReplicatorReport.Refusal(
            id: document.documentID,
            scope: document.collection.scope,
            collection: document.collection.name,
            isPush: isPush,
            error: publicError(error)
        )
        refusals[key] = (place, refusal)
    }
}

/// What a replicator is started with if its run is recorded.
final class RecordedRun: Sendable {
    let replicator: Replicator
    let recorder: RunRecorder

    init(_ replicator: Replicator, _ recorder: RunRecorder) { (self.replicator, self.recorder) = (replicator, recorder) }
}
#endif

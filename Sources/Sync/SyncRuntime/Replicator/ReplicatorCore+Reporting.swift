#if Replication
import Base
import Replication
import SyncCore

// What a replicator reports to its observer and to the log.

extension ReplicatorCore {
    // MARK: The observer, on the queue

    /// Notifies the observer of all documents that have ended, and of the status.
    func notify(_ level: ReplicatorLifeCycle.Level, _ error: SyncError?, _ run: Run) {
        // Listeners are notified of all documents before they are notified that the replicator is idle or has stopped.
        run.value.flushDocuments(observer)
        notify(ReplicatorStatus(level: level, progress: status.progress, error: error), run)
    }

    func notifyProgress(_ run: Run) {
        // The final status includes any progress that was not reported before the end.
        if isRunning { notify(status, run) }
    }

    private func notify(_ status: ReplicatorStatus, _ run: Run) {
        guard let owner = run.value.owner else { return }
        run.value.throttle.noteReport(clock)
        observer.notify(status, of: owner)
    }

    func receive(_ documents: [EndedDocument], _ run: Run) {
        guard observer.wantsDocuments else { return }
        let state = run.value
        // Documents in conflict are reported when they are resolved.
        for document in documents where !document.isConflictToResolve && !state.isResult(document) {
            state.documents.add(ReportedDocument(document), isPush: document.isPush)
        }
        flushDocumentsSoon(run)
    }

    /// Notifies listeners of documents when it is time for it.
    func flushDocumentsSoon(_ run: Run) {
        let isDue = run.value.documents.isDue(clock, queue) { [weak run, observer] in run?.value.flushDocuments(observer) }
        if isDue { run.value.flushDocuments(observer) }
    }

    // MARK: The log

    func log(_ level: EventLevel, _ message: @autoclosure () -> String) {
        EngineLog.log(level, .replicator, "\(logName): \(message())")
    }

    func log(_ actions: [ReplicatorLifeCycle.Action], _ outlook: Outlook) {
        let (level, error, attempts) = outlook
        for action in actions {
            switch (action, level) {
            case (.connect, _): log(.info, "connecting")
            case (.close, _), (.abort, _): log(.info, "closing the connection")
            case (.setTimer(let time), .offline):
                // Whoever waits for a one-shot replicator should know what it waits for.
                let isNews = attempts.made == 1 && attempts.maximum < .max
                let limit = attempts.maximum < .max ? ", at most \(attempts.maximum - attempts.made) more times" : ""
                log(isNews ? .warning : .info, "retrying in \(Double(time) / 1000) s\(limit): \(error?.description ?? "")")
            case (.report, .offline) where !actions.contains(where: \.isTimer):
                log(.info, error.map { "waiting for the network: \($0)" } ?? "suspended")
            case (.report, .stopped):
                if let error { log(.warning, "stopped with an error: \(error)") } else { log(.info, "stopped") }
            default: break
            }
        }
    }
}

extension ReplicatorLifeCycle.Action {
    fileprivate var isTimer: Bool {
        if case .setTimer = self { true } else { false }
    }
}

extension EndedDocument {
    /// Whether this is a conflict that a resolver is going to resolve.
    fileprivate var isConflictToResolve: Bool {
        !isPush && isTransient && error?.domain == .liteCore && error?.code == EngineCode.conflict.rawValue
    }
}
#endif

#if Replication
import CouchbaseLiteSwift
import Foundation
import Synchronization

/// Runs a replicator until it stops, shows its progress, and counts the replicated documents.
final class ReplicationRun: Sendable {
    /// The result of a run.
    struct Outcome {
        let counts: ReplicationCounts
        /// The number of the signal that interrupted the run; `nil` if none did.
        let signal: Int32?
        /// The error with which the replicator stopped.
        let error: NSError?
        /// Whether it was connected at any time.
        let wasConnected: Bool
    }

    private struct State {
        var counts = ReplicationCounts()
        var wasConnected = false
    }

    private let replicator: Replicator
    private let conflicts: ResolvedConflicts
    private let line: StatusLine
    private let state = Mutex(State())
    private let queue = DispatchQueue(label: "cblite.replication")

    /// - Parameters:
    ///   - verb: The verb in the status line.
    ///   - conflicts: The resolver of the replicator, which counts conflicts.
    init(_ replicator: Replicator, _ verb: String, _ target: ReplicationTarget, conflicts: ResolvedConflicts) {
        self.replicator = replicator
        self.conflicts = conflicts
        line = StatusLine("\(verb) \(target.description)")
    }

    /// Starts the replicator, blocks until it has stopped, and returns the result. An interrupt (Ctrl-C) stops the replicator, a second one
    /// exits the process at once.
    func run(reset: Bool) -> Outcome {
        let end = DispatchSemaphore(value: 0)
        let documents = replicator.addDocumentReplicationListener(withQueue: queue) { [self] in note($0) }
        let changes = replicator.addChangeListener(withQueue: queue) { [self] change in
            show(change.status)
            if change.status.activity == .stopped { end.signal() }
        }
        let stop = StopRequest { [self] in
            line.finish()
            StandardStreams.printError("Stopping. A second interrupt exits at once.\n")
            replicator.stop()
        }
        replicator.start(reset: reset)
        end.wait()
        stop.end()
        changes.remove()
        documents.remove()
        line.finish()
        return state.withLock { state in
            state.counts.conflicts = conflicts.counts
            // A one-shot replicator does not notify listeners of the results of conflicts that it has pushed.
            state.counts.pushed = Int(clamping: replicator.status.pushedCount)
            return Outcome(
                counts: state.counts,
                signal: stop.signal,
                error: replicator.status.error as NSError?,
                wasConnected: state.wasConnected
            )
        }
    }

    private func note(_ replication: DocumentReplication) {
        state.withLock { state in
            for document in replication.documents {
                if let error = document.error {
                    let entry = (document.id, replication.isPush, error.localizedDescription)
                    state.counts.failed.append(entry)
                } else if replication.isPush {
                    state.counts.pushed += 1
                } else if document.flags.contains(.accessRemoved) {
                    state.counts.purged += 1
                } else if document.flags.contains(.deleted) {
                    state.counts.deleted += 1
                } else {
                    state.counts.pulled += 1
                }
            }
        }
    }

    private func show(_ status: Replicator.Status) {
        let counts = state.withLock { state in
            if status.activity == .busy || status.activity == .idle { state.wasConnected = true }
            return state.counts
        }
        line.show(status, counts)
    }
}
#endif

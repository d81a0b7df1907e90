#if Replication
    import CouchbaseLiteSwift
    import Foundation
    import Synchronization

    /// Runs a replicator to its end, shows how far it has come, and counts what it did.
    final class ReplicationRun: Sendable {
        /// What has been replicated.
        struct Counts: Sendable {
            var pushed = 0
            var pulled = 0
            var failed: [(id: String, isPush: Bool, message: String)] = []
        }

        private let replicator: Replicator
        private let target: ReplicationTarget
        private let line: StatusLine
        private let counts = Mutex(Counts())
        private let queue = DispatchQueue(label: "cblite.replication")

        /// - Parameter verb: For the status line.
        init(_ replicator: Replicator, _ verb: String, _ target: ReplicationTarget) {
            self.replicator = replicator
            self.target = target
            line = StatusLine("\(verb) \(target.description)")
        }

        /// Starts, waits for the end, and returns what was done. An interrupt (Ctrl-C) stops the replicator in order.
        ///
        /// - Throws: The error the replicator ended with.
        func run(reset: Bool) throws -> Counts {
            let end = DispatchSemaphore(value: 0)
            let documents = replicator.addDocumentReplicationListener(withQueue: queue) { [self] in note($0) }
            let changes = replicator.addChangeListener(withQueue: queue) { [self] change in
                show(change.status)
                if change.status.activity == .stopped { end.signal() }
            }
            let interrupt = Interrupt { [replicator] in replicator.stop() }
            replicator.start(reset: reset)
            end.wait()
            interrupt.cancel()
            changes.remove()
            documents.remove()
            line.finish()
            if let error = replicator.status.error { throw Failure(replication: error as NSError, with: target) }
            return counts.withLock { $0 }
        }

        private func note(_ replication: DocumentReplication) {
            counts.withLock { counts in
                for document in replication.documents {
                    if let error = document.error {
                        let entry = (document.id, replication.isPush, error.localizedDescription)
                        counts.failed.append(entry)
                    } else if replication.isPush {
                        counts.pushed += 1
                    } else {
                        counts.pulled += 1
                    }
                }
            }
        }

        private func show(_ status: Replicator.Status) {
            let (pushed, pulled) = counts.withLock { ($0.pushed, $0.pulled) }
            line.show(status, pushed: pushed, pulled: pulled)
        }
    }

    /// Has something done when somebody types Ctrl-C, or the process is asked to end.
    final class Interrupt {
        private let sources: [any DispatchSourceSignal]

        init(_ work: @escaping @Sendable () -> Void) {
            sources = [SIGINT, SIGTERM].map { number in
                // The default action would end the process before the source is told.
                signal(number, SIG_IGN)
                let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
                source.setEventHandler(handler: work)
                source.resume()
                return source
            }
        }

        func cancel() {
            for source in sources { source.cancel() }
        }
    }
#endif

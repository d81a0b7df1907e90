#if Replication
package import DocumentStore
package import Replication
import SyncCore

extension PassiveConnections {
    /// Serves a client over a connection of the app, until the connection or the database is closed.
    ///
    /// - Parameters:
    ///   - activities: The activities of the database, which wait for the client when the database is closed.
    ///   - openFile: Returns the open file of the database; `nil` if it is closed.
    ///   - notify: Called whenever the status changes, last with ``ReplicatorLifeCycle/Level/stopped``.
    package func serve(
        _ channel: MessageChannel,
        of activities: DatabaseActivities,
        _ options: PassiveOptions,
        openFile: () -> DatabaseFile?,
        notify: @escaping @Sendable (ReplicatorStatus) -> Void
    ) {
        @Sendable func stopped(_ error: SyncError?) -> ReplicatorStatus {
            ReplicatorStatus(level: .stopped, progress: ReplicatorProgress(), error: error)
        }
        channel.works(for: self)
        let activity = activities.begin(
            stop: { channel.close(code: 1000, reason: "") },
            isOfThisThread: { ActivityQueue.isCurrent(for: self) }
        )
        guard let activity, let file = openFile() else {
            if let activity { activities.end(activity) }
            notify(stopped(SyncError(engine: .notOpen, "the database is closed")))
            return channel.cancel()
        }
        notify(ReplicatorStatus(level: .connecting, progress: ReplicatorProgress(), error: nil))
        add(channel, file, options) { report in
            switch report {
            case .status(let status):
                notify(ReplicatorStatus(level: status.isBusy ? .busy : .idle, progress: ReplicatorProgress(status), error: nil))
            case .ended(let error):
                // The client decides when to close: the close code 1001 is not an error.
                let isNormal = error?.domain == .webSocket && error?.code == 1001
                notify(stopped(isNormal ? nil : error))
                activities.end(activity)
            case .documents, .conflict: break
            }
        }
    }
}
#endif

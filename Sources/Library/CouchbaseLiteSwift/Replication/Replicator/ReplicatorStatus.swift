#if Replication
extension Replicator {
    /// The activity of a replicator.
    public enum ActivityLevel: UInt8, Sendable {
        /// The replicator does not run: it was not started, is finished, was stopped, or has failed permanently.
        case stopped = 0
        /// The replicator has no connection: it waits for the next attempt or for the network, or is suspended.
        case offline
        /// The replicator is connecting.
        case connecting
        /// The replicator is connected, and both sides have everything. A replicator that is not continuous is never idle.
        case idle
        /// The replicator is connected and transfers documents, saves its checkpoint, or resolves conflicts.
        case busy
    }

    /// The number of documents that are done on the current connection, and their total. Blobs belong to their documents and do not count.
    public struct Progress: Sendable, Equatable {
        /// The number of documents that are done, including failed ones. At most `total`, and equal to it when everything is done.
        public let completed: UInt64
        /// The number of documents known so far, plus an estimate of those not announced yet if the other side reports its last sequence.
        /// It grows when more documents are found, and shrinks when there are fewer than estimated.
        public let total: UInt64
    }

    /// The activity and the progress of a replicator.
    public struct Status: Sendable {
        /// The activity.
        public let activity: ActivityLevel
        /// The progress.
        public let progress: Progress
        /// The error, an `NSError`, that made the replicator stop or go offline; `nil` while it is connecting or connected, and if it was
        /// not stopped by an error. Documents that were not replicated are no such error; see ``refusedCount``.
        public let error: (any Error)?
        /// The number of documents that were not replicated since the start because of an error, usually because the other side refuses them.
        public let refusedCount: UInt64
        /// The reason, an `NSError`, for the first of these documents; `nil` if there is none. See ``Replicator/documentReplications()`` for all.
        public let firstRefusal: (any Error)?
        /// The number of documents that were pushed since the start.
        package let pushedCount: UInt64
    }
}

/// A notification that the status of a replicator has changed.
public struct ReplicatorChange: Sendable {
    /// The replicator that sends the notification.
    public let replicator: Replicator
    /// The new status.
    public let status: Replicator.Status
}
#endif

#if Replication
extension Replicator {
    /// What a replicator is doing.
    public enum ActivityLevel: UInt8, Sendable {
        /// Nothing, until it is started again: it was stopped, or is ready, or has failed for good.
        case stopped = 0
        /// It has no connection, and tries again later.
        case offline
        /// It makes the connection.
        case connecting
        /// It is connected, and both sides have everything.
        case idle
        /// Documents are on their way.
        case busy
    }

    /// How many documents have been dealt with on the current connection, of how many. Blobs belong to their documents and do not count.
    public struct Progress: Sendable, Equatable {
        /// At most `total`, and equal to it when all is done.
        public let completed: UInt64
        /// What is known of, and, where the other side says how far it has come, an estimate of what it will yet announce. It grows
        /// as more is found to be done, and shrinks when there is less than was expected.
        public let total: UInt64
    }

    /// What a replicator is doing, and how far it is.
    public struct Status: Sendable {
        /// What it is doing.
        public let activity: ActivityLevel
        /// How far it has come.
        public let progress: Progress
        /// What went wrong, an `NSError`: why it stopped or is offline, or what failed without ending it.
        public let error: (any Error)?
    }
}

/// A replicator has another status.
public struct ReplicatorChange: Sendable {
    /// The replicator that tells.
    public let replicator: Replicator
    /// Its status from now on.
    public let status: Replicator.Status
}
#endif

#if Replication
package import DocumentStore
package import SyncCore

/// Creates the connections of a replicator, for any kind of target.
package protocol ReplicatorConnector: Sendable {
    /// The collections that are replicated, of one database.
    var collections: [CollectionID] { get }
    /// The open file of the collections.
    var file: DatabaseFile { get throws }
    /// The solvers of their conflicts.
    var solvers: [CollectionID: any ConflictSolving] { get }
    /// The activities of the databases that must not be closed while the replicator runs.
    var activities: [DatabaseActivities] { get }

    /// The name of the replicator in the log. Contains no secrets.
    var logName: String { get }

    /// Creates a session, and a channel for it that is not open yet.
    ///
    /// - Parameters:
    ///   - isReset: Whether the checkpoints are deleted first.
    ///   - certificateSeen: Called with the server's certificate, DER, even if it is not trusted.
    /// - Throws: An error if a connection is not possible.
    func connect(isReset: Bool, certificateSeen: @escaping @Sendable ([UInt8]) -> Void) throws -> (any ReplicationSession, any FrameChannel)
}
#endif

#if Replication
import SyncCore
import DocumentStore
import Replication

/// Creates the connections of a replicator, for any kind of target.
protocol ReplicatorConnector: Sendable {
    /// The collections that are replicated, of one database.
    var collections: [Collection] { get }
    /// The solvers of their conflicts.
    var resolvers: [CollectionID: ConflictSolver] { get }
    /// The databases that must not be closed while the replicator runs.
    var databases: [Database] { get }

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

extension ReplicatorConnector {
    /// The open file of the collections.
    var file: DatabaseFile {
        get throws {
            guard let collection = collections.first else { throw SyncError(engine: .notOpen) }
            return try collection.database.openFile()
        }
    }
}
#endif

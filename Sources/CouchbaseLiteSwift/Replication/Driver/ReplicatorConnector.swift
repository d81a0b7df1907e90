#if Replication
import SyncCore
import DocumentStore
import Replication

/// Makes the connections of a replicator, to whatever target it has.
protocol ReplicatorConnector: Sendable {
    /// The collections that are replicated, of one database.
    var collections: [Collection] { get }
    /// Who resolves their conflicts.
    var resolvers: [CollectionID: ConflictSolver] { get }
    /// The databases that must not be closed while the replicator runs.
    var databases: [Database] { get }

    /// What the log calls the replicator. Without anything secret.
    var logName: String { get }

    /// A session, and a channel to run it on that is not open yet.
    ///
    /// - Parameters:
    ///   - isReset: Whether the checkpoints are forgotten, before anything else.
    ///   - certificateSeen: Is called with the certificate of the server, DER, even of one that is not trusted.
    /// - Throws: Why there cannot be a connection.
    func connect(isReset: Bool, certificateSeen: @escaping @Sendable ([UInt8]) -> Void) throws -> (any ReplicationSession, any FrameChannel)
}

extension ReplicatorConnector {
    /// The open file of the collections.
    var file: DatabaseFile {
        get throws {
            guard let collection = collections.first else { throw SyncError(.liteCore, CBLError.notOpen) }
            return try collection.database.openFile()
        }
    }
}
#endif

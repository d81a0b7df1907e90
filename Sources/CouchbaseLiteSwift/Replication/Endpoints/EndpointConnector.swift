#if Replication
import BLIP
import DocumentStore
import ExactStrings
import Replication
import SyncCore
import SyncRuntime
import Synchronization

/// Creates the connections that a configuration describes.
final class EndpointConnector: ReplicatorConnector {
    let collections: [CollectionID]
    let solvers: [CollectionID: any ConflictSolving]
    let activities: [DatabaseActivities]
    let logName: String
    // Safe because it is a private copy that is never changed.
    nonisolated(unsafe) private let configuration: ReplicatorConfiguration
    private let target: any ChannelFactory
    /// The directions of connections that are created from now on; changed only by the functions of the preview API.
    let directions: Mutex<Directions>

    struct Directions {
        var pushes: Bool
        var pulls: Bool
    }

    /// Creates a connector.
    ///
    /// - Parameter configuration: Must not be changed afterwards.
    init(_ configuration: ReplicatorConfiguration, _ target: any ChannelFactory) {
        self.configuration = configuration
        self.target = target
        let type = configuration.replicatorType
        directions = Mutex(Directions(pushes: type.pushes, pulls: type.pulls))
        collections = configuration.collections.map(\.store.id)
        solvers = Dictionary(
            configuration.entries.map { ($0.collection.store.id, $0.conflictSolver) },
            uniquingKeysWith: { first, _ in first }
        )
        let databases = configuration.collections.prefix(1).map(\.database)
        logName = "Replicator \(databases.first?.name ?? "") with \(target.logName)"
        activities = (databases + target.databases).map(\.activities)
    }

    var file: DatabaseFile {
        get throws {
            guard let collection = configuration.collections.first else { throw SyncError(engine: .notOpen) }
            return try collection.database.openFile()
        }
    }

    func connect(
        isReset: Bool,
        certificateSeen: @escaping @Sendable ([UInt8]) -> Void
    ) throws -> (any ReplicationSession, any FrameChannel) {
        let replica = ReplicaDatabase(try file)
        for collection in configuration.collections where !collection.store.exists { throw collection.notOpen }
        var options = configuration.activeOptions(remote: try target.remote, directions.withLock { $0 })
        options.logName = logName
        // The stored checkpoints are deleted, so that the next connection does not find them either if this one fails.
        if isReset { try replica.discardCheckpoints(options) }
        let channel = try target.channel(for: configuration, replica, certificateSeen: certificateSeen)
        let session = Session.active(replica, options, blip: target.messages) {
            Int64(Date().timeIntervalSince1970)
        }
        return (session, channel)
    }

    /// Returns the IDs of the documents that are pending push.
    ///
    /// - Throws: `unsupported` if nothing is pushed; `notFound` for a collection that is not replicated.
    func pendingDocuments(of collection: Collection) throws -> [String] {
        try pushing(collection) { replica, options, entry in try replica.pendingDocuments(options, in: entry) }
    }

    /// Returns whether a document is pending push.
    ///
    /// - Throws: As ``pendingDocuments(of:)``.
    func isPending(_ documentID: String, of collection: Collection) throws -> Bool {
        try pushing(collection) { replica, options, entry in try replica.isPending(documentID, options, in: entry) }
    }

    /// Returns the IDs of the documents that the target has refused, and that were not changed since.
    ///
    /// - Throws: As ``pendingDocuments(of:)``.
    func refusedDocuments(of collection: Collection) throws -> [String] {
        try pushing(collection) { replica, options, entry in try replica.refusedDocuments(options, in: entry) }
    }

    /// Runs `body`, which reads on behalf of the collection's `Database` object: batches of other objects are invisible to it.
    private func pushing<Result>(
        _ collection: Collection,
        _ body: (ReplicaDatabase, ActiveOptions, CollectionOptions) throws -> Result
    ) throws -> Result {
        let directions = directions.withLock { $0 }
        guard directions.pushes else {
            throw SyncError(engine: .unsupported, "pending documents exist only for a replicator that pushes")
        }
        guard let entry = configuration.entries.first(where: { $0.collection.isSame(as: collection) }) else {
            throw StoreError.notFound(what: "collection \"\(collection.fullName)\" in the replicator's configuration")
        }
        guard collection.isValid else { throw collection.notOpen }
        let options = configuration.activeOptions(remote: try target.remote, directions)
        return try collection.database.withFile { try body(ReplicaDatabase($0), options, entry.options) }
    }
}

/// Creates the channels to one target.
protocol ChannelFactory: Sendable {
    /// The identifier of the target in checkpoints (Replication 4.2).
    ///
    /// - Throws: An error if the target is not reachable now, or is invalid.
    var remote: String { get throws }
    /// The name of the target in the log. Contains no secrets.
    var logName: String { get }
    /// The target's databases in this process.
    var databases: [Database] { get }
    /// The options for messages to the target.
    var messages: BLIPOptions { get }

    /// Creates a channel that is not open yet.
    func channel(
        for configuration: ReplicatorConfiguration,
        _ replica: ReplicaDatabase,
        certificateSeen: @escaping @Sendable ([UInt8]) -> Void
    ) throws -> any FrameChannel
}

extension ChannelFactory {
    var messages: BLIPOptions { BLIPOptions() }
}

extension ReplicatorConfiguration {
    /// Checks that a replicator can be created.
    func check() throws(Misuse) {
        guard let source = entries.first?.collection.database else {
            throw .invalidArgument("Attempt to initiate replicator with empty collection")
        }
        switch target {
        case is URLEndpoint, is MessageEndpoint: break
        case let endpoint as DatabaseEndpoint:
            let target = endpoint.database
            if let path = source.path, source === target || path.isExactly(target.path) {
                throw .invalidArgument("A database cannot be replicated with itself.")
            }
        default: throw .invalidArgument("\(type(of: target)) is not a supported type of endpoint.")
        }
    }

    /// Returns the connector for the target. Must be called on a checked copy that is not changed afterwards.
    func connector() -> EndpointConnector {
        switch target {
        case let endpoint as URLEndpoint: EndpointConnector(self, WebSocketChannelFactory(endpoint))
        case let endpoint as DatabaseEndpoint: EndpointConnector(self, LocalChannelFactory(endpoint, self))
        case let endpoint as MessageEndpoint: EndpointConnector(self, MessageChannelFactory(endpoint))
        default: _CBLMisuse.invalidArgument("\(type(of: target)) is not a supported type of endpoint.")
        }
    }
}
#endif

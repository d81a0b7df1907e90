#if Replication
import BLIP
import SyncCore
import SyncCore
import DocumentStore
import Replication
import Synchronization

/// Makes the connections that a configuration describes.
final class EndpointConnector: ReplicatorConnector, @unchecked Sendable {
    // Unchecked: the configuration is a copy of our own that nobody changes.
    let collections: [Collection]
    let resolvers: [CollectionID: ConflictSolver]
    let databases: [Database]
    let logName: String
    private let configuration: ReplicatorConfiguration
    private let target: any ChannelFactory
    /// In which directions connections go that are made from now on: only the previews' functions change it.
    let directions: Mutex<Directions>

    struct Directions {
        var pushes: Bool
        var pulls: Bool
    }

    /// - Parameter configuration: Must not be changed any more.
    init(_ configuration: ReplicatorConfiguration, _ target: any ChannelFactory) {
        self.configuration = configuration
        self.target = target
        let type = configuration.replicatorType
        directions = Mutex(Directions(pushes: type.pushes, pulls: type.pulls))
        collections = configuration.collections
        resolvers = Dictionary(
            configuration.entries.map { ($0.collection.store.id, ConflictSolver($0.collection, $0.config)) },
            uniquingKeysWith: { first, _ in first }
        )
        logName = "Replicator \(collections.first?.database.name ?? "") with \(target.logName)"
        databases = (configuration.collections.prefix(1).map(\.database)) + target.databases
    }

    func connect(
        isReset: Bool,
        certificateSeen: @escaping @Sendable ([UInt8]) -> Void
    ) throws -> (any ReplicationSession, any FrameChannel) {
        let replica = ReplicaDatabase(try file)
        for collection in collections where !collection.store.exists { throw collection.notOpen }
        var options = configuration.activeOptions(remote: try target.remote, directions.withLock { $0 })
        options.logName = logName
        // Not only for this connection: should it break off, the next one must not find them either.
        if isReset { try replica.forgetCheckpoints(options) }
        let channel = try target.channel(for: configuration, replica, certificateSeen: certificateSeen)
        let session = Session.active(replica, options, blip: target.messages) {
            Int64(Date().timeIntervalSince1970)
        }
        return (session, channel)
    }

    /// The documents that have yet to be pushed.
    ///
    /// - Throws: `unsupported` when nothing is pushed; `notFound` for a collection that is not replicated.
    func pendingDocuments(of collection: Collection) throws -> [String] {
        let (replica, options, entry) = try pushing(collection)
        return try replica.pendingDocuments(options, in: entry)
    }

    /// Whether a document has yet to be pushed.
    ///
    /// - Throws: As ``pendingDocuments(of:)``.
    func isPending(_ documentID: String, of collection: Collection) throws -> Bool {
        let (replica, options, entry) = try pushing(collection)
        return try replica.isPending(documentID, options, in: entry)
    }

    /// The documents that the target has refused, and that have not changed since.
    ///
    /// - Throws: As ``pendingDocuments(of:)``.
    func refusedDocuments(of collection: Collection) throws -> [String] {
        let (replica, options, entry) = try pushing(collection)
        return try replica.refusedDocuments(options, in: entry)
    }

    private func pushing(_ collection: Collection) throws -> (ReplicaDatabase, ActiveOptions, CollectionOptions) {
        let directions = directions.withLock { $0 }
        guard directions.pushes else {
            throw SyncError(.liteCore, CBLError.unsupported, "pending documents are those of a replicator that pushes")
        }
        guard let entry = configuration.entries.first(where: { $0.isOf(collection) }) else {
            throw StoreError.notFound(what: "collection \"\(collection.fullName)\" in the replicator's configuration")
        }
        guard collection.isValid else { throw collection.notOpen }
        return (ReplicaDatabase(try file), configuration.activeOptions(remote: try target.remote, directions), entry.options)
    }
}

/// Makes the channels to one target.
protocol ChannelFactory: Sendable {
    /// What stands for the target in checkpoints (Replication 4.2).
    ///
    /// - Throws: Why the target cannot be reached, now or ever.
    var remote: String { get throws }
    /// What the log calls the target. Without anything secret.
    var logName: String { get }
    /// The target's databases in this process.
    var databases: [Database] { get }
    /// How messages are sent to the target.
    var messages: BLIPOptions { get }

    /// A channel that is not open yet.
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
    /// Makes the connections. Call it on a copy that is not changed any more.
    func connector() -> EndpointConnector {
        switch target {
        case let endpoint as URLEndpoint: EndpointConnector(self, WebSocketChannelFactory(endpoint))
        case let endpoint as DatabaseEndpoint: EndpointConnector(self, LocalChannelFactory(endpoint, self))
        case let endpoint as MessageEndpoint: EndpointConnector(self, MessageChannelFactory(endpoint))
        default: _CBLMisuse.invalidArgument("\(type(of: target)) is no endpoint that replicators know.")
        }
    }
}
#endif

#if Replication
import SyncRuntime
import Synchronization

// The replication API of the developer previews (API 19).

@available(*, deprecated, renamed: "Replicator")
public typealias Replication = Replicator

@available(*, deprecated, message: "Use Replicator(config:)")
extension Database {
    /// Creates a replicator of the default collection for both directions. The schemes `blip` and `blips` are accepted for `ws` and `wss`.
    public func replication(with url: URL) -> Replication {
        Replicator(withConfig: ReplicatorConfiguration(withDatabase: self, targetURL: url))
    }
}

@available(*, deprecated, message: "Use init(target:) and addCollection(_:config:)")
extension ReplicatorConfiguration {
    public convenience init(withDatabase database: Database, targetURL: URL) {
        self.init(database: database, target: URLEndpoint(url: targetURL.withWebSocketScheme))
    }
}

@available(*, deprecated, renamed: "init(config:)")
extension Replicator {
    public convenience init(withConfig config: ReplicatorConfiguration) { self.init(config: config) }
}

@available(*, deprecated, message: "Use ReplicatorConfiguration.replicatorType")
extension Replicator {
    /// Whether documents are pushed. Set it before the replicator is started. Default: as in the configuration.
    public var push: Bool {
        get { pending.directions.withLock { $0.pushes } }
        set { pending.directions.withLock { $0.pushes = newValue } }
    }

    /// Whether documents are pulled. Set it before the replicator is started. Default: as in the configuration.
    public var pull: Bool {
        get { pending.directions.withLock { $0.pulls } }
        set { pending.directions.withLock { $0.pulls = newValue } }
    }
}

extension Replicator {
    /// Resets the checkpoint, so that the next start examines all documents again. It is a misuse (internal inconsistency) to call it while
    /// the replicator is running.
    @available(*, deprecated, message: "Use start(reset: true)")
    public func resetCheckpoint() {
        guard !core.isRunning else {
            _CBLMisuse.inconsistency(
                "Replicator is not stopped. Resetting checkpoint is only allowed when the replicator is in the stopped state."
            )
        }
        core.resetNextStart()
    }
}

// Configurations of listeners as in the releases before there were collections.

extension URLEndpointListenerConfiguration {
    @available(*, deprecated, message: "Use Collection.database")
    public var database: Database { collections[0].database }

    /// Creates a configuration for the default collection. It is a misuse (invalid argument) if the database is closed.
    @available(*, deprecated, message: "Use init(collections:)")
    public convenience init(database: Database) { self.init(collections: [database.openDefaultCollection(to: "serve")]) }
}

extension MessageEndpointListenerConfiguration {
    @available(*, deprecated, message: "Use Collection.database")
    public var database: Database { collections[0].database }

    /// Creates a configuration for the default collection. It is a misuse (invalid argument) if the database is closed.
    @available(*, deprecated, message: "Use init(collections:protocolType:)")
    public init(database: Database, protocolType: ProtocolType) {
        self.init(collections: [database.openDefaultCollection(to: "serve")], protocolType: protocolType)
    }
}
#endif

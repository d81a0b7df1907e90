#if Replication
import Synchronization

// The previews' spellings of replication (API 19).

/// The preview's name of ``Replicator``.
@available(*, deprecated, renamed: "Replicator")
public typealias Replication = Replicator

@available(*, deprecated, message: "Use Replicator(config:)")
extension Database {
    /// A replicator of the default collection with the database at `url`, in both directions.
    ///
    /// - Parameter url: Its scheme may be `blip` or `blips`, too, for `ws` and `wss`.
    public func replication(with url: URL) -> Replication {
        Replicator(withConfig: ReplicatorConfiguration(withDatabase: self, targetURL: url))
    }
}

@available(*, deprecated, message: "Use init(target:) and addCollection(_:config:)")
extension ReplicatorConfiguration {
    /// A configuration for the default collection and the database at `targetURL`.
    public convenience init(withDatabase database: Database, targetURL: URL) {
        self.init(database: database, target: URLEndpoint(url: targetURL.withWebSocketScheme))
    }
}

@available(*, deprecated, renamed: "init(config:)")
extension Replicator {
    /// A replicator that is not started yet; see ``init(config:)``.
    public convenience init(withConfig config: ReplicatorConfiguration) {
        self.init(config: config)
    }
}

@available(*, deprecated, message: "Use ReplicatorConfiguration.replicatorType")
extension Replicator {
    /// Whether documents are pushed; to be set before it is started. At first as the configuration says.
    public var push: Bool {
        get { pending.directions.withLock { $0.pushes } }
        set { pending.directions.withLock { $0.pushes = newValue } }
    }

    /// Whether documents are pulled; to be set before it is started. At first as the configuration says.
    public var pull: Bool {
        get { pending.directions.withLock { $0.pulls } }
        set { pending.directions.withLock { $0.pulls = newValue } }
    }
}

extension URL {
    /// The URL with `ws` for `blip`, and `wss` for `blips`.
    fileprivate var withWebSocketScheme: URL {
        let schemes = ["blip": "ws", "blips": "wss"]
        guard let scheme = scheme.flatMap({ schemes[$0.lowercased()] }),
            var parts = URLComponents(url: self, resolvingAgainstBaseURL: false)
        else { return self }
        parts.scheme = scheme
        return parts.url ?? self
    }
}
#endif

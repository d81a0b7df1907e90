#if Replication
import BLIP
import DatabaseRuntime
import Replication

/// The configuration of a ``URLEndpointListener``.
///
/// It is a class, so that both `let` and `var` of the older and newer API work; a listener copies its configuration.
public final class URLEndpointListenerConfiguration {
    /// The default of ``port``: 0, any free port.
    public static let defaultPort: UInt16 = 0
    /// The default of ``disableTLS``: `false`, TLS is used.
    public static let defaultDisableTls = false
    /// The default of ``readOnly``: `false`, clients may push.
    public static let defaultReadOnly = false
    /// The default of ``enableDeltaSync``: `false`, whole documents are sent.
    public static let defaultEnableDeltaSync = false
    /// The default of ``maxDocumentSize``: 20 MiB, in bytes.
    public static let defaultMaxDocumentSize: UInt = UInt(PassiveOptions.defaultDocumentSize)
    /// The default of ``maxConnections``: 256 clients.
    public static let defaultMaxConnections: UInt = 256

    /// The collections that are served, all of one database.
    public let collections: [Collection]

    /// The port to listen on; `nil` or 0 means any free port. By default 0.
    public var port: UInt16? = URLEndpointListenerConfiguration.defaultPort
    /// The network interface to listen on, by its name or address; `localhost` for this machine only; `nil`, the default, for all
    /// interfaces.
    public var networkInterface: String?
    /// Whether TLS is disabled, so that connections are not encrypted. By default `false`.
    public var disableTLS = URLEndpointListenerConfiguration.defaultDisableTls
    /// The TLS identity of the listener; `nil`, the default, means a self-signed one that is created once per database and reused.
    public var tlsIdentity: TLSIdentity?
    /// The authenticator of clients; `nil`, the default, accepts all clients.
    public var authenticator: (any ListenerAuthenticator)?
    /// Whether clients may only pull. By default `false`.
    public var readOnly = URLEndpointListenerConfiguration.defaultReadOnly
    /// Whether changes are exchanged as deltas if the client supports it. By default `false`.
    public var enableDeltaSync = URLEndpointListenerConfiguration.defaultEnableDeltaSync
    /// The size of the largest document that clients may push, in bytes of its JSON. Larger ones are refused (HTTP 413), and the other
    /// documents are still replicated. Documents saved by this app may have any size, and are served. By default 20 MiB.
    public var maxDocumentSize = URLEndpointListenerConfiguration.defaultMaxDocumentSize
    /// The most clients that may be connected at a time. A further client is refused (HTTP 503), which makes replicators retry later; but
    /// an inactive client may be disconnected to make room for it. By default 256.
    public var maxConnections = URLEndpointListenerConfiguration.defaultMaxConnections

    /// Creates a configuration.
    ///
    /// - Parameter collections: At least one valid collection, all of one database; anything else is a misuse (invalid argument), which
    ///   ``init(validating:)`` throws.
    public init(collections: [Collection]) {
        _CBLMisuse.trap { () throws(Misuse) in try collections.checkTogether(to: "serve") }
        self.collections = collections
    }

    /// Creates a configuration with collections that may be invalid.
    ///
    /// - Parameter collections: At least one valid collection, all of one database.
    /// - Throws: ``CBLError/notOpen`` if a collection was deleted or the database is closed; ``CBLError/invalidParameter`` if there is no
    ///   collection, or the collections belong to several `Database` objects.
    public init(validating collections: [Collection]) throws {
        try throwingPublicErrors { try collections.checkTogether(to: "serve") }
        self.collections = collections
    }

    /// Creates a copy of a configuration.
    public init(config: URLEndpointListenerConfiguration) {
        collections = config.collections
        (port, networkInterface) = (config.port, config.networkInterface)
        (disableTLS, tlsIdentity, authenticator) = (config.disableTLS, config.tlsIdentity, config.authenticator)
        (readOnly, enableDeltaSync) = (config.readOnly, config.enableDeltaSync)
        (maxConnections, maxDocumentSize) = (config.maxConnections, config.maxDocumentSize)
    }
}

/// The limits that all replicators and listeners of the process share.
public enum ReplicationLimits {
    /// The default memory limit: 256 MiB, in bytes.
    public static let defaultMemory: UInt = UInt(MemoryBudget.defaultLimit)

    /// The most memory, in bytes, that all connections may use together for data received from other devices and data queued for sending.
    /// By default ``defaultMemory``.
    ///
    /// Memory is reserved before it is used. When the limit is reached, the connection that uses the most is closed with a code that lets
    /// the other side retry later. A document counts twice its size while it is received: one of 20 MB needs about 50 MB. A new value takes
    /// effect immediately, but memory in use is not released. Replication between databases of the same process does not count.
    public static var memory: UInt {
        get { UInt(MemoryBudget.shared.limit) }
        set { MemoryBudget.shared.limit = Int(clamping: newValue) }
    }
}
#endif

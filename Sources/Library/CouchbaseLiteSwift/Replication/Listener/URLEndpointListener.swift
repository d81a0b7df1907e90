#if Replication
import SyncRuntime

/// Serves collections of a database to other apps and devices over WebSockets, like a server.
///
/// ```swift
/// let listener = URLEndpointListener(config: URLEndpointListenerConfiguration(collections: [notes]))
/// try listener.start()
/// print("reach me at", listener.urls ?? [])
/// ```
///
/// It serves until ``stop()`` is called, or the database is closed, even if the app releases it. It is thread-safe.
public final class URLEndpointListener: Sendable {
    /// The numbers of clients of a listener.
    public struct ConnectionStatus: Sendable, Equatable {
        /// The number of clients that are connected.
        public let connectionCount: UInt64
        /// The number of connected clients that are exchanging documents now.
        public let activeConnectionCount: UInt64
    }

    // Safe because it is a private copy that is never changed.
    nonisolated(unsafe) private let configuration: URLEndpointListenerConfiguration
    private let listener = RestartableListener<ConfiguredListener>()

    /// Creates a listener with a copy of `config`. It has to be started.
    public init(config: URLEndpointListenerConfiguration) { configuration = URLEndpointListenerConfiguration(config: config) }

    /// A copy of the configuration.
    public var config: URLEndpointListenerConfiguration { URLEndpointListenerConfiguration(config: configuration) }

    /// The port; `nil` while the listener is not listening.
    public var port: UInt16? { listener.running?.service.port }

    /// The TLS identity; `nil` while the listener is not listening, and without TLS.
    public var tlsIdentity: TLSIdentity? { listener.running?.identity }

    /// The URLs of the database: one for each address of this device, or that of the configured interface; `nil` while it is not listening.
    public var urls: [URL]? { listener.running?.service.urls(of: configuration.collections[0].database.name) }

    /// The current numbers of clients.
    public var status: ConnectionStatus {
        let counts = listener.running?.service.connections.counts ?? (all: 0, busy: 0)
        return ConnectionStatus(connectionCount: UInt64(counts.all), activeConnectionCount: UInt64(counts.busy))
    }

    /// Starts listening. Does nothing if the listener is already listening.
    ///
    /// Blocks until the port is bound. Without a configured identity it also reads the identity from disk; the first start creates it.
    ///
    /// - Throws: `EADDRINUSE` in `NSPOSIXErrorDomain` if the port is in use; `unknownInterface`; `notOpen` if the database is closed or a
    ///   collection was deleted; `crypto` if the identity or a root certificate is not usable; `invalidParameter` if clients are to be
    ///   authenticated by certificates without TLS.
    public func start() throws { try throwingPublicErrors { try listener.start { try ConfiguredListener([configuration], onStop: $0) } } }

    /// Stops listening and returns immediately. Clients are disconnected with the close code "going away" (1001).
    public func stop() { listener.stop() }

    /// Deletes all identities that were created for listeners without a configured one.
    static func deleteAnonymousIdentities() throws { try throwingPublicErrors { try AnonymousIdentity.deleteAll() } }
}
#endif

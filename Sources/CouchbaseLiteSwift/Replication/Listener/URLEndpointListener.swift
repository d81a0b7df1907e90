#if Replication
import SyncCore
import DocumentStore
import LogCore
import Replication
import SyncRuntime
import Synchronization
import Transport

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

    private struct State {
        var listener: ConfiguredListener?
        /// Whether ``stop()`` was called since the last start began.
        var isStopWanted = false
    }

    // Safe because it is a private copy that is never changed.
    nonisolated(unsafe) private let configuration: URLEndpointListenerConfiguration
    private let state = Mutex(State())
    /// Held during a start, which logs: code of the app that receives the message may use ``port``, so `state` is not locked.
    private let startLock = NSRecursiveLock()

    /// Creates a listener, which has to be started.
    ///
    /// - Parameter config: The configuration, which is copied.
    public init(config: URLEndpointListenerConfiguration) { configuration = URLEndpointListenerConfiguration(config: config) }

    /// A copy of the configuration.
    public var config: URLEndpointListenerConfiguration { URLEndpointListenerConfiguration(config: configuration) }

    /// The port; `nil` while the listener is not listening.
    public var port: UInt16? { running?.service.port }

    /// The TLS identity; `nil` while the listener is not listening, and without TLS.
    public var tlsIdentity: TLSIdentity? { running?.identity }

    /// The URLs of the database: one for each address of this device, or only that of the configured interface; `nil` while the listener is
    /// not listening.
    public var urls: [URL]? { running?.service.urls(of: configuration.collections[0].database.name) }

    /// The current numbers of clients.
    public var status: ConnectionStatus {
        let counts = running?.service.connections.counts ?? (all: 0, busy: 0)
        return ConnectionStatus(connectionCount: UInt64(counts.all), activeConnectionCount: UInt64(counts.busy))
    }

    /// Starts listening. Does nothing if the listener is already listening.
    ///
    /// Blocks until the port is bound. Without a configured identity it also reads the identity from disk; the first start for a database
    /// creates it.
    ///
    /// - Throws: `EADDRINUSE` in `NSPOSIXErrorDomain` if the port is in use; `unknownInterface`; `notOpen` if the database is closed or a
    ///   collection was deleted; `crypto` if the identity or a root certificate is not usable; `invalidParameter` if clients are to be
    ///   authenticated by certificates without TLS.
    public func start() throws { try throwingPublicErrors { try startLock.withLock { try startService() } } }

    private func startService() throws {
        let isRunning = state.withLock { state in
            state.isStopWanted = false
            return state.listener != nil
        }
        guard !isRunning else { return }
        let started = try ConfiguredListener([configuration]) { [weak self] in self?.forget($0) }
        let mustStop = state.withLock { state in
            // The service may have stopped already, for example because the database was closed.
            state.listener = started.service.isEnding ? nil : started
            return state.isStopWanted
        }
        if mustStop { started.service.stop() }
    }

    /// Stops listening and returns immediately. Clients are disconnected with the close code "going away" (1001).
    public func stop() {
        let running = state.withLock { state in
            state.isStopWanted = true
            return state.listener
        }
        running?.service.stop()
    }

    private var running: ConfiguredListener? { state.withLock { $0.listener } }

    private func forget(_ ended: ListenerService) {
        state.withLock { state in if state.listener?.service === ended { state.listener = nil } }
    }

    /// Deletes all identities that were created for listeners without a configured one.
    static func deleteAnonymousIdentities() throws { try throwingPublicErrors { try AnonymousIdentity.deleteAll() } }
}
#endif

#if Replication
import SyncCore
import DocumentStore
import LogCore
import Replication
import Transport

/// Lets other apps and devices replicate with collections of a database: over WebSockets, as with a server.
///
/// ```swift
/// let listener = URLEndpointListener(config: URLEndpointListenerConfiguration(collections: [notes]))
/// try listener.start()
/// print("reach me at", listener.urls ?? [])
/// ```
///
/// It serves until ``stop()``, or until the database is closed, even if nobody keeps it. Safe to use from any thread.
public class URLEndpointListener: @unchecked Sendable {
    // Unchecked: the configuration is a copy of our own that nobody changes; what does change is guarded by the lock.
    /// How many clients there are.
    public struct ConnectionStatus: Sendable, Equatable {
        /// How many clients are connected.
        public let connectionCount: UInt64
        /// How many of them are exchanging documents just now.
        public let activeConnectionCount: UInt64
    }

    private let configuration: URLEndpointListenerConfiguration
    private let lock = NSLock()
    private var service: ListenerService?
    /// Whether ``stop()`` was called since the last start began.
    private var isStopWanted = false
    /// Held while it is started, which says something in the log: code of the app may ask for ``port`` there, so not under `lock`.
    private let startLock = NSRecursiveLock()

    /// A listener that is not started yet.
    ///
    /// - Parameter config: Is copied.
    public init(config: URLEndpointListenerConfiguration) {
        configuration = URLEndpointListenerConfiguration(config: config)
    }

    /// A copy of the configuration.
    public var config: URLEndpointListenerConfiguration { URLEndpointListenerConfiguration(config: configuration) }

    /// The port it listens on; nil while it does not.
    public var port: UInt16? { running?.port }

    /// Who it is in TLS; nil while it does not listen, and without TLS.
    public var tlsIdentity: TLSIdentity? { running?.identity }

    /// Under which URLs it can be reached: one for each address of this device, or that of the one interface; nil while it does not
    /// listen.
    public var urls: [URL]? { running?.urls(of: configuration.collections[0].database) }

    /// How many clients there are now.
    public var status: ConnectionStatus {
        let counts = running?.connections.counts ?? (all: 0, busy: 0)
        return ConnectionStatus(connectionCount: UInt64(counts.all), activeConnectionCount: UInt64(counts.busy))
    }

    /// Begins to listen, unless it does so already.
    ///
    /// - Throws: `EADDRINUSE` in `NSPOSIXErrorDomain` when the port is in use; `unknownInterface`; `notOpen` when the database
    ///   is closed; `crypto` when the identity is of no use; `invalidParameter` when certificates are to be asked for without TLS.
    public func start() throws {
        try throwingPublicErrors {
            try startLock.withLock { try startService() }
        }
    }

    private func startService() throws {
        let isRunning = lock.withLock {
            isStopWanted = false
            return service != nil
        }
        guard !isRunning else { return }
        let started = try ListenerService([configuration]) { [weak self] in self?.forget($0) }
        let mustStop = lock.withLock {
            // It may have ended already, as when the database is closed.
            service = started.isEnding ? nil : started
            return isStopWanted
        }
        if mustStop { started.stop() }
    }

    /// Ends: clients are told that the server is going away. Returns at once.
    public func stop() {
        let running = lock.withLock {
            isStopWanted = true
            return service
        }
        running?.stop()
    }

    private var running: ListenerService? { lock.withLock { service } }

    private func forget(_ ended: ListenerService) {
        lock.withLock {
            if service === ended { service = nil }
        }
    }

    /// Forgets every certificate that listeners have made for themselves.
    static func deleteAnonymousIdentities() throws {
        try throwingPublicErrors { try AnonymousIdentity.deleteAll() }
    }
}
#endif

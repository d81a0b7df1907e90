#if Replication
import DatabaseRuntime
package import DocumentStore
import Base
import Replication
import SyncRuntime

/// Replicates collections of a database with a server, another device or another database.
///
/// ```swift
/// let notes = CollectionConfiguration.fromCollections([try database.createCollection(name: "notes")])
/// let config = ReplicatorConfiguration(collections: notes, target: URLEndpoint(url: url))
/// let replicator = Replicator(config: config)
/// replicator.addChangeListener { change in
///     if change.status.activity == .stopped { print(change.status.error ?? "done") }
/// }
/// replicator.start()
/// ```
///
/// It works in the background, and keeps running even if the app releases it. It stops when both sides have everything, unless it is
/// continuous; on a permanent error; on ``stop()``; and when its database is closed. It is thread-safe.
public final class Replicator: Sendable {
    /// `nonisolated(unsafe)` is safe because it is a private copy that is never changed.
    nonisolated(unsafe) let configuration: ReplicatorConfiguration
    let core: ReplicatorCore
    let listeners = ReplicatorListeners()
    let pending: EndpointConnector
    /// Monitors the network as long as it is referenced. `nonisolated(unsafe)` is safe because it is used for nothing else.
    nonisolated(unsafe) private let reachability: AnyObject?

    /// Creates a replicator, which has to be started.
    ///
    /// - Parameter config: The configuration, which is copied. It is a misuse (invalid argument) if it has no collections, or if a database
    ///   would be replicated with itself. For a configuration that is not known to be valid, use ``init(validating:)``.
    public convenience init(config: ReplicatorConfiguration) { self.init(config: config, clock: SystemSteadyClock()) }

    /// Creates a replicator from a copy of a configuration that may be invalid.
    ///
    /// - Throws: ``CBLError/invalidParameter`` if the configuration has no collections, or if a database would be replicated with itself.
    public convenience init(validating config: ReplicatorConfiguration) throws {
        try throwingPublicErrors { try config.check() }
        self.init(config: config)
    }

    /// Creates a replicator that measures time with another clock than the system's.
    package convenience init(config: ReplicatorConfiguration, clock: any SteadyClock) {
        self.init(config: config, clock: clock, connector: nil)
    }

    /// Creates a replicator with a clock for all delays, and a connector that creates the connections instead of the configured target.
    init(config: ReplicatorConfiguration, clock: any SteadyClock, connector: (any ReplicatorConnector)?) {
        let copy = ReplicatorConfiguration(config: config)
        configuration = copy
        let noted = listeners
        pending = _CBLMisuse.trap { () throws(Misuse) in try copy.connector(noting: noted) }
        core = ReplicatorCore(
            ReplicatorLifeCycle.Options(
                isContinuous: config.continuous,
                maximumAttempts: config.maxAttempts,
                maximumWait: config.longestWait
            ),
            connector ?? pending,
            clock: clock,
            observer: listeners
        )
        reachability = core.watchNetwork()
    }

    /// A copy of the configuration.
    public var config: ReplicatorConfiguration { ReplicatorConfiguration(config: configuration) }

    /// The current status.
    public var status: Status { Status(core.status) }

    /// The certificate of the server of the current or last connection; `nil` before the first connection after a start, and if the
    /// connection has none.
    public var serverCertificate: SecCertificate? { core.serverCertificate.flatMap { SecCertificate.read(der: $0) } }

    /// The ID by which the server names the current or last connection in its log, so that its lines and those of this replicator, which contain
    /// the ID too, can be found together. `nil` before the first connection after a start, and if the server sends none, as listeners do.
    public var correlationID: String? { core.correlationID }

    /// Starts the replicator and returns immediately. If it is already running, or still stopping, the call is ignored with a warning.
    ///
    /// It is a misuse (internal inconsistency) to start a replicator whose database is closed or being closed.
    public func start() { start(reset: false) }

    /// Starts the replicator and returns immediately; see ``start()``.
    ///
    /// - Parameter reset: Whether the checkpoints are reset, and nothing is believed of the other side: all documents are compared again
    ///   instead of only those changed since the last run.
    public func start(reset: Bool) {
        switch core.start(self, reset: reset) {
        case .started: break
        case .isRunning: EngineLog.log(.warning, .replicator, "start() was ignored: the replicator is already running")
        case .isClosing:
            _CBLMisuse.inconsistency("Attempt to start a replicator of a database that is closed or being closed.")
        }
    }

    /// Starts stopping the replicator, in any state, and returns immediately. Listeners are last notified of ``ActivityLevel/stopped``.
    public func stop() { core.stop() }

    /// Closes the connection until ``resume()``, for example while the app is in the background. The status is ``ActivityLevel/offline`` in
    /// between. Does nothing if the replicator is stopped.
    public func suspend() { core.handle(.suspend) }

    /// Reconnects after ``suspend()``. Does nothing if the replicator is not suspended.
    public func resume() { core.handle(.resume) }

    /// Connects immediately if the replicator is waiting for the next attempt.
    public func retry() { core.handle(.retry) }
}
#endif

#if Replication
import DocumentStore
import LogCore
import Replication

/// Replicates collections of a database with a server, another device or another database.
///
/// ```swift
/// let config = ReplicatorConfiguration(target: URLEndpoint(url: url))
/// config.addCollection(notes)
/// let replicator = Replicator(config: config)
/// replicator.addChangeListener { change in
///     if change.status.activity == .stopped { print(change.status.error ?? "done") }
/// }
/// replicator.start()
/// ```
///
/// It works in the background, and stays alive while it runs even if nobody keeps it. It stops when both sides have
/// everything, unless it is continuous; when it fails for good; with ``stop()``; and when its database is closed. Safe to
/// use from any thread.
public final class Replicator: @unchecked Sendable {
    // Unchecked: the configuration is a copy of our own that nobody changes; the core locks itself.
    let configuration: ReplicatorConfiguration
    let core: ReplicatorCore
    let pending: EndpointConnector
    /// Kept for as long as the network is to be watched.
    private let reachability: AnyObject?

    /// A replicator that is not started yet.
    ///
    /// - Parameter config: Is copied. One without collections, or one that would replicate a database with itself, is a misuse
    ///   (invalid argument).
    public convenience init(config: ReplicatorConfiguration) {
        self.init(config: config, clock: SystemSteadyClock())
    }

    /// - Parameters:
    ///   - config: As for ``init(config:)``.
    ///   - clock: What it measures time with.
    ///   - connector: Makes connections in place of what the target says.
    init(config: ReplicatorConfiguration, clock: any SteadyClock, connector: (any ReplicatorConnector)? = nil) {
        guard !config.entries.isEmpty else {
            _CBLMisuse.invalidArgument("Attempt to initiate replicator with empty collection")
        }
        configuration = ReplicatorConfiguration(config: config)
        pending = configuration.connector()
        core = ReplicatorCore(
            ReplicatorLifeCycle.Options(
                isContinuous: config.continuous,
                maximumAttempts: config.maxAttempts,
                maximumWait: config.longestWait
            ),
            connector ?? pending,
            clock: clock
        )
        reachability = Reachability.monitor(for: core)
    }

    /// A copy of the configuration.
    public var config: ReplicatorConfiguration { ReplicatorConfiguration(config: configuration) }

    /// What it is doing now.
    public var status: Status { core.status }

    /// The certificate of the server that it is, or was, connected to; nil before the first connection after a start, and
    /// when there is none.
    public var serverCertificate: SecCertificate? {
        core.serverCertificate.flatMap { SecCertificate.read(der: $0) }
    }

    /// Starts it. One that runs already goes on as it is; that gets a warning in the log.
    public func start() {
        start(reset: false)
    }

    /// Starts it. It is a misuse (internal inconsistency) to do so when its database is closed or being closed.
    ///
    /// - Parameter reset: Whether everything is looked at once more, not only what has changed since the last time.
    public func start(reset: Bool) {
        switch core.start(self, reset: reset) {
        case .started: break
        case .isRunning: EngineLog.log(.warning, .replicator, "a replicator was started that runs already")
        case .isClosing:
            _CBLMisuse.inconsistency("Attempt to start a replicator of a database that is closed or being closed.")
        }
    }

    /// Begins to end it, in whatever state it is; the last status that listeners are told is ``ActivityLevel/stopped``. Returns
    /// at once.
    public func stop() {
        core.stop()
    }

    /// Closes the connection until ``resume()``, as an app may have to that is not in the foreground. The status is
    /// ``ActivityLevel/offline`` meanwhile. One that has stopped stays so.
    public func suspend() {
        core.handle(.suspend)
    }

    /// Goes on after ``suspend()``. One that is not suspended goes on as it is.
    public func resume() {
        core.handle(.resume)
    }

    /// Tries at once to connect, if it is waiting for the next attempt.
    public func retry() {
        core.handle(.retry)
    }
}
#endif

#if Replication
import DatabaseRuntime

/// The configuration of a ``Replicator``: the collections, the target, and the options.
///
/// ```swift
/// let target = URLEndpoint(url: URL(string: "wss://sync.example.com/notes")!)
/// let config = ReplicatorConfiguration(collections: CollectionConfiguration.fromCollections([notes]), target: target)
/// config.continuous = true
/// config.authenticator = BasicAuthenticator(username: "anna", password: password)
/// let replicator = Replicator(config: config)
/// ```
///
/// It is a class, so that both `let` and `var` of the older and newer API work; a replicator copies its configuration.
public final class ReplicatorConfiguration {
    /// The target with which documents are exchanged.
    public let target: any Endpoint

    /// The directions of the replication. By default both.
    public var replicatorType = ReplicatorConfiguration.defaultType

    /// Whether the replicator stays connected and transfers changes as they are made. Otherwise it stops when both sides have everything.
    /// By default `false`.
    public var continuous = ReplicatorConfiguration.defaultContinuous

    /// The credentials sent to the target; `nil`, the default, connects anonymously.
    public var authenticator: (any Authenticator)?

    /// Whether only self-signed server certificates are accepted, and all of them: for devices that connect directly to each other. Ignored
    /// if ``pinnedServerCertificate`` is set. By default `false`.
    public var acceptOnlySelfSignedServerCertificate = ReplicatorConfiguration.defaultSelfSignedCertificateOnly

    /// The only accepted server certificate: the server's own one, or the one of an issuer in the chain that the server sends. Nothing else
    /// is verified, neither dates nor names, and all other certificates are rejected (`tlsCertUnknownRoot`). `nil`, the default, accepts
    /// the certificates that the system trusts. If it cannot be read, the replicator does not connect (`crypto`).
    public var pinnedServerCertificate: SecCertificate?

    /// The root certificates that are trusted instead of those of the system; `nil`, the default, or an empty array means those of the
    /// system. Ignored if ``pinnedServerCertificate`` or ``acceptOnlySelfSignedServerCertificate`` is set. If one cannot be read, the
    /// replicator does not connect (`crypto`).
    public var trustedRootCertificates: [SecCertificate]?

    /// Additional header fields of the request that opens the connection. Cookies are combined with the other cookies. If the server
    /// redirects to another scheme, host or port, neither these fields nor credentials are sent there. By default `nil`.
    public var headers: [String: String]?

    /// The network interface to connect through, by its name or address; `nil`, the default, lets the system choose. Connecting fails with
    /// `unknownInterface` if it does not exist.
    public var networkInterface: String?

    /// The proxy to connect through; `nil`, the default, connects directly.
    public var proxy: ProxySettings?

    /// Whether a server may set cookies for a parent domain of its own. By default `false`.
    public var acceptParentDomainCookie = ReplicatorConfiguration.defaultAcceptParentCookies

    /// Has no effect: whether the replicator runs in the background depends on the system and on ``Replicator/suspend()``. By default
    /// `false`.
    public var allowReplicatingInBackground = ReplicatorConfiguration.defaultAllowReplicatingInBackground

    /// The interval, in seconds, at which the server is pinged to detect a lost connection. Negative values are a misuse (invalid
    /// argument), which ``setHeartbeat(validating:)`` throws; 0 means the default, 300 seconds.
    public var heartbeat: TimeInterval = ReplicatorConfiguration.defaultHeartbeat {
        willSet { _CBLMisuse.trap { () throws(Misuse) in try Misuse.check(time: newValue, "heartbeat") } }
    }

    /// The most consecutive attempts to connect, including the first one; 0 means the default: 10, or no limit for a continuous replicator.
    public var maxAttempts: UInt {
        get {
            if attempts > 0 { return attempts }
            return continuous ? Self.defaultMaxAttemptsContinuous : Self.defaultMaxAttemptsSingleShot
        }
        set { attempts = newValue }
    }
    private var attempts: UInt = 0

    /// The longest wait between two attempts, in seconds; the first wait is 2 s, and each is twice as long as the previous one. Negative
    /// values are a misuse (invalid argument), which ``setMaxAttemptWaitTime(validating:)`` throws; 0 means the default, 300 seconds.
    public var maxAttemptWaitTime: TimeInterval = ReplicatorConfiguration.defaultMaxAttemptsWaitTime {
        willSet { _CBLMisuse.trap { () throws(Misuse) in try Misuse.check(time: newValue, "maxAttemptWaitTime") } }
    }

    /// Whether documents are purged when the user loses access to them on the server. By default `true`.
    public var enableAutoPurge = ReplicatorConfiguration.defaultEnableAutoPurge

    /// Whether Sync Gateway is asked, with one additional request per connection, how much there is to pull, so that progress is known from
    /// the start.
    package var estimatesProgress = false

    /// The collections in the order in which they were added, with their configurations.
    var entries: [Entry] = []

    struct Entry {
        let collection: Collection
        /// The configuration, which names the same collection.
        var config: CollectionConfiguration

        init(_ collection: Collection, _ config: CollectionConfiguration) {
            self.collection = collection
            self.config = config.applied(to: collection)
        }
    }

    /// Creates a configuration without collections.
    init(of target: any Endpoint) { self.target = target }

    /// Creates a configuration for collections of one database.
    ///
    /// It is a misuse (invalid argument) if the array is empty, if a collection was deleted or its database is closed, or if the collections
    /// belong to several `Database` objects; ``init(validating:target:)`` throws an error instead.
    ///
    /// - Parameters:
    ///   - collections: The collections to replicate. If one is named twice, its last configuration counts.
    ///   - target: The target with which documents are exchanged.
    public convenience init(collections: [CollectionConfiguration], target: any Endpoint) {
        self.init(of: target)
        _CBLMisuse.trap { () throws(Misuse) in try set(collections) }
    }

    /// Creates a configuration for collections that may be invalid; see ``init(collections:target:)``.
    ///
    /// - Throws: ``CBLError/notOpen`` if a collection was deleted or its database is closed; ``CBLError/invalidParameter`` if the array is empty,
    ///   or the collections belong to several `Database` objects.
    public convenience init(validating collections: [CollectionConfiguration], target: any Endpoint) throws {
        self.init(of: target)
        try throwingPublicErrors { try set(collections) }
    }

    /// Creates a configuration without collections; at least one has to be added.
    @available(*, deprecated, message: "Use init(collections:target:)")
    public convenience init(target: any Endpoint) { self.init(of: target) }

    /// Creates a copy of a configuration.
    public init(config: ReplicatorConfiguration) {
        (target, entries) = (config.target, config.entries)
        (replicatorType, continuous) = (config.replicatorType, config.continuous)
        (authenticator, headers, acceptParentDomainCookie) = (config.authenticator, config.headers, config.acceptParentDomainCookie)
        acceptOnlySelfSignedServerCertificate = config.acceptOnlySelfSignedServerCertificate
        (pinnedServerCertificate, trustedRootCertificates) = (config.pinnedServerCertificate, config.trustedRootCertificates)
        (networkInterface, proxy) = (config.networkInterface, config.proxy)
        (heartbeat, attempts, maxAttemptWaitTime) = (config.heartbeat, config.attempts, config.maxAttemptWaitTime)
        (allowReplicatingInBackground, enableAutoPurge) = (config.allowReplicatingInBackground, config.enableAutoPurge)
        estimatesProgress = config.estimatesProgress
    }

    /// ``maxAttemptWaitTime`` in milliseconds.
    var longestWait: Int64 {
        let seconds = maxAttemptWaitTime > 0 ? maxAttemptWaitTime : Self.defaultMaxAttemptsWaitTime
        return Int64(min(seconds * 1000, 1e12))
    }

    /// Sets ``heartbeat`` to a value that may be invalid.
    ///
    /// - Throws: ``CBLError/invalidParameter`` if the interval is negative or not a number. Nothing is changed then.
    public func setHeartbeat(validating interval: TimeInterval) throws {
        try throwingPublicErrors { try Misuse.check(time: interval, "heartbeat") }
        heartbeat = interval
    }

    /// Sets ``maxAttemptWaitTime`` to a value that may be invalid.
    ///
    /// - Throws: ``CBLError/invalidParameter`` if the time is negative or not a number. Nothing is changed then.
    public func setMaxAttemptWaitTime(validating time: TimeInterval) throws {
        try throwingPublicErrors { try Misuse.check(time: time, "maxAttemptWaitTime") }
        maxAttemptWaitTime = time
    }
}

extension ReplicatorConfiguration {
    /// The default of ``replicatorType``: both directions.
    public static let defaultType = ReplicatorType.pushAndPull
    /// The default of ``continuous``: `false`, a replicator stops when both sides have everything.
    public static let defaultContinuous = false
    /// The default of ``allowReplicatingInBackground``: `false`.
    public static let defaultAllowReplicatingInBackground = false
    /// The default of ``heartbeat``: 300 seconds.
    public static let defaultHeartbeat: TimeInterval = 300
    /// The default of ``maxAttempts`` for a replicator that is not continuous: 10.
    public static let defaultMaxAttemptsSingleShot: UInt = 10
    /// The default of ``maxAttempts`` for a continuous replicator: no limit.
    public static let defaultMaxAttemptsContinuous = UInt.max
    /// The default of ``maxAttemptWaitTime``: 300 seconds.
    public static let defaultMaxAttemptsWaitTime: TimeInterval = 300
    /// The default of ``maxAttemptWaitTime``: 300 seconds. The same as ``defaultMaxAttemptsWaitTime``.
    @available(*, deprecated, renamed: "defaultMaxAttemptsWaitTime")
    public static let defaultMaxAttemptWaitTime: TimeInterval = 300
    /// The default of ``enableAutoPurge``: `true`, documents are purged when the user loses access to them.
    public static let defaultEnableAutoPurge = true
    /// The default of ``acceptOnlySelfSignedServerCertificate``: `false`, certificates are accepted if the system trusts them.
    public static let defaultSelfSignedCertificateOnly = false
    /// The default of ``acceptParentDomainCookie``: `false`, a server may set cookies only for its own domain and subdomains of it.
    public static let defaultAcceptParentCookies = false
}

/// The directions of a replication.
public enum ReplicatorType: UInt8, Sendable {
    /// Documents are pushed and pulled.
    case pushAndPull = 0
    /// Documents are sent from the database to the target.
    case push
    /// Documents are fetched from the target into the database.
    case pull

    var pushes: Bool { self != .pull }
    var pulls: Bool { self != .push }
}
#endif

#if Replication
/// What a ``Replicator`` replicates, with whom, and how.
///
/// ```swift
/// let target = URLEndpoint(url: URL(string: "wss://sync.example.com/notes")!)
/// let config = ReplicatorConfiguration(target: target)
/// config.addCollection(notes)
/// config.continuous = true
/// config.authenticator = BasicAuthenticator(username: "anna", password: password)
/// let replicator = Replicator(config: config)
/// ```
///
/// A class, so that both `let` and `var` of the older and newer API work; a replicator copies what it is given.
public final class ReplicatorConfiguration {
    /// With whom documents are exchanged.
    public let target: any Endpoint

    /// In which directions documents go.
    public var replicatorType = ReplicatorConfiguration.defaultType

    /// Whether the replicator stays connected and passes on changes as they are made. Otherwise it stops when both sides have
    /// everything there was.
    public var continuous = ReplicatorConfiguration.defaultContinuous

    /// Who we are to the target; nil for nobody in particular.
    public var authenticator: (any Authenticator)?

    /// Whether only certificates are accepted that the server has signed itself, and any such one: for devices that talk with
    /// each other directly.
    public var acceptOnlySelfSignedServerCertificate = ReplicatorConfiguration.defaultSelfSignedCertificateOnly

    /// The one certificate that is accepted: the server's own, or one of those it shows with it that has signed that. Then nothing else
    /// matters, not even dates and names, and any other is refused (`tlsCertUnknownRoot`). Nil accepts what the system trusts. One that
    /// cannot be read keeps the replicator from connecting (`crypto`).
    public var pinnedServerCertificate: SecCertificate?

    /// The certificates that are trusted to vouch for servers, in place of the system's; nil or empty for the system's. One
    /// that cannot be read keeps the replicator from connecting (`crypto`).
    public var trustedRootCertificates: [SecCertificate]?

    /// More header fields of the request that opens the connection. Cookies join the others. When the server redirects to another
    /// scheme, host or port, these fields do not go along, nor do credentials.
    public var headers: [String: String]?

    /// The network interface to connect through, by its name or address; nil leaves that to the system.
    public var networkInterface: String?

    /// The proxy to connect through; nil for none.
    public var proxy: ProxySettings?

    /// Whether a server may set cookies for a domain that contains its own.
    public var acceptParentDomainCookie = ReplicatorConfiguration.defaultAcceptParentCookies

    /// Has no effect: whether the replicator runs on in the background is up to the system and to
    /// ``Replicator/suspend()``.
    public var allowReplicatingInBackground = ReplicatorConfiguration.defaultAllowReplicatingInBackground

    /// How often the server is asked whether it is still there while nothing is going on, in seconds. Negative values are a
    /// misuse; 0 means the default.
    public var heartbeat: TimeInterval = ReplicatorConfiguration.defaultHeartbeat {
        willSet { Self.check(newValue, "heartbeat") }
    }

    /// How often in a row connecting is tried, the first time included; 0 means the default: 10, and without end for a
    /// continuous replicator.
    public var maxAttempts: UInt {
        get {
            if attempts > 0 { return attempts }
            return continuous ? Self.defaultMaxAttemptsContinuous : Self.defaultMaxAttemptsSingleShot
        }
        set { attempts = newValue }
    }
    private var attempts: UInt = 0

    /// The longest time between two attempts, in seconds; the first is 2 s, and each is twice as long as the one before.
    /// Negative values are a misuse; 0 means the default.
    public var maxAttemptWaitTime: TimeInterval = ReplicatorConfiguration.defaultMaxAttemptWaitTime {
        willSet { Self.check(newValue, "maxAttemptWaitTime") }
    }

    /// Whether documents are purged when the user has lost access to them on the server.
    public var enableAutoPurge = ReplicatorConfiguration.defaultEnableAutoPurge

    /// Whether a Sync Gateway is asked, by one more request for each connection, how much there may be to pull, so that a progress can be
    /// shown from the beginning.
    package var estimatesProgress = false

    /// The collections in the order in which they were added, with what is to be done with each.
    var entries: [Entry] = []

    struct Entry {
        let collection: Collection
        var config: CollectionConfiguration
    }

    /// A configuration without collections, which are to be added.
    public init(target: any Endpoint) {
        self.target = target
    }

    /// A configuration for the default collection.
    @available(*, deprecated, message: "Use init(target:) and addCollection(_:config:)")
    public convenience init(database: Database, target: any Endpoint) {
        self.init(target: target)
        addDefaultCollection(of: database)
    }

    /// A copy.
    public init(config: ReplicatorConfiguration) {
        target = config.target
        replicatorType = config.replicatorType
        continuous = config.continuous
        authenticator = config.authenticator
        acceptOnlySelfSignedServerCertificate = config.acceptOnlySelfSignedServerCertificate
        pinnedServerCertificate = config.pinnedServerCertificate
        trustedRootCertificates = config.trustedRootCertificates
        headers = config.headers
        networkInterface = config.networkInterface
        proxy = config.proxy
        acceptParentDomainCookie = config.acceptParentDomainCookie
        allowReplicatingInBackground = config.allowReplicatingInBackground
        heartbeat = config.heartbeat
        attempts = config.attempts
        maxAttemptWaitTime = config.maxAttemptWaitTime
        enableAutoPurge = config.enableAutoPurge
        estimatesProgress = config.estimatesProgress
        entries = config.entries
    }

    /// ``maxAttemptWaitTime`` in milliseconds.
    var longestWait: Int64 {
        let seconds = maxAttemptWaitTime > 0 ? maxAttemptWaitTime : Self.defaultMaxAttemptWaitTime
        return Int64(min(seconds * 1000, 1e12))
    }

    private static func check(_ time: TimeInterval, _ name: String) {
        // Not a number is no time either.
        guard time >= 0 else { _CBLMisuse.invalidArgument("\(name) is \(time), but must not be negative.") }
    }
}
#endif

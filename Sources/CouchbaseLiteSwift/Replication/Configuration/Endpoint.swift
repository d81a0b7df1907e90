#if Replication
/// The target of a replicator: a ``URLEndpoint``, a ``DatabaseEndpoint`` or a ``MessageEndpoint``.
@preconcurrency public protocol Endpoint: Sendable {}

/// A database on a server, or on another device with a listener: `ws://host:port/name`, or `wss` with TLS.
public struct URLEndpoint: Endpoint {
    /// The URL of the database.
    public let url: URL

    /// Creates an endpoint from a URL.
    ///
    /// - Parameter url: A URL with the scheme `ws` or `wss` and without user and password; anything else is a misuse (invalid argument).
    public init(url: URL) {
        guard let scheme = url.scheme?.lowercased(), scheme == "ws" || scheme == "wss" else {
            _CBLMisuse.invalidArgument("The scheme of an endpoint's URL must be ws or wss, not \"\(url.scheme ?? "")\".")
        }
        guard url.user == nil, url.password == nil else {
            _CBLMisuse.invalidArgument(
                "The URL of an endpoint must not contain a user or password. Set the authenticator of the configuration instead."
            )
        }
        self.url = url
    }
}

/// Another database in this process.
public struct DatabaseEndpoint: Endpoint {
    /// The other database.
    public let database: Database

    /// Creates an endpoint from a database.
    ///
    /// - Parameter database: The other database. It must be open, and must not be the database that is replicated.
    public init(database: Database) { self.database = database }
}
#endif

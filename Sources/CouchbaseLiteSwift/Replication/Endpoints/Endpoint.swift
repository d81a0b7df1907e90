#if Replication
/// With whom a replicator exchanges documents: a ``URLEndpoint``, a ``DatabaseEndpoint`` or a ``MessageEndpoint``.
public protocol Endpoint {}

/// A database of a server, or of another device that listens: `ws://host:port/name`, or `wss` with TLS.
public struct URLEndpoint: Endpoint, Sendable {
    /// Where the database is.
    public let url: URL

    /// - Parameter url: Its scheme is `ws` or `wss`, and it holds no user or password; anything else is a misuse (invalid
    ///   argument).
    public init(url: URL) {
        guard let scheme = url.scheme?.lowercased(), scheme == "ws" || scheme == "wss" else {
            _CBLMisuse.invalidArgument("The scheme of an endpoint's URL is ws or wss, not \"\(url.scheme ?? "")\".")
        }
        guard url.user == nil, url.password == nil else {
            _CBLMisuse.invalidArgument("The URL of an endpoint holds no user or password. Set the authenticator of the configuration.")
        }
        self.url = url
    }
}

/// Another database in this process.
public struct DatabaseEndpoint: Endpoint, Sendable {
    /// The other database.
    public let database: Database

    /// - Parameter database: The other database: an open one, and not the one that is replicated.
    public init(database: Database) {
        self.database = database
    }
}
#endif

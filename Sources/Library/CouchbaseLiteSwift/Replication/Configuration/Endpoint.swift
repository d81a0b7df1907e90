#if Replication
import DatabaseRuntime

/// The target of a replicator: a ``URLEndpoint``, a ``DatabaseEndpoint`` or a ``MessageEndpoint``.
@preconcurrency public protocol Endpoint: Sendable {}

/// A database on a server, or on another device with a listener: `ws://host:port/name`, or `wss` with TLS.
public struct URLEndpoint: Endpoint {
    /// The URL of the database.
    public let url: URL

    /// Creates an endpoint from a URL.
    ///
    /// - Parameter url: A URL with the scheme `ws` or `wss` and without user and password; anything else is a misuse (invalid argument). For
    ///   a URL that is not known to be valid, use ``init(validating:)``.
    public init(url: URL) {
        _CBLMisuse.trap { () throws(Misuse) in try Misuse.check(endpoint: url) }
        self.url = url
    }

    /// Creates an endpoint from a URL that may be invalid, for example because a user has typed it.
    ///
    /// - Parameter url: A URL with the scheme `ws` or `wss` and without user and password.
    /// - Throws: ``CBLError/invalidURL`` for any other URL.
    public init(validating url: URL) throws {
        try throwingPublicErrors { try Misuse.check(endpoint: url) }
        self.url = url
    }
}

/// Another database in this process.
public struct DatabaseEndpoint: Endpoint {
    /// The other database.
    public let database: Database

    /// Creates an endpoint from a database, which must be open, and must not be the database that is replicated.
    public init(database: Database) { self.database = database }
}
#endif

#if Replication
/// An HTTP proxy through which a replicator connects, with the method `CONNECT`.
public struct ProxySettings: Sendable, Equatable {
    /// The kind of connection to the proxy itself.
    public enum Kind: Sendable {
        /// Without encryption.
        case http
        /// Over TLS.
        case https
    }

    /// The kind of connection to the proxy itself. By default ``Kind/http``.
    public var kind: Kind
    /// The proxy's host name or IP address.
    public var host: String
    /// The proxy's port.
    public var port: UInt16
    /// The user name for Basic authentication at the proxy; `nil`, the default, connects without authentication.
    public var username: String?
    /// The password for ``username``; `nil`, the default, means an empty password.
    public var password: String?

    /// Creates proxy settings from the values of the properties.
    public init(kind: Kind = .http, host: String, port: UInt16, username: String? = nil, password: String? = nil) {
        self.kind = kind
        self.host = host
        self.port = port
        self.username = username
        self.password = password
    }
}
#endif

#if Replication
/// A proxy through which a replicator connects, with the method `CONNECT` of HTTP.
public struct ProxySettings: Sendable, Equatable {
    /// How the proxy itself is spoken to.
    public enum Kind: Sendable {
        /// In clear text.
        case http
        /// Through TLS.
        case https
    }

    /// How the proxy itself is spoken to.
    public var kind: Kind
    /// A name or an address.
    public var host: String
    /// The proxy's port.
    public var port: UInt16
    /// Who we are to the proxy, by Basic authentication; nil for nobody in particular.
    public var username: String?
    /// The password for `username`.
    public var password: String?

    /// - Parameters:
    ///   - kind: How the proxy itself is spoken to.
    ///   - host: Its name or address.
    ///   - port: Its port.
    ///   - username: Who we are to the proxy; nil for nobody in particular.
    ///   - password: The password for that name.
    public init(kind: Kind = .http, host: String, port: UInt16, username: String? = nil, password: String? = nil) {
        self.kind = kind
        self.host = host
        self.port = port
        self.username = username
        self.password = password
    }
}
#endif

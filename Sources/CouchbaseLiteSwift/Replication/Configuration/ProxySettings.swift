#if Replication
    /// A proxy through which a replicator connects, with the method `CONNECT` of HTTP.
    public struct ProxySettings: Sendable, Equatable {
        /// How the proxy itself is spoken to.
        public enum Kind: Sendable {
            case http
            /// Through TLS.
            case https
        }

        public var kind: Kind
        /// A name or an address.
        public var host: String
        public var port: UInt16
        /// Who we are to the proxy, by Basic authentication; nil for nobody in particular.
        public var username: String?
        public var password: String?

        public init(
            kind: Kind = .http,
            host: String,
            port: UInt16,
            username: String? = nil,
            password: String? = nil
        ) {
            self.kind = kind
            self.host = host
            self.port = port
            self.username = username
            self.password = password
        }
    }
#endif

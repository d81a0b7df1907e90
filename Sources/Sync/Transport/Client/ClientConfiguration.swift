#if Replication
/// An HTTP proxy between the client and the server (Replication 1.6).
package struct ProxyConfiguration: Sendable, Hashable {
    /// Whether the connection to the proxy uses TLS.
    package var isSecure: Bool
    /// The host name or IP address of the proxy.
    package var host: String
    /// The port of the proxy, which has no default.
    package var port: Int
    /// What is sent to the proxy, and not to the server; `nil` for nothing.
    package var credentials: BasicCredentials?

    /// - Parameters:
    ///   - username: The name of the user; `nil` for no credentials.
    ///   - password: The password; `nil` for an empty one.
    package init(isSecure: Bool, host: String, port: UInt16, username: String?, password: String?) {
        let credentials = username.map { BasicCredentials(username: $0, password: password ?? "") }
        self.init(isSecure: isSecure, host: host, port: Int(port), credentials: credentials)
    }

    package init(isSecure: Bool = false, host: String, port: Int, credentials: BasicCredentials? = nil) {
        self.isSecure = isSecure
        self.host = host
        self.port = port
        self.credentials = credentials
    }
}

/// What a client needs to connect to a server, besides the messages.
package struct ClientConfiguration: Sendable {
    /// The credentials of the user.
    package enum Authentication: Sendable {
        /// No credentials are sent.
        case none
        /// Sent with the first request, before the server asks for it (Replication 1.4).
        case basic(BasicCredentials)
        /// A session of Sync Gateway, sent as a cookie.
        case session(id: String, cookieName: String)
    }

    /// The URL of the request; see ``EndpointURL/effective``.
    package var url: EndpointURL
    /// The sub-protocols to offer, the preferred one first.
    package var subprotocols: [String]
    /// How the user authenticates; not at all by default.
    package var authentication = Authentication.none
    /// Additional header fields of the request. They replace the client's own fields, except those that the WebSocket handshake requires. A
    /// `Cookie` field is combined with the other cookies. They are only sent to the server of ``url``, not to a server that it redirects
    /// to.
    package var headers: [(name: String, value: String)] = []
    /// The value of the field `User-Agent`.
    package var userAgent = "CouchbaseLiteSwift"
    /// The cookies, which are sent to matching URLs and changed by responses; `nil` neither sends nor stores any.
    package var cookies: CookieStore?
    /// What is required of the server's certificate, if the URL is that of a secure server.
    package var tls = ClientTLS()
    /// The proxy; `nil`, the default, connects directly.
    package var proxy: ProxyConfiguration?
    /// The name or an address of the local interface to connect from. `nil` uses any interface.
    package var networkInterface: String?
    /// The timeout for connecting and completing the handshake, in seconds. It starts again with each redirect.
    package var connectTimeout: Double = 15
    /// The timeouts and limits after the handshake.
    package var webSocket = WebSocketOptions()
    /// Whether to ask a Sync Gateway for the last sequence of the database after the handshake; see ``ChannelHandshake/lastSequence``. This
    /// needs another connection, which is closed after the response, or after ``LastSequence/timeout`` without one.
    package var asksForLastSequence = false

    package init(url: EndpointURL, subprotocols: [String]) {
        self.url = url
        self.subprotocols = subprotocols
    }
}
#endif

#if Replication
import SyncCore

/// An HTTP proxy between the client and the server (Replication 1.6).
package struct ProxyConfiguration: Sendable, Hashable {
    /// Whether the connection to the proxy uses TLS.
    package var isSecure: Bool
    package var host: String
    package var port: Int
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

package struct ClientConfiguration: Sendable {
    /// The credentials of the user.
    package enum Authentication: Sendable {
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
    package var authentication = Authentication.none
    /// Additional header fields of the request. They replace the client's own fields, except those that the WebSocket handshake requires. A
    /// `Cookie` field is combined with the other cookies. They are only sent to the server of ``url``, not to a server that it redirects
    /// to.
    package var headers: [(name: String, value: String)] = []
    package var userAgent = "CouchbaseLiteSwift"
    package var cookies: CookieStore?
    package var tls = ClientTLS()
    package var proxy: ProxyConfiguration?
    /// The name or an address of the local interface to connect from. `nil` uses any interface.
    package var networkInterface: String?
    /// The timeout for connecting and completing the handshake, in seconds. It starts again with each redirect.
    package var connectTimeout: Double = 15
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

#if Replication
import SyncCore

/// A proxy of HTTP on the way to the server (Replication 1.6).
package struct ProxyConfiguration: Sendable, Hashable {
    /// Whether the proxy itself is spoken to over TLS.
    package var isSecure: Bool
    package var host: String
    package var port: Int
    package var credentials: BasicCredentials?

    package init(isSecure: Bool = false, host: String, port: Int, credentials: BasicCredentials? = nil) {
        self.isSecure = isSecure
        self.host = host
        self.port = port
        self.credentials = credentials
    }
}

/// How a client connects.
package struct ClientConfiguration: Sendable {
    /// What the server is to learn, and must not see before it is asked, of the user.
    package enum Authentication: Sendable {
        case none
        /// Sent with the first request, not only when asked (Replication 1.4).
        case basic(BasicCredentials)
        /// A session of Sync Gateway, sent as a cookie.
        case session(id: String, cookieName: String)
    }

    /// The URL that is asked for; see ``EndpointURL/effective``.
    package var url: EndpointURL
    /// The sub-protocols to offer, the preferred one first.
    package var subprotocols: [String]
    package var authentication = Authentication.none
    /// More header fields for the request. They win over the client's own, except over those that make it a WebSocket; a `Cookie`
    /// is joined with the others. They go to the server of ``url`` only, not to one that it redirects to.
    package var headers: [(name: String, value: String)] = []
    package var userAgent = "CouchbaseLiteSwift"
    package var cookies: CookieStore?
    package var tls = ClientTLS()
    package var proxy: ProxyConfiguration?
    /// The name or an address of the interface to go out by; any when nil.
    package var networkInterface: String?
    /// Seconds to connect and to finish the handshake, for each server on the way.
    package var connectTimeout: Double = 15
    package var webSocket = WebSocketOptions()
    /// Whether a Sync Gateway is asked for the last sequence of the database when it has let the client in; see
    /// ``ChannelHandshake/lastSequence``. It costs one more request, on a connection of its own, and at most ``LastSequence/patience``.
    package var asksForLastSequence = false

    package init(url: EndpointURL, subprotocols: [String]) {
        self.url = url
        self.subprotocols = subprotocols
    }
}
#endif

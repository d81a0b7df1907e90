#if Replication
package import SyncCore

/// The configuration of a listener (Replication 6.1).
package struct ListenerConfiguration: Sendable {
    /// The port. 0 selects any free port. Default: 0.
    package var port = 0
    /// The name or an address of the interface to listen on, or `localhost` for the loopback addresses of both families. `nil` listens on
    /// all interfaces.
    package var networkInterface: String?
    /// The TLS settings. `nil` listens without TLS.
    package var tls: ListenerTLS?
    /// The supported sub-protocols, the preferred one first.
    package var subprotocols: [String]
    /// Returns the supported sub-protocols of a database; `nil` for ``subprotocols``. Called like `authenticator`.
    package var subprotocolsOfDatabase: @Sendable (String) -> [String]? = { _ in nil }
    /// Validates the name and the password of a client. `nil` accepts all clients. Called on the listener's queue; it may block.
    package var authenticator: (@Sendable (BasicCredentials) -> Bool)?
    /// Returns whether a database of that name is served. Called like `authenticator`.
    package var servesDatabase: @Sendable (String) -> Bool
    /// The maximum number of established WebSockets.
    package var maximumConnections = 256
    /// The maximum number of clients in their handshake. When it is exceeded, the oldest one is closed.
    package var maximumHandshakes = 128
    /// The maximum number of clients of one address in their handshake.
    package var maximumHandshakesPerAddress = 64
    /// The time in which a client must send its request, including the TLS handshake, in seconds.
    package var handshakeTimeout: Double = 5
    /// The limits on wrong passwords of an address.
    package var wrongPasswords = PasswordThrottle.Limits()
    /// The time after which a WebSocket that has received no message may be closed for a new one, if the maximum is reached. In
    /// milliseconds.
    package var firstMessageGracePeriod: Int64 = 2000
    /// The time since the last message after which a WebSocket may be closed for a new one, if the maximum is reached and its address has
    /// more than half of all connections. In milliseconds.
    package var idleGracePeriod: Int64 = 60_000
    /// The timeouts and limits of the WebSockets. By default the first message must arrive within 15 seconds, and an idle one is closed
    /// after an hour.
    package var webSocket = WebSocketOptions()

    /// Creates a configuration without TLS and authentication.
    ///
    /// - Parameter servesDatabase: Returns whether a database of that name is served.
    package init(subprotocols: [String], servesDatabase: @escaping @Sendable (String) -> Bool) {
        self.subprotocols = subprotocols
        self.servesDatabase = servesDatabase
        webSocket.firstMessageTimeout = 15
        webSocket.idleTimeout = 3600
    }
}

/// A client that has completed its handshake.
package struct IncomingConnection: Sendable {
    /// The connection. It must be opened once, which starts reading.
    package let channel: any FrameChannel
    /// The name of the database in the URL of the request.
    package let databaseName: String
    /// The sub-protocol that was agreed, one of those of the listener.
    package let subprotocol: String
    /// The user name. `nil` if the listener has no authenticator.
    package let username: String?
    /// The client's certificates in DER form, the leaf first. Empty if the client has sent none.
    package let certificates: [[UInt8]]
    /// The client's address, for the log.
    package let remoteAddress: String
}
#endif

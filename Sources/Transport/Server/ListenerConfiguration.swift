#if Replication
package import SyncCore

/// How a listener serves (Replication 6.1).
package struct ListenerConfiguration: Sendable {
    /// The port; 0 for any that is free.
    package var port = 0
    /// The name or an address of the interface to listen on, or `localhost` for the loopback addresses of both families; all when nil.
    package var networkInterface: String?
    /// Nil to listen without TLS.
    package var tls: ListenerTLS?
    /// The sub-protocols that are understood, the best first.
    package var subprotocols: [String]
    /// Decides on the name and the password of a client; without it anybody may come. It is called on a queue of the listener's and
    /// may take its time.
    package var authenticator: (@Sendable (BasicCredentials) -> Bool)?
    /// Whether there is a database of that name. Called as `authenticator`.
    package var servesDatabase: @Sendable (String) -> Bool
    /// How many WebSockets may stand at a time.
    package var maximumConnections = 256
    /// How many clients may be in their handshake at a time; the oldest gives way to one more.
    package var maximumHandshakes = 128
    /// The same for those of one address.
    package var maximumHandshakesPerAddress = 64
    /// Seconds in which a client must have sent its request, with TLS.
    package var handshakeTimeout: Double = 5
    /// How many wrong passwords an address may send.
    package var wrongPasswords = PasswordThrottle.Limits()
    /// When all places are taken: the milliseconds after which a WebSocket over which nothing has come may give way to a new one.
    package var muteTime: Int64 = 2000
    /// The same for any of an address that has more than half of all places: milliseconds since its last message.
    package var quietTime: Int64 = 60_000
    package var webSocket = WebSocketOptions()

    package init(subprotocols: [String], servesDatabase: @escaping @Sendable (String) -> Bool) {
        self.subprotocols = subprotocols
        self.servesDatabase = servesDatabase
        webSocket.firstMessageTimeout = 15
        webSocket.idleTimeout = 3600
    }
}

/// A client that has come in.
package struct IncomingConnection: Sendable {
    /// To be opened once, which begins to read.
    package let channel: any FrameChannel
    package let databaseName: String
    package let subprotocol: String
    /// The user's name, if passwords are asked for.
    package let username: String?
    /// The client's certificates, DER, its own first; empty when it has shown none.
    package let certificates: [[UInt8]]
    /// The client's address, for the log.
    package let remoteAddress: String
}
#endif

#if Replication
package import Transport

/// The configuration and the limits of a ``WebServer``.
package struct WebServerOptions: Sendable {
    /// The port. 0 selects any free port. Default: 0.
    package var port = 0
    /// The name or an address of the interface to listen on, or `localhost` for the loopback addresses of both families. `nil` listens on
    /// all interfaces. Default: `localhost`.
    package var networkInterface: String? = "localhost"
    /// The certificate and the key for TLS; `nil`, the default, for connections that are not encrypted.
    package var identity: TLSIdentityData?
    /// The value of the field `Server` in responses; `nil` for none.
    package var serverName: String?
    /// The names that the field `Host` of a request may contain, without a port. `nil` allows all names. A server for this machine only must
    /// set it, because a web page can give its own name the address of this machine. Default: the names of the loopback addresses.
    package var hostNames: Set<String>? = ["localhost", "127.0.0.1", "[::1]"]
    /// Whether requests may have compressed bodies, and responses with text or JSON are compressed for clients that accept it. Default: `false`.
    package var usesGzip = false

    /// The maximum size of the head of a request, in bytes.
    package var maximumHeadBytes = 32 << 10
    /// The maximum number of header fields of a request.
    package var maximumFieldCount = 200
    /// The maximum number of connections, including WebSockets. When it is exceeded, the connection that has been idle for longest is closed,
    /// or the new one if none is idle.
    package var maximumConnections = 1024
    /// The maximum number of connections of one address.
    package var maximumConnectionsPerAddress = 768
    /// The maximum number of connections that have not sent the head of their first request yet. When it is exceeded, the oldest one is closed.
    package var maximumUnusedConnections = 256
    /// The memory that the collected bodies of all requests may take. Counted are those that have more than 4 KiB.
    package var bodyMemory = MemoryLimits(all: 96 << 20, ofAddress: 64 << 20, ofUser: 32 << 20)
    /// The memory that responses may take while they are sent. Counted are those, and those parts of streamed ones, that have more than 64 KiB.
    package var responseMemory = MemoryLimits(all: 96 << 20, ofAddress: 64 << 20, ofUser: 32 << 20)
    /// The number of threads that respond to requests.
    package var threadCount = 8

    /// The time in which the head of a request must be complete, in seconds.
    package var headTimeout: Double = 10
    /// The time that a connection may wait for its next request, in seconds.
    package var idleTimeout: Double = 60
    /// The time in which a body must be complete, in seconds. Each ``minimumBodyRate`` bytes extend it by a second.
    package var bodyTimeout: Double = 20
    /// The number of bytes of a body that must arrive in a second, in addition to ``bodyTimeout``.
    package var minimumBodyRate = 8 << 10
    /// The time in which the client must accept a part of the response, in seconds. A part has at most 64 KiB.
    package var writeTimeout: Double = 30
    /// The time in which responses may be completed when the server stops, in seconds.
    package var stopTimeout: Double = 5

    package init() {}

    /// Lowers the limits on connections so that connections need at most a number of descriptors: each one for itself, and one for a file that
    /// is being sent. 16 connections are possible in any case.
    package mutating func limit(descriptors: Int) {
        let possible = max(descriptors / 2, 16)
        guard possible < maximumConnections else { return }
        maximumConnections = possible
        maximumConnectionsPerAddress = min(maximumConnectionsPerAddress, maximumConnections * 3 / 4)
        maximumUnusedConnections = min(maximumUnusedConnections, maximumConnections / 2)
    }
}
#endif

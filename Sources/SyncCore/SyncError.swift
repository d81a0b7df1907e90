/// An error of replication, in terms of the protocol (Replication 3.14 and 4.11).
///
/// Errors that a peer reports, that end a connection, or that concern single documents are all of this type; the public API converts it in
/// one place.
package struct SyncError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The namespace of the code. The raw value is the name on the wire.
    package enum Domain: String, Sendable {
        /// An HTTP status, or a code with the meaning of one.
        case http = "HTTP"
        /// The message layer itself.
        case blip = "BLIP"
        /// The database engine: the codes 1 to 32 of `CBLError`.
        case liteCore = "LiteCore"
        case posix = "POSIX"
        case sqlite = "SQLite"
        case fleece = "Fleece"
        /// The codes 1 to 27 of Replication 4.11.
        case network = "Network"
        /// A close code (1000 and above), or an HTTP status (below 1000).
        case webSocket = "WebSocket"
        case tls = "mbedTLS"
    }

    package let domain: Domain
    package let code: Int
    /// A human-readable description; may be empty.
    package let message: String

    package init(_ domain: Domain, _ code: Int, _ message: String = "") {
        self.domain = domain
        self.code = code
        self.message = message
    }

    package var description: String {
        message.isEmpty ? "\(domain.rawValue) \(code)" : "\(domain.rawValue) \(code): \(message)"
    }
}

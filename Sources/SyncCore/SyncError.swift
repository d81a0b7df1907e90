/// An error of replication: what failed, in the terms of the protocol (Replication 3.14 and 4.11).
///
/// Errors that a peer reports, that a connection ends with, and that single documents meet are all of this kind; the public API
/// translates it once.
package struct SyncError: Error, Hashable, Sendable {
    /// What the code counts. The raw value is the name on the wire.
    package enum Domain: String, Sendable {
        /// A status of HTTP, or one in its sense.
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
        /// A close code (1000 and above), or a status of HTTP (below).
        case webSocket = "WebSocket"
        case tls = "mbedTLS"
    }

    package let domain: Domain
    package let code: Int
    /// For people; may be empty.
    package let message: String

    package init(_ domain: Domain, _ code: Int, _ message: String = "") {
        self.domain = domain
        self.code = code
        self.message = message
    }
}

extension SyncError: CustomStringConvertible {
    package var description: String {
        message.isEmpty ? "\(domain.rawValue) \(code)" : "\(domain.rawValue) \(code): \(message)"
    }
}

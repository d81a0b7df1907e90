import Foundation

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
        /// An error of the operating system: the code is an `errno` of the system that reports it.
        case posix = "POSIX"
        /// An error of SQLite: the code is its result code.
        case sqlite = "SQLite"
        /// An error of Fleece data.
        case fleece = "Fleece"
        /// The codes 1 to 27 of Replication 4.11.
        case network = "Network"
        /// A close code (1000 and above), or an HTTP status (below 1000).
        case webSocket = "WebSocket"
        /// An error of TLS. The name is that of the library which the original product uses.
        case tls = "mbedTLS"
    }

    /// The namespace of ``code``.
    package let domain: Domain
    /// The code, which has a meaning only together with ``domain``.
    package let code: Int
    /// A human-readable description; may be empty.
    package let message: String

    package init(_ domain: Domain, _ code: Int, _ message: String = "") { (self.domain, self.code, self.message) = (domain, code, message) }

    package var description: String {
        message.isEmpty ? "\(domain.rawValue) \(code)" : "\(domain.rawValue) \(code): \(message)"
    }

    /// The message, or the meaning of the code if there is no message.
    package var explanation: String {
        switch domain {
        case _ where !message.isEmpty: message
        case .http: "the peer responded with HTTP status \(code)"
        case .webSocket where code < 1000: "the peer responded with HTTP status \(code)"
        case .webSocket: "the connection was closed with code \(code)"
        case .blip, .liteCore, .posix, .sqlite, .fleece, .network, .tls: description
        }
    }
}

/// The error codes of the domain `Network` (Replication 4.11).
package enum NetworkCode: Int, Sendable {
    /// The name of the host could not be looked up.
    case dnsFailure = 1
    /// There is no host with this name.
    case unknownHost
    /// The connection or a response took too long.
    case timeout
    /// The URL is not one of a database to sync with.
    case invalidURL
    /// The server has redirected more often than allowed.
    case tooManyRedirects
    /// The TLS handshake failed for a reason that has no code of its own.
    case tlsHandshakeFailed
    /// The server's certificate has expired, or is not valid yet.
    case tlsCertExpired
    /// The server's certificate is not trusted, or is not the pinned one.
    case tlsCertUntrusted
    /// The server requires a certificate of the client.
    case tlsClientCertRequired
    /// The server does not accept the certificate of the client.
    case tlsClientCertRejected
    /// The server's certificate was issued by an unknown authority.
    case tlsCertUnknownRoot
    /// The server has redirected to something that is not a valid URL.
    case invalidRedirect
    /// Another error of the network.
    case unknown
    /// The server's certificate was revoked by its issuer.
    case certificateRevoked
    /// The server's certificate was not issued for its host name.
    case certificateNameMismatch
    /// The network has dropped the connection, as `ENETRESET`.
    case reset
    /// The connection was ended by this side, as `ECONNABORTED`.
    case aborted
    /// The connection was ended by the peer without a close, as `ECONNRESET`.
    case connectionReset
    /// Nothing listens at the port of the server.
    case refused
    /// The local network is down.
    case networkDown
    /// There is no route to the network of the server.
    case networkUnreachable
    /// There is no connection anymore.
    case notConnected
    /// The server's host is down.
    case hostDown
    /// There is no route to the server's host.
    case hostUnreachable
    /// The local address cannot be used.
    case addressNotAvailable
    /// The peer does not read anymore.
    case brokenPipe
    /// There is no local interface with the configured name or address.
    case unknownInterface
}

/// Statuses of HTTP, as responses of the protocol and errors of documents report them (Replication 3.14).
package enum HTTPStatusCode: Int, Sendable {
    /// The request is malformed, or not possible in this state.
    case badRequest = 400
    /// The client must authenticate, or authenticated with wrong credentials.
    case unauthorized = 401
    /// The client is known, but may not do this.
    case forbidden = 403
    /// The document, revision, blob or database does not exist.
    case notFound = 404
    /// The revision conflicts with the one that is stored.
    case conflict = 409
    /// The blob or revision existed, but was removed.
    case gone = 410
    /// The body, a blob or a message exceeds a limit.
    case tooLarge = 413
    /// A document or blob could not be transmitted for a reason that may be temporary.
    case badGateway = 502
    /// The peer is too busy, and may be asked again later.
    case unavailable = 503
}

/// Codes with which WebSockets are closed (Replication 1.8).
package enum CloseCode: Int, Sendable {
    /// The connection ends after everything was done.
    case normal = 1000
    /// The side that closes is stopping. A replicator does not connect again.
    case goingAway = 1001
    /// The peer has violated the protocol.
    case protocolError = 1002
    /// The close frame contained no code. Never sent.
    case noCode = 1005
    /// The connection ended without a close frame. Never sent.
    case abnormal = 1006
    /// A text is not UTF-8.
    case invalidText = 1007
    /// A message is not allowed for a reason without a code of its own.
    case policyViolation = 1008
    /// A message exceeds the limit of the receiver.
    case messageTooBig = 1009
    /// An unexpected condition on this side.
    case internalError = 1011
    /// A transient condition: the peer may connect again.
    case retry = 4001
    /// A permanent condition: connecting again would fail too.
    case noRetry = 4002
}

/// Codes of the database engine, which the domain `LiteCore` has in common with `CBLError` (Replication 4.11).
package enum EngineCode: Int, Sendable {
    /// A revision ID is malformed.
    case badRevisionID = 4
    /// The revision tree of a document is damaged.
    case corruptRevisionData = 5
    /// The database or the collection was closed or deleted.
    case notOpen = 6
    /// The document, the revision or something else does not exist.
    case notFound = 7
    /// The document was changed in the meantime.
    case conflict = 8
    /// An argument is not allowed.
    case invalidParameter = 9
    /// An error that no other code describes.
    case unexpectedError = 10
    /// Memory is exhausted.
    case memoryError = 13
    /// The database was opened read-only.
    case notWriteable = 14
    /// The data of a document or of the database is damaged.
    case corruptData = 15
    /// The database is locked by another connection.
    case busy = 16
    /// The operation is not supported.
    case unsupported = 19
    /// The file is not a database, or the key is wrong.
    case unreadableDatabase = 20
    /// Encrypting, decrypting, or using a key or certificate failed.
    case crypto = 22
    /// The peer has reported an error that has no code here.
    case remoteError = 26
    /// A document ID is not allowed (Storage format 3.10).
    case badDocID = 29
    /// The revision to which a delta was made is not stored here.
    case deltaBaseUnknown = 31
    /// A delta is malformed or does not fit its base.
    case corruptDelta = 32
    /// What Sync Gateway reports for a feature it does not have.
    case notImplemented = 501
}

/// An error of each domain, from one of its codes. The domain ``Domain/blip`` uses the statuses of HTTP, and ``Domain/webSocket`` both those
/// and close codes.
extension SyncError {
    /// Creates an error of the domain ``Domain/network``.
    package init(network code: NetworkCode, _ message: String = "") { self.init(.network, code.rawValue, message) }
    /// Creates an error of the domain ``Domain/http``, as errors of single documents are.
    package init(http status: HTTPStatusCode, _ message: String = "") { self.init(.http, status.rawValue, message) }
    /// Creates an error of the domain ``Domain/blip``, whose codes are taken from HTTP.
    package init(blip status: HTTPStatusCode, _ message: String = "") { self.init(.blip, status.rawValue, message) }
    /// Creates an error of the domain ``Domain/webSocket`` for a handshake that was refused with a status.
    package init(webSocket status: HTTPStatusCode, _ message: String = "") { self.init(.webSocket, status.rawValue, message) }
    /// Creates an error of the domain ``Domain/webSocket`` for a connection that was closed with a code.
    package init(webSocket code: CloseCode, _ message: String = "") { self.init(.webSocket, code.rawValue, message) }
    /// Creates an error of the domain ``Domain/liteCore``.
    package init(engine code: EngineCode, _ message: String = "") { self.init(.liteCore, code.rawValue, message) }

    /// Returns whether this is an error of the domain ``Domain/liteCore`` with one of the codes.
    package func isEngine(_ codes: EngineCode...) -> Bool { domain == .liteCore && codes.contains { $0.rawValue == code } }
}

extension SyncError {
    /// What an app receives for the error: an error domain with a code of API 14 and Replication 4.11, and a text.
    package var publicForm: (domain: String, code: Int, text: String) {
        switch domain {
        case .liteCore: ("CouchbaseLite", code, text)
        case .blip: ("CouchbaseLite", EngineCode.remoteError.rawValue, text)
        // The close code 1001 becomes 11001, the HTTP status 404 becomes 10404.
        case .http, .webSocket: ("CouchbaseLite", code(from: Self.httpBase), text)
        case .network: ("CouchbaseLite", code(from: Self.networkBase), text)
        case .tls: ("CouchbaseLite", Self.networkBase + NetworkCode.tlsHandshakeFailed.rawValue, text)
        case .posix: (NSPOSIXErrorDomain, code, text)
        case .sqlite: ("CouchbaseLite.SQLite", code, text)
        case .fleece: ("CouchbaseLite.Fleece", code, text)
        }
    }

    private static let networkBase = 5000
    private static let httpBase = 10000

    /// The code counted from `base`. Peers choose the numbers they send: one that fits no public code is an error of the remote side.
    private func code(from base: Int) -> Int { (1..<5000).contains(code) ? base + code : EngineCode.remoteError.rawValue }

    private var text: String {
        domain == .posix && message.isEmpty ? String(cString: strerror(Int32(truncatingIfNeeded: code))) : explanation
    }
}

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
    case dnsFailure = 1
    case unknownHost
    case timeout
    case invalidURL
    case tooManyRedirects
    case tlsHandshakeFailed
    case tlsCertExpired
    case tlsCertUntrusted
    case tlsClientCertRequired
    case tlsClientCertRejected
    case tlsCertUnknownRoot
    case invalidRedirect
    case unknown
    case certificateRevoked
    case certificateNameMismatch
    case reset
    case aborted
    case connectionReset
    case refused
    case networkDown
    case networkUnreachable
    case notConnected
    case hostDown
    case hostUnreachable
    case addressNotAvailable
    case brokenPipe
    case unknownInterface
}

/// Statuses of HTTP, as responses of the protocol and errors of documents report them (Replication 3.14).
package enum HTTPStatusCode: Int, Sendable {
    case badRequest = 400
    case unauthorized = 401
    case forbidden = 403
    case notFound = 404
    case conflict = 409
    case gone = 410
    case tooLarge = 413
    case badGateway = 502
    case unavailable = 503
}

/// Codes with which WebSockets are closed (Replication 1.8).
package enum CloseCode: Int, Sendable {
    case normal = 1000
    case goingAway = 1001
    case protocolError = 1002
    /// The close frame contained no code. Never sent.
    case noCode = 1005
    /// The connection ended without a close frame. Never sent.
    case abnormal = 1006
    /// A text is not UTF-8.
    case invalidText = 1007
    case policyViolation = 1008
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
    case badRevisionID = 4
    case corruptRevisionData = 5
    case notOpen = 6
    case notFound = 7
    case conflict = 8
    case invalidParameter = 9
    case unexpectedError = 10
    case memoryError = 13
    case notWriteable = 14
    case corruptData = 15
    case busy = 16
    case unsupported = 19
    case unreadableDatabase = 20
    case crypto = 22
    case remoteError = 26
    case badDocID = 29
    case deltaBaseUnknown = 31
    case corruptDelta = 32
    /// What Sync Gateway reports for a feature it does not have.
    case notImplemented = 501
}

/// An error of each domain, from one of its codes. The domain ``Domain/blip`` uses the statuses of HTTP, and ``Domain/webSocket`` both those
/// and close codes.
extension SyncError {
    package init(network code: NetworkCode, _ message: String = "") { self.init(.network, code.rawValue, message) }
    package init(http status: HTTPStatusCode, _ message: String = "") { self.init(.http, status.rawValue, message) }
    package init(blip status: HTTPStatusCode, _ message: String = "") { self.init(.blip, status.rawValue, message) }
    package init(webSocket status: HTTPStatusCode, _ message: String = "") { self.init(.webSocket, status.rawValue, message) }
    package init(webSocket code: CloseCode, _ message: String = "") { self.init(.webSocket, code.rawValue, message) }
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

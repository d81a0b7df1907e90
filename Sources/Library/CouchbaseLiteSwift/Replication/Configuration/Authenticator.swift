#if Replication
/// Credentials for the target: a ``BasicAuthenticator``, a ``SessionAuthenticator`` or a ``ClientCertificateAuthenticator``.
@preconcurrency public protocol Authenticator: Sendable {}

/// A user name and a password, sent with HTTP Basic authentication: use it with `wss` only.
public struct BasicAuthenticator: Authenticator {
    /// The user's name.
    public let username: String
    /// The user's password.
    public let password: String

    /// Creates credentials from a user name and a password.
    public init(username: String, password: String) { (self.username, self.password) = (username, password) }
}

/// A session that was created on Sync Gateway before.
public struct SessionAuthenticator: Authenticator {
    /// The session's ID, as returned by Sync Gateway.
    public let sessionID: String
    /// The name of the cookie that contains the session ID. By default `SyncGatewaySession`.
    public let cookieName: String

    /// Creates credentials from a session ID, which is sent in the cookie `SyncGatewaySession`.
    public init(sessionID: String) { self.init(sessionID: sessionID, cookieName: nil) }

    /// Creates credentials from a session ID, which is sent in the cookie `cookieName`; `nil` means `SyncGatewaySession`.
    public init(sessionID: String, cookieName: String?) {
        self.sessionID = sessionID
        self.cookieName = cookieName ?? "SyncGatewaySession"
    }
}

/// A certificate that is sent in the TLS handshake.
public final class ClientCertificateAuthenticator: Authenticator {
    /// The certificate that is sent, with its private key.
    public let identity: TLSIdentity

    /// Creates credentials from a certificate for clients, with its private key.
    public init(identity: TLSIdentity) { self.identity = identity }
}

extension BasicAuthenticator: CustomStringConvertible, CustomReflectable {
    /// A description without the password, which must not appear in logs.
    public var description: String { "BasicAuthenticator(username: \(username))" }
    /// A mirror without the password.
    public var customMirror: Mirror { Mirror(self, children: ["username": username]) }
}

extension SessionAuthenticator: CustomStringConvertible, CustomReflectable {
    /// A description without the session's ID, which must not appear in logs.
    public var description: String { "SessionAuthenticator(cookieName: \(cookieName))" }
    /// A mirror without the session's ID.
    public var customMirror: Mirror { Mirror(self, children: ["cookieName": cookieName]) }
}
#endif

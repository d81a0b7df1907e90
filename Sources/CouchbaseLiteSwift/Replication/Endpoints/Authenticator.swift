#if Replication
/// Who we are to the target: a ``BasicAuthenticator``, a ``SessionAuthenticator`` or a ``ClientCertificateAuthenticator``.
public protocol Authenticator {}

/// A name and a password, sent with HTTP's Basic authentication: use it with `wss` only.
public struct BasicAuthenticator: Authenticator, Sendable {
    /// The user's name.
    public let username: String
    /// The user's password.
    public let password: String

    /// - Parameters:
    ///   - username: The user's name.
    ///   - password: The user's password.
    public init(username: String, password: String) {
        self.username = username
        self.password = password
    }
}

/// A session that was created on Sync Gateway beforehand.
public struct SessionAuthenticator: Authenticator, Sendable {
    /// The session's ID, as Sync Gateway gave it.
    public let sessionID: String
    /// The name of the cookie that carries it.
    public let cookieName: String

    private static let defaultCookieName = "SyncGatewaySession"

    /// - Parameter sessionID: The session's ID, as Sync Gateway gave it; it goes in the cookie `SyncGatewaySession`.
    public init(sessionID: String) {
        self.init(sessionID: sessionID, cookieName: nil)
    }

    /// - Parameters:
    ///   - sessionID: The session's ID, as Sync Gateway gave it.
    ///   - cookieName: The name of the cookie, if it is another than `SyncGatewaySession`.
    public init(sessionID: String, cookieName: String?) {
        self.sessionID = sessionID
        self.cookieName = cookieName ?? Self.defaultCookieName
    }
}

/// A certificate that we show in the TLS handshake.
public class ClientCertificateAuthenticator: Authenticator, @unchecked Sendable {
    // Unchecked because the class is open to the module's own subclasses; its one property is constant.

    /// The certificate that is shown, with its private key.
    public let identity: TLSIdentity

    /// - Parameter identity: A certificate for clients, with its private key.
    public init(identity: TLSIdentity) {
        self.identity = identity
    }
}

extension BasicAuthenticator: CustomStringConvertible, CustomReflectable {
    /// Without the password, which is not to be seen in logs.
    public var description: String { "BasicAuthenticator(username: \(username))" }
    public var customMirror: Mirror { Mirror(self, children: ["username": username]) }
}

extension SessionAuthenticator: CustomStringConvertible, CustomReflectable {
    /// Without the session's ID, which is not to be seen in logs.
    public var description: String { "SessionAuthenticator(cookieName: \(cookieName))" }
    public var customMirror: Mirror { Mirror(self, children: ["cookieName": cookieName]) }
}
#endif

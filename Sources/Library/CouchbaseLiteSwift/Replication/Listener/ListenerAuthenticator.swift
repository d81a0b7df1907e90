#if Replication
import SyncRuntime

/// Authenticates the clients of a listener: a ``ListenerPasswordAuthenticator`` or a ``ListenerCertificateAuthenticator``.
@preconcurrency public protocol ListenerAuthenticator: Sendable {}

/// Returns whether a user name and a password are valid. It is called on background threads, possibly for several clients concurrently.
@preconcurrency public typealias ListenerPasswordAuthenticatorDelegate = @Sendable (_ username: String, _ password: String) -> Bool

/// Returns whether a client with these certificates, its own first, is accepted. It is called on background threads, possibly for several
/// clients concurrently.
@preconcurrency public typealias ListenerCertificateAuthenticatorDelegate = @Sendable (_ certs: [SecCertificate]) -> Bool

/// An authenticator of this library.
protocol ClientAuthenticating {
    var authentication: ClientAuthentication { get }
}

/// Requires a user name and a password from clients (HTTP Basic authentication).
public final class ListenerPasswordAuthenticator: ListenerAuthenticator, ClientAuthenticating {
    let authentication: ClientAuthentication

    /// Creates an authenticator that calls a closure.
    @preconcurrency public init(_ delegate: @escaping ListenerPasswordAuthenticatorDelegate) {
        authentication = .passwords(delegate)
    }

    /// Creates an authenticator that accepts one user name with one password.
    ///
    /// Both are compared byte by byte, in a time that does not reveal how much of a guess is correct; Swift's `==` would treat `é` as equal
    /// to `e` with a combining accent, and stop at the first difference.
    public init(username: String, password: String) { authentication = .user(username, password: password) }
}

/// Requires a certificate from clients. It needs TLS.
public final class ListenerCertificateAuthenticator: ListenerAuthenticator, ClientAuthenticating {
    let authentication: ClientAuthentication

    /// Creates an authenticator that calls a closure.
    @preconcurrency public init(_ delegate: @escaping ListenerCertificateAuthenticatorDelegate) {
        authentication = .certificates { chain in delegate(chain.compactMap { SecCertificate.read(der: $0) }) }
    }

    /// Creates an authenticator that accepts a client if one of the trusted root certificates is the client's own one, or issued it,
    /// directly or indirectly.
    public init(rootCerts: [SecCertificate]) { authentication = .roots(rootCerts.map(\.der)) }
}
#endif

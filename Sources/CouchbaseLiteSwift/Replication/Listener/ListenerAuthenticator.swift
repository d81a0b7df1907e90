import ExactStrings

#if Replication
/// Decides who may connect to a listener: a ``ListenerPasswordAuthenticator`` or a ``ListenerCertificateAuthenticator``.
public protocol ListenerAuthenticator {}

/// Says whether a name and a password are good. Called on a background thread.
public typealias ListenerPasswordAuthenticatorDelegate = (_ username: String, _ password: String) -> Bool

/// Says whether a client is good that has shown these certificates, its own first. Called on a background thread.
public typealias ListenerCertificateAuthenticatorDelegate = (_ certs: [SecCertificate]) -> Bool

/// Asks clients for a name and a password.
public class ListenerPasswordAuthenticator: ListenerAuthenticator {
    let delegate: ListenerPasswordAuthenticatorDelegate

    /// - Parameter delegate: Says whether a name and a password are good.
    public init(_ delegate: @escaping ListenerPasswordAuthenticatorDelegate) {
        self.delegate = delegate
    }

    /// Lets in whoever gives this name and password. They are compared by their bytes, and how long that takes tells nobody how
    /// much of a guess is right; Swift's `==` would take `é` for `e` with an accent, and stop at the first difference.
    public init(username: String, password: String) {
        delegate = { name, guess in
            let isUser = username.isSecretEqual(toGuess: name)
            let isPassword = password.isSecretEqual(toGuess: guess)
            return isUser && isPassword
        }
    }
}

/// Asks clients for a certificate. It needs TLS.
public class ListenerCertificateAuthenticator: ListenerAuthenticator {
    enum Validation {
        case delegate(ListenerCertificateAuthenticatorDelegate)
        case roots([SecCertificate])
    }

    let validation: Validation

    /// - Parameter delegate: Says whether a client's certificates are good.
    public init(_ delegate: @escaping ListenerCertificateAuthenticatorDelegate) {
        validation = .delegate(delegate)
    }

    /// - Parameter rootCerts: Clients are good that one of these vouches for.
    public init(rootCerts: [SecCertificate]) {
        validation = .roots(rootCerts)
    }
}
#endif

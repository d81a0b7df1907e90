#if Replication
import Base
import Replication
import SyncCore
package import Transport

/// How the clients of a listener are authenticated, as an app configures it.
package enum ClientAuthentication: Sendable {
    /// By a function that returns whether a user name and a password are valid.
    case passwords(@Sendable (_ username: String, _ password: String) -> Bool)
    /// By a function that returns whether a client with these certificates, DER, its own first, is accepted.
    case certificates(@Sendable ([[UInt8]]) -> Bool)
    /// By root certificates, DER, one of which must be the client's own one, or have issued it.
    case roots([[UInt8]])

    /// Returns the authentication by one user name with one password, which are compared in a time that does not reveal how much of a guess
    /// is correct.
    package static func user(_ username: String, password: String) -> ClientAuthentication {
        .passwords { name, guess in
            let isUser = username.isSecretEqual(toGuess: name)
            let isPassword = password.isSecretEqual(toGuess: guess)
            return isUser && isPassword
        }
    }
}

extension ListenerConfiguration {
    /// Creates the configuration of a listener that serves no database yet.
    ///
    /// - Parameters:
    ///   - port: The port; `nil` for any free port.
    ///   - identity: The identity of the listener; `nil` for a listener without TLS.
    ///   - authentication: How clients are authenticated; `nil` accepts all clients.
    /// - Throws: `invalidParameter` if certificates of clients are needed without TLS; `crypto` for a root certificate that cannot be read.
    package init(
        port: UInt16?,
        networkInterface: String?,
        maximumConnections: UInt,
        identity: TLSIdentityData?,
        _ authentication: ClientAuthentication?
    ) throws {
        self.init(subprotocols: Subprotocol.trees, servesDatabase: { _ in false })
        self.port = Int(port ?? 0)
        self.networkInterface = networkInterface
        self.maximumConnections = Int(clamping: maximumConnections)
        tls = identity.map { ListenerTLS(identity: $0) }
        switch authentication {
        case .passwords(let areValid): authenticator = { areValid($0.username, $0.password) }
        case .certificates(let areValid): try require(.accepted(areValid))
        case .roots(let roots): try require(.roots(try CertificateInfo.all(roots, "a root certificate for clients")))
        case nil: break
        }
    }

    private mutating func require(_ certificates: @autoclosure () throws -> ListenerTLS.ClientCertificates) throws {
        guard tls != nil else {
            throw SyncError(engine: .invalidParameter, "a listener that authenticates clients by certificates needs TLS")
        }
        tls?.clientCertificates = try certificates()
    }
}
#endif

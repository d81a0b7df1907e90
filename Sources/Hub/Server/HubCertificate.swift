#if Replication
import DocumentStore
import SyncCore
import SyncRuntime
import Transport

/// The certificate and the private key of a hub that uses TLS.
package enum HubCertificate: Sendable {
    /// A self-signed certificate for this hub. It is generated on first use and stored with the identities of the user who runs the hub, so that
    /// clients can pin it.
    case generated
    /// A certificate in a PEM file, followed by those of its issuers, and its private key in another PEM file, or in the same if `key` is `nil`.
    case files(certificate: String, key: String?)
    /// A new self-signed certificate for `localhost` and 127.0.0.1, which is not stored. For tests of clients.
    case temporary
}

extension HubCertificate {
    /// Returns the certificate and its key.
    ///
    /// - Parameter own: The hub's own database, to which a generated certificate belongs.
    /// - Throws: ``SyncError``: LiteCore 22 (crypto) if a file has no certificate or key, or the key is not that of the certificate; POSIX if a
    ///   file cannot be read or written.
    func identity(of own: DatabaseFile) throws -> TLSIdentityData {
        switch self {
        case .generated: try AnonymousIdentity.identity(of: own)
        case .files(let certificate, let key): try TLSIdentityData(certificateFile: certificate, keyFile: key)
        case .temporary:
            try TLSIdentityData.selfSigned(
                attributes: ["CN": "localhost", "dNSName": "localhost", "iPAddress": "127.0.0.1"],
                isServer: true
            )
        }
    }
}
#endif

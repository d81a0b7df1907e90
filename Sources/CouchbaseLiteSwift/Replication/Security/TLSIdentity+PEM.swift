#if Replication
import SyncCore
import Transport

extension TLSIdentity {
    /// An identity in a text (PEM), as most tools write it: a certificate, those that vouch for it, and its private key. It is
    /// not kept under any label.
    ///
    /// - Parameter pem: The text. The key must not be protected by a password.
    /// - Throws: `crypto` when there is no certificate or no key in it.
    public convenience init(pem: String) throws {
        self.init(try throwingPublicErrors { try TLSIdentityData(pem: pem) })
    }
}

extension SecCertificate {
    /// The certificates in a text (PEM), in their order; none when there are none.
    package static func all(inPEM text: String) -> [SecCertificate] {
        ((try? CertificateInfo.all(inPEM: text)) ?? []).compactMap { SecCertificate.read(der: $0.der) }
    }
}
#endif

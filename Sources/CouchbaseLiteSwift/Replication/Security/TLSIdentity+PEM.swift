#if Replication
import SyncCore
import Transport

extension TLSIdentity {
    /// Creates an identity from PEM text: a certificate, the certificates of its issuers, and its private key. It is not stored under any
    /// label.
    ///
    /// - Parameter pem: The text. The key must not be encrypted with a password.
    /// - Throws: `crypto` if the text contains no certificate or no usable key.
    public convenience init(pem: String) throws { self.init(try throwingPublicErrors { try TLSIdentityData(pem: pem) }) }
}

extension SecCertificate {
    /// Returns the certificates in PEM text, in order; an empty array if there are none, or the text cannot be parsed.
    package static func all(inPEM text: String) -> [SecCertificate] {
        ((try? CertificateInfo.all(inPEM: text)) ?? []).compactMap { SecCertificate.read(der: $0.der) }
    }
}
#endif

#if Replication
package import SyncCore
import NIOSSL

extension TLSIdentityData {
    /// Reads an identity from a PEM text: the leaf certificate, followed by the certificates of its issuers, and the private key at any
    /// position.
    ///
    /// - Throws: ``SyncError``, LiteCore 22 (crypto), if the text contains no certificate or no private key, or the key is protected by a
    ///   password.
    package init(pem text: String) throws(SyncError) {
        let (certificates, key): ([CertificateInfo], [UInt8])
        do {
            certificates = try CertificateInfo.all(inPEM: text)
        } catch {
            throw SyncError(engine: .crypto, "the PEM text contains no certificate")
        }
        do {
            key = try NIOSSLPrivateKey(bytes: Array(text.utf8), format: .pem).derBytes
        } catch {
            throw SyncError(engine: .crypto, "the PEM text contains no private key, or the key is protected by a password")
        }
        try self.init(certificates: certificates, privateKey: key)
    }
}
#endif

#if Replication
package import SyncCore
import NIOSSL

extension TLSIdentityData {
    /// Reads an identity from a text (PEM): a certificate, those of its issuers behind it, and its private key anywhere among them.
    ///
    /// - Throws: ``SyncError``, LiteCore 22 (crypto): no certificate, no key, or a key that is protected by a password.
    package init(pem text: String) throws(SyncError) {
        let (certificates, key): ([CertificateInfo], [UInt8])
        do {
            certificates = try CertificateInfo.all(inPEM: text)
        } catch {
            throw SyncError(.liteCore, 22, "there is no certificate in the text (PEM)")
        }
        do {
            key = try NIOSSLPrivateKey(bytes: Array(text.utf8), format: .pem).derBytes
        } catch {
            throw SyncError(.liteCore, 22, "there is no private key in the text (PEM), or it is protected by a password")
        }
        try self.init(certificates: certificates, privateKey: key)
    }
}
#endif

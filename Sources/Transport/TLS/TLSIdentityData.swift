#if Replication
package import SyncCore
import NIOSSL

/// Who this side is in TLS: certificates and the private key of the first. It is not printed.
package struct TLSIdentityData: Sendable, Hashable, CustomStringConvertible {
    /// DER, its own first, then its issuers.
    package let certificates: [CertificateInfo]
    /// DER: PKCS#8, or the form of its kind of key.
    package let privateKey: [UInt8]

    /// - Throws: ``SyncError``, LiteCore 22 (crypto), when there is no certificate, or the key is none.
    package init(certificates: [CertificateInfo], privateKey: [UInt8]) throws(SyncError) {
        guard !certificates.isEmpty else { throw SyncError(.liteCore, 22, "an identity needs a certificate") }
        guard (try? NIOSSLPrivateKey(bytes: privateKey, format: .der)) != nil else {
            throw SyncError(.liteCore, 22, "the private key of an identity cannot be read")
        }
        self.certificates = certificates
        self.privateKey = privateKey
    }

    package var description: String { "identity of \(certificates[0].commonName ?? "unnamed")" }

    /// The certificates as the TLS library takes them.
    func certificateSources() throws(SyncError) -> [NIOSSLCertificateSource] {
        do {
            return try certificates.map { .certificate(try NIOSSLCertificate(bytes: $0.der, format: .der)) }
        } catch {
            throw SyncError(.liteCore, 22, "the certificates of the identity cannot be used: \(TLSFailure.words(error))")
        }
    }

    /// The key as the TLS library takes it.
    func keySource() throws(SyncError) -> NIOSSLPrivateKeySource {
        do {
            return .privateKey(try NIOSSLPrivateKey(bytes: privateKey, format: .der))
        } catch {
            throw SyncError(.liteCore, 22, "the private key of the identity cannot be used: \(TLSFailure.words(error))")
        }
    }
}
#endif

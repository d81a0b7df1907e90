#if Replication
import NIOSSL
import SwiftASN1
package import SyncCore

/// A TLS identity: a certificate chain and the private key of its leaf. The description does not contain the key.
package struct TLSIdentityData: Sendable, Hashable, CustomStringConvertible {
    /// The certificates: the leaf first, then its issuers. Never empty.
    package let certificates: [CertificateInfo]
    /// The private key in DER form: PKCS#8, or the format of its key type.
    package let privateKey: [UInt8]

    /// - Throws: ``SyncError``, LiteCore 22 (crypto), if there is no certificate, or the key cannot be parsed.
    package init(certificates: [CertificateInfo], privateKey: [UInt8]) throws(SyncError) {
        guard !certificates.isEmpty else { throw SyncError(engine: .crypto, "an identity requires a certificate") }
        guard (try? NIOSSLPrivateKey(bytes: privateKey, format: .der)) != nil else {
            throw SyncError(engine: .crypto, "the private key of the identity cannot be parsed")
        }
        self.certificates = certificates
        self.privateKey = privateKey
    }

    package var description: String { "identity of \(certificates[0].commonName ?? "unnamed")" }

    func certificateSources() throws(SyncError) -> [NIOSSLCertificateSource] {
        try TLSFailure.convert("the certificates of the identity cannot be used") {
            try certificates.map { .certificate(try NIOSSLCertificate(bytes: $0.der, format: .der)) }
        }
    }

    func keySource() throws(SyncError) -> NIOSSLPrivateKeySource {
        try TLSFailure.convert("the private key of the identity cannot be used") {
            .privateKey(try NIOSSLPrivateKey(bytes: privateKey, format: .der))
        }
    }

    /// The private key in PEM form. The type depends on the format of the key, which the element after its version identifies.
    var keyDocument: PEMDocument {
        let type: String
        if let root = try? DER.parse(privateKey), case .constructed(let nodes) = root.content {
            type =
                switch Array(nodes.prefix(2)).last?.identifier {
                case .octetString: "EC PRIVATE KEY"
                case .integer: "RSA PRIVATE KEY"
                default: "PRIVATE KEY"
                }
        } else {
            type = "PRIVATE KEY"
        }
        return PEMDocument(type: type, derBytes: privateKey)
    }

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

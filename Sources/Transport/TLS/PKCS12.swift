#if Replication
package import SyncCore
import NIOSSL
import X509

extension TLSIdentityData {
    /// Reads an identity from a PKCS#12 file (`.p12`, `.pfx`).
    ///
    /// - Parameters:
    ///   - pkcs12: The content of the file.
    ///   - password: The password that protects the file. `nil` means an empty password.
    /// - Throws: ``SyncError``, LiteCore 22 (crypto), if the content is not a PKCS#12 file, the password is wrong, or it contains no key or
    ///   no certificate for the key.
    package init(pkcs12: [UInt8], password: String?) throws(SyncError) {
        guard let content = try? PKCS12Content(pkcs12), content.mayHoldIdentity else { throw Self.noIdentity }
        let (certificates, key): ([CertificateInfo], [UInt8])
        do {
            guard try PKCS12Probe.holdsIdentity(content, password: password ?? "") else { throw Self.noIdentity }
            let bundle = try NIOSSLPKCS12Bundle(buffer: pkcs12, passphrase: (password ?? "").utf8)
            certificates = try bundle.certificateChain.compactMap { CertificateInfo(der: try $0.toDERBytes()) }
            key = try bundle.privateKey.derBytes
        } catch let error as SyncError {
            throw error
        } catch {
            throw SyncError(engine: .crypto, "the PKCS#12 file cannot be parsed, or the password is wrong")
        }
        try self.init(certificates: Self.ordered(certificates), privateKey: key)
    }

    private static var noIdentity: SyncError {
        SyncError(engine: .crypto, "the data is not a PKCS#12 file with a private key and its certificate")
    }

    /// Returns the certificates in the order of a chain. The first is the key's; the file may contain the others in any order.
    private static func ordered(_ certificates: [CertificateInfo]) -> [CertificateInfo] {
        var rest = certificates
        guard !rest.isEmpty else { return [] }
        var chain = [rest.removeFirst()]
        while let index = rest.firstIndex(where: { $0.certificate.subject == chain[chain.count - 1].certificate.issuer }) {
            chain.append(rest.remove(at: index))
        }
        return chain + rest
    }
}
#endif

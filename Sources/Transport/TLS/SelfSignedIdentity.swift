#if Replication
package import SyncCore
import Crypto
package import Foundation
import SwiftASN1
import X509

extension TLSIdentityData {
    /// How long a certificate is valid unless told otherwise: 20 years (API 12.2).
    private static let lifetime: TimeInterval = 20 * 365.25 * 24 * 3600

    /// Makes a new key (P-256), and a certificate for it that is signed with itself. It is valid from an hour ago: peers whose clocks are
    /// behind would refuse it otherwise.
    ///
    /// - Parameters:
    ///   - attributes: See ``CertificateAttributes``.
    ///   - isServer: Whether it is for a listener, else for a client.
    ///   - expiration: The end of its validity; 20 years from now when nil.
    ///   - now: The time.
    /// - Throws: ``SyncError``, LiteCore 22 (crypto).
    package static func selfSigned(
        attributes: [String: String],
        isServer: Bool,
        expiration: Date? = nil,
        now: Date = Date()
    ) throws(SyncError) -> TLSIdentityData {
        let subject = try CertificateAttributes.subject(attributes)
        let names = try CertificateAttributes.names(attributes)
        let key = P256.Signing.PrivateKey()
        let certificate: CertificateInfo
        do {
            let made = try Certificate(
                version: .v3,
                serialNumber: Certificate.SerialNumber(),
                publicKey: .init(key.publicKey),
                notValidBefore: min(now, expiration ?? now).addingTimeInterval(-3600),
                notValidAfter: expiration ?? now.addingTimeInterval(lifetime),
                issuer: subject,
                subject: subject,
                signatureAlgorithm: .ecdsaWithSHA256,
                extensions: Certificate.Extensions {
                    Critical(BasicConstraints.notCertificateAuthority)
                    Critical(KeyUsage(digitalSignature: true))
                    try ExtendedKeyUsage([isServer ? .serverAuth : .clientAuth])
                    if !names.isEmpty { SubjectAlternativeNames(names) }
                },
                issuerPrivateKey: .init(key)
            )
            certificate = try CertificateInfo(made)
        } catch {
            throw SyncError(.liteCore, 22, "the certificate cannot be made: \(TLSFailure.words(error))")
        }
        return try TLSIdentityData(certificates: [certificate], privateKey: Array(key.derRepresentation))
    }
}
#endif

#if Replication
package import SyncCore
import Crypto
package import Foundation
import SwiftASN1
import X509

extension TLSIdentityData {
    /// The default validity of a certificate, in seconds: 20 years (API 12.2).
    private static let lifetime: TimeInterval = 20 * 365.25 * 24 * 3600

    /// Creates a new P-256 key and a self-signed certificate for it. The certificate is valid from one hour ago, because peers whose clocks
    /// are slow would reject it otherwise.
    ///
    /// - Parameters:
    ///   - attributes: The attributes of the subject, see ``CertificateAttributes``.
    ///   - isServer: Whether the certificate is for a listener. Otherwise it is for a client.
    ///   - expiration: The end of the validity. `nil` means 20 years from now.
    ///   - now: The current time.
    /// - Throws: ``SyncError``, LiteCore 22 (crypto), if an attribute is invalid or the certificate cannot be created.
    package static func selfSigned(
        attributes: [String: String],
        isServer: Bool,
        expiration: Date? = nil,
        now: Date = Date()
    ) throws(SyncError) -> TLSIdentityData {
        let subject = try CertificateAttributes.subject(attributes)
        let names = try CertificateAttributes.names(attributes)
        let key = P256.Signing.PrivateKey()
        let certificate = try TLSFailure.convert("the certificate cannot be created") {
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
            return try CertificateInfo(made)
        }
        return try TLSIdentityData(certificates: [certificate], privateKey: Array(key.derRepresentation))
    }
}
#endif

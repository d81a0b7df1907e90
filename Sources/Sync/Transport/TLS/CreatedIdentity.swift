#if Replication
import Crypto
package import Foundation
import SwiftASN1
package import SyncCore
import X509

/// What a certificate may identify: its extended key usages (RFC 5280, 4.2.1.12).
package struct CertificatePurposes: OptionSet, Sendable {
    /// One bit for each purpose.
    package let rawValue: UInt8

    package init(rawValue: UInt8) { self.rawValue = rawValue }

    /// A server, such as a listener.
    package static let server = CertificatePurposes(rawValue: 1)
    /// A client.
    package static let client = CertificatePurposes(rawValue: 2)

    fileprivate var usages: [ExtendedKeyUsage.Usage] {
        (contains(.server) ? [.serverAuth] : []) + (contains(.client) ? [.clientAuth] : [])
    }
}

extension TLSIdentityData {
    /// The default validity of a self-signed certificate for one purpose, in seconds: 20 years (API 12.2).
    private static let longLifetime: TimeInterval = 20 * 365.25 * 24 * 3600
    /// The default validity of other certificates, in seconds: one year (API 12.2).
    private static let lifetime: TimeInterval = 365.25 * 24 * 3600

    /// The expiration dates that certificates can have, in seconds since 1970: those of years of four digits.
    private static let expirations = 3600...253_402_300_799.0

    /// Creates a new P-256 key and a self-signed certificate for it; see ``created(attributes:purposes:expiration:issuer:now:)``.
    ///
    /// - Parameters:
    ///   - isServer: Whether the certificate is for a listener. Otherwise it is for a client.
    ///   - expiration: The end of the validity. `nil` means 20 years from now.
    package static func selfSigned(
        attributes: [String: String],
        isServer: Bool,
        expiration: Date? = nil,
        now: Date = Date()
    ) throws(SyncError) -> TLSIdentityData {
        try created(
            attributes: attributes,
            purposes: isServer ? .server : .client,
            expiration: expiration ?? now.addingTimeInterval(longLifetime),
            now: now
        )
    }

    /// Creates a new P-256 key and a certificate for it. The certificate is valid from one hour ago, because peers whose clocks are slow would
    /// reject it otherwise.
    ///
    /// - Parameters:
    ///   - attributes: The attributes of the subject, see ``CertificateAttributes``.
    ///   - purposes: What the certificate is for; not empty.
    ///   - expiration: The end of the validity. `nil` means one year from now, or the end of the validity of the issuer if that is earlier.
    ///   - issuer: The authority that signs the certificate; `nil` for a self-signed one. Its certificates follow the new one in the result.
    ///   - now: The current time.
    /// - Throws: ``SyncError``, LiteCore 22 (crypto), if an attribute is invalid, there is no purpose, the issuer cannot issue certificates,
    ///   or the certificate cannot be created.
    package static func created(
        attributes: [String: String],
        purposes: CertificatePurposes,
        expiration: Date? = nil,
        issuer: TLSIdentityData? = nil,
        now: Date = Date()
    ) throws(SyncError) -> TLSIdentityData {
        guard !purposes.usages.isEmpty else {
            throw SyncError(engine: .crypto, "a certificate must be for servers, for clients, or for both: the key usages are empty")
        }
        guard expiration.map({ expirations.contains($0.timeIntervalSince1970) }) ?? true else {
            throw SyncError(engine: .crypto, "the expiration date of a certificate must be between 1970 and 9999")
        }
        let subject = try CertificateAttributes.subject(attributes)
        let names = try CertificateAttributes.names(attributes)
        let authority: CertificateIssuer? = if let issuer { try CertificateIssuer(issuer, at: now) } else { nil }
        let key = P256.Signing.PrivateKey()
        let ownKey = Certificate.PrivateKey(key)
        let latest = now.addingTimeInterval(lifetime)
        let certificate = try TLSFailure.convert("the certificate cannot be created") {
            let made = try Certificate(
                version: .v3,
                serialNumber: Certificate.SerialNumber(),
                publicKey: ownKey.publicKey,
                notValidBefore: min(now, expiration ?? now).addingTimeInterval(-3600),
                notValidAfter: expiration ?? min(latest, authority?.certificate.notValidAfter ?? latest),
                issuer: authority?.certificate.subject ?? subject,
                subject: subject,
                extensions: Certificate.Extensions {
                    Critical(BasicConstraints.notCertificateAuthority)
                    Critical(KeyUsage(digitalSignature: true))
                    try ExtendedKeyUsage(purposes.usages)
                    if !names.isEmpty { SubjectAlternativeNames(names) }
                    if authority != nil { SubjectKeyIdentifier(hash: ownKey.publicKey) }
                    if let keyIdentifier = authority?.keyIdentifier { AuthorityKeyIdentifier(keyIdentifier: keyIdentifier) }
                },
                issuerPrivateKey: authority?.key ?? ownKey
            )
            return try CertificateInfo(made)
        }
        return try TLSIdentityData(
            certificates: [certificate] + (issuer?.certificates ?? []),
            privateKey: Array(key.derRepresentation)
        )
    }
}

/// An identity that can sign the certificates of others: that of a certificate authority.
private struct CertificateIssuer {
    let certificate: Certificate
    let key: Certificate.PrivateKey

    /// Checks that the identity may and can sign certificates.
    init(_ identity: TLSIdentityData, at time: Date) throws(SyncError) {
        let info = identity.certificates[0]
        certificate = info.certificate
        guard !info.isExpired(at: time) else {
            throw SyncError(engine: .crypto, "the certificate of the issuer has expired, or is not valid yet")
        }
        // Certificates that are signed by anything else would be rejected by all who validate them.
        guard case .isCertificateAuthority? = try? certificate.extensions.basicConstraints else {
            let reason = "its certificate does not say so (basic constraints)"
            throw SyncError(engine: .crypto, "the issuer is not a certificate authority: \(reason)")
        }
        let usage = try TLSFailure.convert("the key usage of the issuer cannot be read") { try info.certificate.extensions.keyUsage }
        guard usage?.keyCertSign ?? true else {
            throw SyncError(engine: .crypto, "the key usage of the issuer does not include signing certificates")
        }
        key = try TLSFailure.convert("the private key of the issuer cannot sign certificates") {
            try Certificate.PrivateKey(pemDocument: identity.keyDocument)
        }
        guard key.publicKey == certificate.publicKey else {
            throw SyncError(engine: .crypto, "the private key of the issuer is not that of its certificate")
        }
    }

    /// The name of the key in the certificates that it signs; `nil` if its own certificate gives none.
    var keyIdentifier: ArraySlice<UInt8>? {
        guard let identifier = try? certificate.extensions.subjectKeyIdentifier else { return nil }
        return identifier.keyIdentifier
    }
}
#endif

#if Replication
import Crypto
import Foundation
import NIOSSL
import SwiftASN1
import Transport
import X509

/// An authority that issues valid and invalid certificates of every kind.
struct TestAuthority {
    let certificate: CertificateInfo
    private let key: Certificate.PrivateKey
    private let name: DistinguishedName

    /// - Parameters:
    ///   - age: The seconds since its begin; it is valid for four hours.
    ///   - usage: The usage of its key; `nil` for no such extension.
    init(name: String = "Test Authority", issuer: TestAuthority? = nil, age: TimeInterval = 7200, usage: KeyUsage? = nil) throws {
        let key = P256.Signing.PrivateKey()
        let subject = try DistinguishedName { CommonName(name) }
        self.key = Certificate.PrivateKey(key)
        self.name = subject
        let now = Date()
        certificate = try Self.info(
            Certificate(
                version: .v3,
                serialNumber: Certificate.SerialNumber(),
                publicKey: self.key.publicKey,
                notValidBefore: now.addingTimeInterval(-age),
                notValidAfter: now.addingTimeInterval(14_400 - age),
                issuer: issuer?.name ?? subject,
                subject: subject,
                signatureAlgorithm: .ecdsaWithSHA256,
                extensions: Certificate.Extensions {
                    Critical(BasicConstraints.isCertificateAuthority(maxPathLength: nil))
                    SubjectKeyIdentifier(hash: Certificate.PublicKey(key.publicKey))
                    if let usage { Critical(usage) }
                },
                issuerPrivateKey: issuer?.key ?? self.key
            )
        )
    }

    /// The authority with its key, as an identity that can issue others.
    var identity: TLSIdentityData {
        get throws { try TLSIdentityData(certificates: [certificate], privateKey: Array(key.serializeAsPEM().derBytes)) }
    }

    /// Issues an identity.
    ///
    /// - Parameters:
    ///   - host: The host name in the certificate.
    ///   - address: The IPv4 address in the certificate.
    ///   - age: The seconds since its begin; it is valid for two hours.
    ///   - usage: The purpose of the certificate.
    ///   - including: Further certificates to send with it.
    func issue(
        host: String = "localhost",
        address: [UInt8] = [127, 0, 0, 1],
        age: TimeInterval = 3600,
        usage: ExtendedKeyUsage.Usage = .serverAuth,
        including: [CertificateInfo] = []
    ) throws -> TLSIdentityData {
        let key = P256.Signing.PrivateKey()
        let begin = Date().addingTimeInterval(-age)
        let certificate = try Certificate(
            version: .v3,
            serialNumber: Certificate.SerialNumber(),
            publicKey: .init(key.publicKey),
            notValidBefore: begin,
            notValidAfter: begin.addingTimeInterval(7200),
            issuer: name,
            subject: try DistinguishedName { CommonName(host) },
            signatureAlgorithm: .ecdsaWithSHA256,
            extensions: Certificate.Extensions {
                Critical(BasicConstraints.notCertificateAuthority)
                Critical(try ExtendedKeyUsage([usage]))
                SubjectAlternativeNames([
                    .dnsName(host), .ipAddress(ASN1OctetString(contentBytes: address[...])),
                ])
            },
            issuerPrivateKey: self.key
        )
        return try TLSIdentityData(certificates: [Self.info(certificate)] + including, privateKey: Array(key.derRepresentation))
    }

    private static func info(_ certificate: Certificate) throws -> CertificateInfo {
        var serializer = DER.Serializer()
        try certificate.serialize(into: &serializer)
        guard let info = CertificateInfo(der: serializer.serializedBytes) else {
            throw Unexpected(description: "a certificate that cannot be read")
        }
        return info
    }
}
#endif

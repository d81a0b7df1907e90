#if Replication
import Crypto
package import Foundation
import SwiftASN1
package import SyncCore
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

/// Converts the attributes of a new certificate, which use the names of the public API (API 12).
enum CertificateAttributes {
    /// The attributes that form the subject's name, in the order in which they are written.
    private static let nameParts: [(key: String, type: ASN1ObjectIdentifier)] = [
        ("C", [2, 5, 4, 6]), ("ST", [2, 5, 4, 8]), ("locality", [2, 5, 4, 7]), ("postalCode", [2, 5, 4, 17]),
        ("postalAddress", [2, 5, 4, 16]), ("O", [2, 5, 4, 10]), ("OU", [2, 5, 4, 11]), ("SN", [2, 5, 4, 4]),
        ("GN", [2, 5, 4, 42]), ("pseudonym", [2, 5, 4, 65]), ("CN", [2, 5, 4, 3]),
    ]

    private static let alternativeNames = ["rfc822Name", "dNSName", "uniformResourceIdentifier", "iPAddress", "registeredID"]

    /// Returns the subject's distinguished name.
    ///
    /// - Throws: ``SyncError``, LiteCore 22 (crypto), if the common name is missing, or an attribute is unknown or malformed.
    static func subject(_ attributes: [String: String]) throws(SyncError) -> DistinguishedName {
        for key in attributes.keys.sorted() where !nameParts.contains(where: { $0.key == key }) && !alternativeNames.contains(key) {
            throw SyncError(engine: .crypto, "“\(key)” is not a certificate attribute")
        }
        guard attributes["CN"]?.isEmpty == false else { throw SyncError(engine: .crypto, "a certificate requires a common name (CN)") }
        var parts: [RelativeDistinguishedName] = []
        for (key, type) in nameParts {
            guard let value = attributes[key] else { continue }
            if key == "C" {
                // The standard requires a country code of two letters as a PrintableString.
                guard value.utf8.count == 2, let country = try? RelativeDistinguishedName.Attribute(type: type, printableString: value)
                else { throw SyncError(engine: .crypto, "the country (C) of a certificate must be two letters") }
                parts.append(RelativeDistinguishedName([country]))
            } else {
                parts.append(RelativeDistinguishedName([.init(type: type, utf8String: value)]))
            }
        }
        return DistinguishedName(parts)
    }

    /// Returns the subject's alternative names.
    static func names(_ attributes: [String: String]) throws(SyncError) -> [GeneralName] {
        var names: [GeneralName] = []
        for key in alternativeNames {
            guard let value = attributes[key] else { continue }
            switch key {
            case "rfc822Name": names.append(.rfc822Name(try ascii(value, key)))
            case "dNSName": names.append(.dnsName(try ascii(value, key)))
            case "uniformResourceIdentifier": names.append(.uniformResourceIdentifier(try ascii(value, key)))
            case "iPAddress":
                guard let bytes = value.ipAddressBytes else { throw SyncError(engine: .crypto, "“\(value)” is not an IP address") }
                names.append(.ipAddress(ASN1OctetString(contentBytes: bytes[...])))
            default:
                guard let identifier = try? ASN1ObjectIdentifier(dotRepresentation: value[...]) else {
                    throw SyncError(engine: .crypto, "“\(value)” is not an object identifier (registeredID)")
                }
                names.append(.registeredID(identifier))
            }
        }
        return names
    }

    private static func ascii(_ value: String, _ key: String) throws(SyncError) -> String {
        guard value.utf8.allSatisfy({ (0x21..<0x7F).contains($0) }), !value.isEmpty else {
            throw SyncError(engine: .crypto, "the attribute \(key) of a certificate must be ASCII without spaces")
        }
        return value
    }
}
#endif

#if Replication
import SwiftASN1
import SyncCore
import X509

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

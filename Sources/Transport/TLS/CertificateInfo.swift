#if Replication
package import SyncCore
package import Foundation
import NIOSSL
import SwiftASN1
import X509

/// A certificate, and what is told of it. Two are equal when their bytes are.
package struct CertificateInfo: Sendable, Hashable {
    /// The encoding (DER).
    package let der: [UInt8]
    let certificate: Certificate

    /// Reads a certificate; nil when the bytes are none.
    package init?(der: [UInt8]) {
        guard let certificate = try? Certificate(derEncoded: der) else { return nil }
        self.der = der
        self.certificate = certificate
    }

    init(_ certificate: Certificate) throws {
        var serializer = DER.Serializer()
        try certificate.serialize(into: &serializer)
        der = serializer.serializedBytes
        self.certificate = certificate
    }

    /// All certificates in a text (PEM); what else stands in it is passed over.
    ///
    /// - Throws: An error of the parser when there is none, or one of them is malformed.
    package static func all(inPEM text: String) throws -> [CertificateInfo] {
        // Not SwiftASN1's reader, which insists on the length of lines.
        try NIOSSLCertificate.fromPEMBytes(Array(text.utf8)).map {
            try CertificateInfo(Certificate(derEncoded: try $0.toDERBytes()))
        }
    }

    /// Reads certificates that somebody is to be trusted by, DER.
    ///
    /// - Parameter what: What each of them is, for the message.
    /// - Throws: ``SyncError``, LiteCore 22 (crypto), when one of them cannot be read.
    package static func all(_ ders: [[UInt8]], _ what: String) throws(SyncError) -> [CertificateInfo] {
        var certificates: [CertificateInfo] = []
        for der in ders {
            guard let certificate = CertificateInfo(der: der) else { throw SyncError(.liteCore, 22, "\(what) cannot be read") }
            certificates.append(certificate)
        }
        return certificates
    }

    /// The common name of whom it is for.
    package var commonName: String? {
        for name in certificate.subject {
            for attribute in name where attribute.type == .RDNAttributeType.commonName {
                return String(attribute.value)
            }
        }
        return nil
    }

    /// When it expires.
    package var notAfter: Date { certificate.notValidAfter }

    /// Whether it has been signed with the key it is for.
    package var isSelfSigned: Bool { hasSigned(self) }

    /// Whether its key has signed another certificate, which says so.
    func hasSigned(_ other: CertificateInfo) -> Bool {
        other.certificate.issuer == certificate.subject
            && certificate.publicKey.isValidSignature(other.certificate.signature, for: other.certificate)
    }

    func isExpired(at time: Date) -> Bool {
        time < certificate.notValidBefore || time > certificate.notValidAfter
    }

    package static func == (left: CertificateInfo, right: CertificateInfo) -> Bool {
        left.der == right.der
    }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(der)
    }
}
#endif

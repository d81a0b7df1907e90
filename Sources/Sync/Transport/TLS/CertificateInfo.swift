#if Replication
package import SyncCore
package import Foundation
import NIOSSL
import SwiftASN1
import X509

/// A certificate and its properties. Two certificates are equal if their bytes are equal.
package struct CertificateInfo: Sendable, Hashable {
    /// The certificate in DER form.
    package let der: [UInt8]
    let certificate: Certificate

    /// Parses a certificate. Returns `nil` if the bytes are not a certificate.
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

    /// Returns all certificates of a PEM text. Other content of the text is ignored.
    ///
    /// - Throws: An error of the parser if the text contains no certificate, or one of them is malformed.
    package static func all(inPEM text: String) throws -> [CertificateInfo] {
        // SwiftASN1's reader is not used, because it enforces the length of lines.
        try NIOSSLCertificate.fromPEMBytes(Array(text.utf8)).map {
            try CertificateInfo(Certificate(derEncoded: try $0.toDERBytes()))
        }
    }

    /// Parses the certificates of trust settings, in DER form.
    ///
    /// - Parameter what: The role of the certificates, for the error message.
    /// - Throws: ``SyncError``, LiteCore 22 (crypto), if one of them cannot be parsed.
    package static func all(_ ders: [[UInt8]], _ what: String) throws(SyncError) -> [CertificateInfo] {
        try ders.map { der throws(SyncError) in
            guard let certificate = CertificateInfo(der: der) else { throw SyncError(engine: .crypto, "\(what) cannot be parsed") }
            return certificate
        }
    }

    /// The maximum number of certificates in a peer's chain. Legitimate chains are shorter.
    private static let maximumChainLength = 10

    /// Parses the chain of a peer. Returns `nil` if it is empty or too long, or one of the certificates cannot be parsed.
    static func chain(_ ders: [[UInt8]]) -> [CertificateInfo]? {
        let certificates = ders.prefix(maximumChainLength).compactMap { CertificateInfo(der: $0) }
        return certificates.isEmpty || certificates.count != ders.count ? nil : certificates
    }

    /// The common name of the subject. `nil` if the subject has none.
    package var commonName: String? {
        certificate.subject.joined().first { $0.type == .RDNAttributeType.commonName }.flatMap { String($0.value) }
    }

    /// The last moment at which the certificate is valid.
    package var notAfter: Date { certificate.notValidAfter }

    /// Whether the certificate was signed with its own key, so that it is the end of a chain.
    package var isSelfSigned: Bool { hasSigned(self) }

    /// Whether this certificate's key has signed the other certificate and its subject is the other's issuer.
    func hasSigned(_ other: CertificateInfo) -> Bool {
        other.certificate.issuer == certificate.subject
            && certificate.publicKey.isValidSignature(other.certificate.signature, for: other.certificate)
    }

    func isExpired(at time: Date) -> Bool { time < certificate.notValidBefore || time > certificate.notValidAfter }

    package static func == (left: CertificateInfo, right: CertificateInfo) -> Bool { left.der == right.der }

    package func hash(into hasher: inout Hasher) { hasher.combine(der) }
}
#endif

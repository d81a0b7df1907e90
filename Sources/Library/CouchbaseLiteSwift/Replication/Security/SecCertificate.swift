#if Replication
import Transport

#if canImport(Security)
@_exported public import Security

extension SecCertificate {
    /// The DER encoding.
    var der: [UInt8] { [UInt8](SecCertificateCopyData(self) as Data) }

    /// Creates a certificate from its DER encoding; `nil` if the bytes are not a certificate.
    package static func read(der: [UInt8]) -> SecCertificate? { SecCertificateCreateWithData(nil, Data(der) as CFData) }
}
#else
/// An X.509 certificate. It replaces the type of the same name of Apple's Security framework where that does not exist.
public final class SecCertificate: Equatable, Hashable, Sendable {
    let info: CertificateInfo

    init(_ info: CertificateInfo) { self.info = info }

    /// Creates a certificate from its DER encoding; `nil` if the data is not a certificate. PEM text is not accepted.
    public convenience init?(data: Data) {
        guard let info = CertificateInfo(der: [UInt8](data)) else { return nil }
        self.init(info)
    }

    /// The DER encoding.
    public var data: Data { Data(info.der) }

    /// The common name of the subject; `nil` if it has none.
    public var commonName: String? { info.commonName }

    /// Returns whether both certificates are equal, byte for byte.
    public static func == (lhs: SecCertificate, rhs: SecCertificate) -> Bool { lhs.info == rhs.info }

    /// Hashes the certificate.
    public func hash(into hasher: inout Hasher) { hasher.combine(info) }

    var der: [UInt8] { info.der }

    /// Creates a certificate from its DER encoding; `nil` if the bytes are not a certificate.
    package static func read(der: [UInt8]) -> SecCertificate? { CertificateInfo(der: der).map { SecCertificate($0) } }
}

/// Creates a certificate from its DER encoding, like the function of Apple's Security framework; `nil` if the data is not one. The
/// allocator is ignored.
public func SecCertificateCreateWithData(_ allocator: Any?, _ data: Data) -> SecCertificate? { SecCertificate(data: data) }

/// Creates a certificate from its DER encoding, like the function of Apple's Security framework; `nil` if the data is not one. The
/// allocator is ignored.
public func SecCertificateCreateWithData(_ allocator: Any?, _ data: NSData) -> SecCertificate? { SecCertificate(data: data as Data) }

/// Returns the DER encoding of a certificate.
public func SecCertificateCopyData(_ certificate: SecCertificate) -> Data { certificate.data }

/// Sets `name` to the common name of the subject of a certificate, or to `nil` if there is none. Returns ``errSecSuccess``.
@discardableResult
public func SecCertificateCopyCommonName(_ certificate: SecCertificate, _ name: inout String?) -> Int32 {
    name = certificate.commonName
    return errSecSuccess
}

/// The status code for success: 0.
public let errSecSuccess: Int32 = 0
#endif

extension SecCertificate {
    /// Returns the certificates in PEM text, in order; an empty array if there are none, or the text cannot be parsed.
    package static func all(inPEM text: String) -> [SecCertificate] {
        ((try? CertificateInfo.all(inPEM: text)) ?? []).compactMap { SecCertificate.read(der: $0.der) }
    }
}
#endif

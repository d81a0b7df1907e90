#if Replication
import Transport

#if canImport(Security)
@_exported public import Security

extension SecCertificate {
    /// The encoding (DER).
    var der: [UInt8] { [UInt8](SecCertificateCopyData(self) as Data) }

    /// Reads a certificate; nil when the bytes are none.
    static func read(der: [UInt8]) -> SecCertificate? {
        SecCertificateCreateWithData(nil, Data(der) as CFData)
    }
}
#else
/// A certificate, as Apple's Security framework calls it: where that does not exist this takes its place.
public final class SecCertificate: Equatable, Hashable, Sendable {
    let info: CertificateInfo

    init(_ info: CertificateInfo) {
        self.info = info
    }

    /// Reads a certificate.
    ///
    /// - Parameter data: Its encoding, DER. Nil comes of anything else; of text in PEM, too.
    public convenience init?(data: Data) {
        guard let info = CertificateInfo(der: [UInt8](data)) else { return nil }
        self.init(info)
    }

    /// The encoding, DER.
    public var data: Data { Data(info.der) }

    /// The common name of whom it is for; nil when it has none.
    public var commonName: String? { info.commonName }

    /// Whether both are the same, byte for byte.
    public static func == (lhs: SecCertificate, rhs: SecCertificate) -> Bool {
        lhs.info == rhs.info
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(info)
    }

    var der: [UInt8] { info.der }

    static func read(der: [UInt8]) -> SecCertificate? {
        CertificateInfo(der: der).map { SecCertificate($0) }
    }
}

/// Reads a certificate, as Apple's Security framework does.
///
/// - Parameters:
///   - allocator: Has no meaning.
///   - data: The encoding, DER.
/// - Returns: Nil when the data is something else.
public func SecCertificateCreateWithData(_ allocator: Any?, _ data: Data) -> SecCertificate? {
    SecCertificate(data: data)
}

/// Reads a certificate, as Apple's Security framework does; see `SecCertificateCreateWithData` with `Data`.
public func SecCertificateCreateWithData(_ allocator: Any?, _ data: NSData) -> SecCertificate? {
    SecCertificate(data: data as Data)
}

/// The encoding of a certificate, DER.
public func SecCertificateCopyData(_ certificate: SecCertificate) -> Data {
    certificate.data
}

/// Gives the common name of whom a certificate is for.
///
/// - Parameters:
///   - certificate: The certificate.
///   - name: Is set to the name, or to nil when there is none.
/// - Returns: ``errSecSuccess``.
@discardableResult
public func SecCertificateCopyCommonName(_ certificate: SecCertificate, _ name: inout String?) -> Int32 {
    name = certificate.commonName
    return errSecSuccess
}

/// That all went well: 0.
public let errSecSuccess: Int32 = 0
#endif
#endif

#if Replication
import Crypto
import Foundation
import NIOSSL
import X509

/// Finds out whether a PKCS#12 file contains a certificate for its key.
///
/// The library that decrypts PKCS#12 files terminates the process if there is none. So the library first gets a file with the same parts
/// and an additional first part, which contains a generated certificate for the key. If several certificates match the key, the library
/// returns the last one.
enum PKCS12Probe {
    /// Returns whether the file contains a private key and a certificate for it. Fails if the file cannot be read with the password.
    static func holdsIdentity(_ content: PKCS12Content, password: String) throws -> Bool {
        guard let bytes = content.key else { return false }
        let key = try privateKey(bytes, password)
        let placeholder = try certificate(for: key)
        let file = Self.file(parts: [part(with: placeholder.der)] + content.parts, password: password)
        let bundle = try NIOSSLPKCS12Bundle(buffer: file, passphrase: password.utf8)
        return try bundle.certificateChain.first?.toDERBytes() != placeholder.der
    }

    private static func privateKey(_ key: PKCS12Content.Key, _ password: String) throws -> Certificate.PrivateKey {
        let plain =
            key.isEncrypted
            ? try NIOSSLPrivateKey(
                bytes: Array(pem(key.bytes, "ENCRYPTED PRIVATE KEY").utf8),
                format: .pem,
                passphraseCallback: { $0(Array(password.utf8)) }
            )
            : try NIOSSLPrivateKey(bytes: key.bytes, format: .der)
        let der = try plain.derBytes
        for name in ["EC PRIVATE KEY", "RSA PRIVATE KEY"] {
            if let key = try? Certificate.PrivateKey(pemEncoded: pem(der, name)) { return key }
        }
        return try Certificate.PrivateKey(pemEncoded: pem(der, "PRIVATE KEY"))
    }

    private static func pem(_ der: [UInt8], _ name: String) -> String {
        let text = Data(der).base64EncodedString(options: [.lineLength64Characters, .endLineWithLineFeed])
        return "-----BEGIN \(name)-----\n\(text)\n-----END \(name)-----\n"
    }

    private static func certificate(for key: Certificate.PrivateKey) throws -> CertificateInfo {
        let name = try DistinguishedName { CommonName("probe") }
        return try CertificateInfo(
            Certificate(
                version: .v3,
                serialNumber: Certificate.SerialNumber(),
                publicKey: key.publicKey,
                notValidBefore: Date(timeIntervalSince1970: 0),
                notValidAfter: Date(timeIntervalSince1970: 1),
                issuer: name,
                subject: name,
                extensions: Certificate.Extensions(),
                issuerPrivateKey: key
            )
        )
    }

    /// Returns an unencrypted part with one certificate.
    private static func part(with certificate: [UInt8]) -> [UInt8] {
        let value = sequence(x509Certificate + tagged(octets(certificate)))
        return contentInfo(sequence(sequence(certificateBag + tagged(value))))
    }

    /// Returns a file with these parts, authenticated with the password (RFC 7292, 4 and B).
    static func file(parts: [[UInt8]], password: String) -> [UInt8] {
        let content = sequence(parts.flatMap { $0 })
        let salt = [UInt8](repeating: 7, count: 8)
        let characters: [UInt8] = password.utf16.flatMap { [UInt8($0 >> 8), UInt8($0 & 0xFF)] } + [0, 0]
        let input = [UInt8](repeating: 3, count: blockSize) + filled(salt) + filled(characters)
        let key = SymmetricKey(data: Array(Insecure.SHA1.hash(data: input)))
        let code: [UInt8] = Array(HMAC<Insecure.SHA1>.authenticationCode(for: content, using: key))
        let digest = sequence(sequence(sha1 + [5, 0]) + octets(code))
        let authentication = sequence(digest + octets(salt) + integer(1))
        return sequence(integer(3) + contentInfo(content) + authentication)
    }

    private static let blockSize = 64

    /// Returns the bytes repeated until they fill their last block.
    private static func filled(_ bytes: [UInt8]) -> [UInt8] {
        (0..<(bytes.count + blockSize - 1) / blockSize * blockSize).map { bytes[$0 % bytes.count] }
    }

    private static let data: [UInt8] = [6, 9, 0x2A, 0x86, 0x48, 0x86, 0xF7, 13, 1, 7, 1]
    private static let certificateBag: [UInt8] = [6, 11, 0x2A, 0x86, 0x48, 0x86, 0xF7, 13, 1, 12, 10, 1, 3]
    private static let x509Certificate: [UInt8] = [6, 10, 0x2A, 0x86, 0x48, 0x86, 0xF7, 13, 1, 9, 22, 1]
    private static let sha1: [UInt8] = [6, 5, 0x2B, 14, 3, 2, 26]

    private static func contentInfo(_ content: [UInt8]) -> [UInt8] { sequence(data + tagged(octets(content))) }
    private static func sequence(_ content: [UInt8]) -> [UInt8] { encode(0x30, content) }
    private static func octets(_ content: [UInt8]) -> [UInt8] { encode(4, content) }
    private static func tagged(_ content: [UInt8]) -> [UInt8] { encode(0xA0, content) }
    private static func integer(_ value: UInt8) -> [UInt8] { encode(2, [value]) }

    /// Returns the DER encoding: the tag, the length in as few bytes as possible, the content.
    private static func encode(_ tag: UInt8, _ content: [UInt8]) -> [UInt8] {
        guard content.count >= 0x80 else { return [tag, UInt8(content.count)] + content }
        let length = withUnsafeBytes(of: UInt64(content.count).bigEndian) { Array($0.drop { $0 == 0 }) }
        return [tag, 0x80 | UInt8(length.count)] + length + content
    }
}
#endif

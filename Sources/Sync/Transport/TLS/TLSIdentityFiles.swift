#if Replication
import Base
import Foundation
import NIOSSL
package import SyncCore

extension TLSIdentityData {
    /// The maximum size of a file with certificates or a key, in bytes.
    private static let maximumFileSize = 1 << 20

    /// Reads an identity from PEM files, and checks that the key belongs to the certificate.
    ///
    /// - Parameters:
    ///   - certificateFile: The file with the certificate, followed by those of its issuers.
    ///   - keyFile: The file with the private key; `nil` if the key is in the same file.
    /// - Throws: ``SyncError``: POSIX if a file cannot be read; LiteCore 22 (crypto) if a file contains no certificate or no private key, if
    ///   the key is protected by a password, or if the key is not that of the certificate.
    package init(certificateFile: String, keyFile: String?) throws(SyncError) {
        let certificateText = try Self.content(of: certificateFile)
        let keyText = if let keyFile { try Self.content(of: keyFile) } else { certificateText }
        let keyFile = keyFile ?? certificateFile
        guard let certificates = try? CertificateInfo.all(inPEM: certificateText), !certificates.isEmpty else {
            throw SyncError(engine: .crypto, "\(certificateFile) does not contain a certificate in the PEM format")
        }
        guard let key = try? NIOSSLPrivateKey(bytes: Array(keyText.utf8), format: .pem).derBytes else {
            let reason = "does not contain a private key in the PEM format, or the key is protected by a password"
            throw SyncError(engine: .crypto, "\(keyFile) \(reason)")
        }
        try self.init(certificates: certificates, privateKey: key)
        do {
            // The TLS library compares the keys.
            _ = try ListenerTLS(identity: self).makeContext()
        } catch {
            throw SyncError(engine: .crypto, "the private key in \(keyFile) is not that of the certificate in \(certificateFile)")
        }
    }

    private static func content(of path: String) throws(SyncError) -> String {
        guard access(path, R_OK) == 0, let file = FileHandle(forReadingAtPath: path) else { throw failure(path, errno) }
        defer { try? file.close() }
        guard let data = try? file.read(upToCount: maximumFileSize + 1) else { throw failure(path, EISDIR) }
        guard data.count <= maximumFileSize else { throw SyncError(engine: .crypto, "\(path) is too large for a certificate or a key") }
        return String(decoding: data, as: UTF8.self)
    }

    private static func failure(_ path: String, _ code: Int32) -> SyncError {
        SyncError(.posix, Int(code), "cannot read \(path): \(String(cString: strerror(code)))")
    }
}
#endif

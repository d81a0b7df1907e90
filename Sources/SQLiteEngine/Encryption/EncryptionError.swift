/// An error that prevents opening an encrypted file with a key.
package enum EncryptionError: Error, Hashable, Sendable {
    /// The key is wrong, or the file's header was changed. The two cases cannot be distinguished.
    case wrongKey
    /// The header contains values that no release writes.
    case damagedHeader(reason: String)
    /// The file was written by a newer release.
    case unsupportedVersion(UInt32)
}

extension EncryptionError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .wrongKey: "the key is wrong, or the file's header is damaged"
        case .damagedHeader(let reason): "the header of the encrypted file is damaged: \(reason)"
        case .unsupportedVersion(let version):
            "the file has version \(version) of the encryption format, which is too new"
        }
    }
}

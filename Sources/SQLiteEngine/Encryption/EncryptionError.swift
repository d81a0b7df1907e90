/// Why an encrypted file cannot be opened with the key that was given.
package enum EncryptionError: Error, Hashable, Sendable {
    /// The key is not the file's, or the file's header has been altered: one cannot be told from the other.
    case wrongKey
    /// The header says what no release writes.
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

package import Crypto

/// The keys of one file, one for each purpose, derived from the file's key and salt (Encryption format, "Keys").
package struct FileKeys: Sendable {
    enum Purpose: String {
        case header = "CBLiteSwift 1 header"
        case pages = "CBLiteSwift 1 pages"
        case log = "CBLiteSwift 1 log"
        case blobs = "CBLiteSwift 1 blobs"
    }

    let pages: SymmetricKey
    let log: SymmetricKey
    /// Encrypts the blob files.
    package let blobs: SymmetricKey

    init(_ key: SymmetricKey, fileSalt: [UInt8]) {
        pages = Self.derive(key, fileSalt, for: .pages)
        log = Self.derive(key, fileSalt, for: .log)
        blobs = Self.derive(key, fileSalt, for: .blobs)
    }

    static func derive(_ key: SymmetricKey, _ fileSalt: [UInt8], for purpose: Purpose) -> SymmetricKey {
        HKDF<SHA256>.deriveKey(inputKeyMaterial: key, salt: fileSalt, info: Array(purpose.rawValue.utf8), outputByteCount: 32)
    }
}

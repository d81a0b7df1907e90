package import Crypto

/// The first 4096 bytes of an encrypted file, before its first page (Encryption format, "The header"). Numbers are big-endian.
struct EncryptionHeader: Equatable, Sendable {
    static let size = 4096
    static let magic = Array("CBLiteSwift AES\0".utf8)
    static let version: UInt32 = 1

    private enum Offset {
        static let version = 16
        static let pageSize = 20
        static let derivation = 24
        static let iterations = 28
        static let passwordSalt = 32
        static let fileSalt = 48
        static let authentication = 64
        static let end = 96
    }
    private static let fileSaltSize = 16
    private static let unusedBytes = "unused bytes are not zero"

    let derivation: KeyDerivation
    /// The salt that makes the keys of this file different from those of other files with the same secret.
    let fileSalt: [UInt8]
    /// The HMAC-SHA-256 of the preceding fields. It is also used to validate a key.
    private let authentication: [UInt8]

    init(derivation: KeyDerivation, fileSalt: [UInt8] = Array(randomCount: fileSaltSize), key: SymmetricKey) {
        self.derivation = derivation
        self.fileSalt = fileSalt
        let fields = Self.fields(derivation, fileSalt)
        authentication = Array(HMAC<SHA256>.authenticationCode(for: fields, using: Self.headerKey(key, fileSalt)))
    }

    init(_ bytes: [UInt8]) throws(EncryptionError) {
        guard bytes.count >= Self.size, bytes.starts(with: Self.magic) else { throw .damagedHeader(reason: "it is truncated") }
        func number(at offset: Int) -> UInt32 {
            bytes[offset..<offset + 4].reduce(0) { $0 << 8 | UInt32($1) }
        }
        let version = number(at: Offset.version)
        guard version == Self.version else {
            throw version > Self.version ? .unsupportedVersion(version) : .damagedHeader(reason: "its version is 0")
        }
        guard number(at: Offset.pageSize) == SealedPage.size else { throw .damagedHeader(reason: "its page size is wrong") }
        let iterations = number(at: Offset.iterations)
        switch number(at: Offset.derivation) {
        case 0:
            let unused = bytes[Offset.iterations..<Offset.fileSalt]
            guard unused.allSatisfy({ $0 == 0 }) else { throw .damagedHeader(reason: Self.unusedBytes) }
            derivation = .none
        case 1:
            guard (1...KeyDerivation.Password.maximumIterations).contains(Int(iterations)) else {
                throw .damagedHeader(reason: "its number of iterations is invalid")
            }
            let salt = Array(bytes[Offset.passwordSalt..<Offset.passwordSalt + KeyDerivation.Password.saltSize])
            derivation = .password(.init(iterations: Int(iterations), salt: salt))
        default: throw .damagedHeader(reason: "its key derivation is unknown")
        }
        guard bytes[Offset.end..<Self.size].allSatisfy({ $0 == 0 }) else { throw .damagedHeader(reason: Self.unusedBytes) }
        fileSalt = Array(bytes[Offset.fileSalt..<Offset.fileSalt + Self.fileSaltSize])
        authentication = Array(bytes[Offset.authentication..<Offset.end])
    }

    var encoded: [UInt8] {
        var bytes = Self.fields(derivation, fileSalt) + authentication
        bytes += Array(repeating: 0, count: Self.size - bytes.count)
        return bytes
    }

    /// Returns whether the file was created with `key` and the header is unchanged.
    func isAuthentic(for key: SymmetricKey) -> Bool {
        HMAC<SHA256>.isValidAuthenticationCode(
            authentication,
            authenticating: Self.fields(derivation, fileSalt),
            using: Self.headerKey(key, fileSalt)
        )
    }

    private static func headerKey(_ key: SymmetricKey, _ fileSalt: [UInt8]) -> SymmetricKey {
        FileKeys.derive(key, fileSalt, for: .header)
    }

    private static func fields(_ derivation: KeyDerivation, _ fileSalt: [UInt8]) -> [UInt8] {
        var kind: UInt32 = 0
        var iterations: UInt32 = 0
        var salt = Array(repeating: UInt8(0), count: KeyDerivation.Password.saltSize)
        if case .password(let password) = derivation {
            kind = 1
            iterations = UInt32(clamping: password.iterations)
            salt = password.salt
        }
        let numbers = [version, UInt32(SealedPage.size), kind, iterations]
        return magic + numbers.flatMap { withUnsafeBytes(of: $0.bigEndian, Array.init) } + salt + fileSalt
    }
}

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

/// An error that prevents opening an encrypted file with a key.
package enum EncryptionError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The key is wrong, or the file's header was changed. The two cases cannot be distinguished.
    case wrongKey
    /// The header contains values that no release writes.
    case damagedHeader(reason: String)
    /// The file was written by a newer release.
    case unsupportedVersion(UInt32)

    package var description: String {
        switch self {
        case .wrongKey: "the key is wrong, or the file's header is damaged"
        case .damagedHeader(let reason): "the header of the encrypted file is damaged: \(reason)"
        case .unsupportedVersion(let version):
            "the file has version \(version) of the encryption format, which is too new"
        }
    }
}

internal import Crypto
internal import Synchronization

/// The secret that opens an encrypted file: 32 random bytes, or a password from which the key is derived.
///
/// The secret cannot be read from this object. The last key derived from a password is cached, because the derivation is intentionally
/// slow.
package final class EncryptionSecret: Sendable, CustomStringConvertible {
    /// The number of PBKDF2 iterations for new files, which take a fraction of a second. It is stored in each file's header, so it can be
    /// increased here at any time.
    package static let defaultIterations = 600_000

    private enum Source: Sendable {
        case key(SymmetricKey)
        case password([UInt8], iterations: Int)
        /// A password that is no longer held. Only the key for one salt remains.
        case remembered(KeyDerivation.Password)
    }

    private let source: Source
    private let derived = Mutex<(KeyDerivation.Password, SymmetricKey)?>(nil)

    /// Creates a secret from a key of 32 bytes. `nil` if the length differs.
    package init?(key: [UInt8]) {
        guard key.count == 32 else { return nil }
        source = .key(SymmetricKey(data: key))
    }

    /// Creates a secret from the UTF-8 bytes of a password, without Unicode normalization.
    ///
    /// - Parameter iterations: The number of iterations for files created with it.
    package init(password: String, iterations: Int = defaultIterations) {
        source = .password(Array(password.utf8), iterations: iterations)
    }

    private init(remembering derivation: KeyDerivation.Password, _ key: SymmetricKey) {
        source = .remembered(derivation)
        derived.withLock { $0 = (derivation, key) }
    }

    /// A constant text that reveals nothing about the secret.
    package var description: String { "EncryptionSecret" }

    /// Returns a secret that works for the file it has just opened or created, and no longer holds the password.
    package func withoutPassword() -> EncryptionSecret {
        guard case .password = source, let (derivation, key) = derived.withLock({ $0 }) else { return self }
        return EncryptionSecret(remembering: derivation, key)
    }

    func derivationForNewFile() -> KeyDerivation {
        switch source {
        case .key: .none
        case .password(_, let iterations):
            .password(.init(iterations: iterations, salt: Array(randomCount: KeyDerivation.Password.saltSize)))
        case .remembered(let derivation): .password(derivation)
        }
    }

    /// Returns the key for a file, or `nil` if this secret cannot be the right one.
    func key(for derivation: KeyDerivation) -> SymmetricKey? {
        switch (source, derivation) {
        case (.key(let key), .none): return key
        case (.key, .password), (.password, .none), (.remembered, .none): return nil
        case (.remembered, .password(let asked)): return known(asked)
        case (.password(let password, _), .password(let asked)):
            if let key = known(asked) { return key }
            let key = PBKDF2.deriveKey(from: password, salt: asked.salt, iterations: asked.iterations)
            derived.withLock { $0 = (asked, key) }
            return key
        }
    }

    private func known(_ derivation: KeyDerivation.Password) -> SymmetricKey? {
        derived.withLock { $0.flatMap { $0.0 == derivation ? $0.1 : nil } }
    }
}

/// The derivation of a file's key from the secret, as stored in the header.
enum KeyDerivation: Equatable, Sendable {
    /// The secret is the key.
    case none
    case password(Password)

    /// PBKDF2-HMAC-SHA-256.
    struct Password: Equatable, Sendable {
        static let saltSize = 16
        /// The limit prevents a manipulated header from blocking a program for a long time.
        static let maximumIterations = 10_000_000

        let iterations: Int
        let salt: [UInt8]
    }
}

extension Array where Element == UInt8 {
    /// Creates bytes with the system's cryptographically secure random number generator.
    init(randomCount count: Int) {
        var generator = SystemRandomNumberGenerator()
        self = (0..<count).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
    }
}

/// PBKDF2 with HMAC-SHA-256 (RFC 8018, section 5.2), for keys of one block: 32 bytes.
///
/// It is implemented with the hash function, not with `HMAC`: both hashes of an iteration start with a block that only depends on the
/// password, and reusing the state after that block halves the work. The cryptography package's extras contain this function too, but
/// building them takes longer than building the storage engine.
enum PBKDF2 {
    /// Derives a key from a password. There must be at least one iteration.
    static func deriveKey(from password: [UInt8], salt: [UInt8], iterations: Int) -> SymmetricKey {
        let hmac = KeyedHash(password)
        // The salt is followed by the number of the block.
        var link = hmac(salt + [0, 0, 0, 1])
        var key = link.words
        for _ in 1..<iterations {
            link = link.withUnsafeBytes { hmac($0) }
            key ^= link.words
        }
        return withUnsafeBytes(of: key) { SymmetricKey(data: $0) }
    }
}

/// HMAC-SHA-256 (RFC 2104) for many messages with the same key.
private struct KeyedHash {
    private static let blockSize = 64

    private let inner: SHA256
    private let outer: SHA256

    init(_ key: [UInt8]) {
        var block = key.count > Self.blockSize ? Array(SHA256.hash(data: key)) : key
        block += repeatElement(0, count: Self.blockSize - block.count)
        inner = Self.begun(with: block, pad: 0x36)
        outer = Self.begun(with: block, pad: 0x5C)
    }

    private static func begun(with block: [UInt8], pad: UInt8) -> SHA256 {
        var hash = SHA256()
        hash.update(data: block.map { $0 ^ pad })
        return hash
    }

    func callAsFunction(_ message: [UInt8]) -> SHA256Digest { message.withUnsafeBytes { self($0) } }

    func callAsFunction(_ message: UnsafeRawBufferPointer) -> SHA256Digest {
        var inner = inner
        inner.update(bufferPointer: message)
        var outer = outer
        inner.finalize().withUnsafeBytes { outer.update(bufferPointer: $0) }
        return outer.finalize()
    }
}

extension SHA256Digest {
    /// The 32 bytes in order, as a vector for combining them in one operation.
    fileprivate var words: SIMD4<UInt64> {
        withUnsafeBytes { $0.loadUnaligned(as: SIMD4<UInt64>.self) }
    }
}

/// The derivation of bytes from a password, for layers that store passwords.
package enum PasswordDerivation {
    /// Returns 32 bytes derived by PBKDF2 with HMAC-SHA-256 (RFC 8018).
    ///
    /// - Parameter iterations: The number of iterations, at least 1. 600,000 take a fraction of a second.
    package static func bytes(of password: [UInt8], salt: [UInt8], iterations: Int) -> [UInt8] {
        PBKDF2.deriveKey(from: password, salt: salt, iterations: max(iterations, 1)).withUnsafeBytes { Array($0) }
    }
}

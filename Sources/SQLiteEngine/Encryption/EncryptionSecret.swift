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

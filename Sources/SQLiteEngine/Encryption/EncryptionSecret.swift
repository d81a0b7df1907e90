internal import Crypto
internal import Synchronization

/// What opens an encrypted file: 32 random bytes, or a password from which such bytes are made.
///
/// Neither can be got out of it again. What a password gives for a file is remembered, because finding it out is slow on
/// purpose.
package final class EncryptionSecret: Sendable {
    /// How many rounds of PBKDF2 new files ask for: a fraction of a second. The number is stored in each file's header, so it
    /// can be raised here at any time.
    package static let defaultIterations = 600_000

    private enum Source: Sendable {
        case key(SymmetricKey)
        case password([UInt8], iterations: Int)
        /// A password that is gone, apart from what it gave for one salt.
        case remembered(KeyDerivation.Password)
    }

    private let source: Source
    private let derived = Mutex<(KeyDerivation.Password, SymmetricKey)?>(nil)

    /// A secret of 32 bytes; nil for another length.
    package init?(key: [UInt8]) {
        guard key.count == 32 else { return nil }
        source = .key(SymmetricKey(data: key))
    }

    /// A secret made from the UTF-8 bytes of a password, as they are: no normalisation of Unicode.
    ///
    /// - Parameter iterations: How many rounds the files made with it ask for.
    package init(password: String, iterations: Int = defaultIterations) {
        source = .password(Array(password.utf8), iterations: iterations)
    }

    private init(remembering derivation: KeyDerivation.Password, _ key: SymmetricKey) {
        source = .remembered(derivation)
        derived.withLock { $0 = (derivation, key) }
    }

    /// A secret that does the same for the file it has just opened or made, and no longer holds the password.
    package func withoutPassword() -> EncryptionSecret {
        guard case .password = source, let (derivation, key) = derived.withLock({ $0 }) else { return self }
        return EncryptionSecret(remembering: derivation, key)
    }

    /// How a new file is to get its key from this secret.
    func derivationForNewFile() -> KeyDerivation {
        switch source {
        case .key: .none
        case .password(_, let iterations):
            .password(.init(iterations: iterations, salt: Array(randomCount: KeyDerivation.Password.saltSize)))
        case .remembered(let derivation): .password(derivation)
        }
    }

    /// The key for a file; nil when this secret cannot be the right one.
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

extension EncryptionSecret: CustomStringConvertible {
    /// Says nothing about the secret.
    package var description: String { "EncryptionSecret" }
}

/// How the key of a file comes from the secret, as its header says.
enum KeyDerivation: Equatable, Sendable {
    /// The secret is the key.
    case none
    case password(Password)

    /// PBKDF2-HMAC-SHA-256.
    struct Password: Equatable, Sendable {
        static let saltSize = 16
        /// Few enough that a header somebody has tampered with cannot keep a program busy for long.
        static let maximumIterations = 10_000_000

        let iterations: Int
        let salt: [UInt8]
    }
}

extension Array where Element == UInt8 {
    /// Bytes of the system's cryptographically secure generator.
    init(randomCount count: Int) {
        var generator = SystemRandomNumberGenerator()
        self = (0..<count).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
    }
}

import Crypto

/// The derivation of bytes from a password, for layers that store passwords.
package enum PasswordDerivation {
    /// Returns 32 bytes derived by PBKDF2 with HMAC-SHA-256 (RFC 8018).
    ///
    /// - Parameter iterations: The number of iterations, at least 1. 600,000 take a fraction of a second.
    package static func bytes(of password: [UInt8], salt: [UInt8], iterations: Int) -> [UInt8] {
        PBKDF2.deriveKey(from: password, salt: salt, iterations: max(iterations, 1)).withUnsafeBytes { Array($0) }
    }
}

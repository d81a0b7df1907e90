#if Replication
import Base
import Foundation
import SQLiteEngine
import Synchronization

/// A password as it is stored: PBKDF2 with HMAC-SHA-256 and a salt of its own. One check takes a fraction of a second of one core, and only
/// one runs at a time in the process, so that clients cannot use all cores with wrong passwords.
struct PasswordHash: Codable, Sendable, Equatable {
    /// The number of iterations for new passwords.
    static let defaultIterations = 600_000
    private static let maximumIterations = 10_000_000
    private static let saltSize = 16
    private static let turn = Mutex(())

    let iterations: Int
    let salt: Data
    let hash: Data

    init(_ password: String, iterations: Int = defaultIterations) {
        var generator = SystemRandomNumberGenerator()
        self.iterations = iterations
        salt = Data((0..<Self.saltSize).map { _ in UInt8.random(in: .min ... .max, using: &generator) })
        hash = Self.derive(password, salt, iterations)
    }

    /// Returns whether the password is the right one.
    func matches(_ password: String) -> Bool {
        guard (1...Self.maximumIterations).contains(iterations) else { return false }
        let derived = Self.derive(password, salt, iterations)
        return hash.base64EncodedString().isSecretEqual(toGuess: derived.base64EncodedString())
    }

    private static func derive(_ password: String, _ salt: Data, _ iterations: Int) -> Data {
        turn.withLock { _ in Data(PasswordDerivation.bytes(of: Array(password.utf8), salt: Array(salt), iterations: iterations)) }
    }
}
#endif

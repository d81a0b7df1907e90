import Crypto
import Testing

@testable import SQLiteEngine

/// The first two are of RFC 7914, section 11; the others were computed by another program.
@Suite("PBKDF2")
struct PBKDF2Tests {
    struct Vector: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let password: [UInt8]
        let salt: [UInt8]
        let iterations: Int
        let key: String

        init(_ description: String, _ password: String, _ salt: String, _ iterations: Int, _ key: String) {
            testDescription = description
            self.password = Array(password.utf8)
            self.salt = Array(salt.utf8)
            self.iterations = iterations
            self.key = key
        }
    }

    @Test(
        "keys are those of the standard",
        arguments: [
            Vector(
                "one iteration", "passwd", "salt", 1,
                "55ac046e56e3089fec1691c22544b605f94185216dde0465e68b9d57c20dacbc"
            ),
            Vector(
                "many iterations", "Password", "NaCl", 80000,
                "4ddcd8f60b98be21830cee5ef22701f9641a4418d04c0414aeff08876b34ab56"
            ),
            Vector(
                "an empty password", "", "\0\u{1}\u{2}\u{3}", 3,
                "0fa247b5fc2cab7c5655d0ed5732ca489f5262391a09b934dc2c17edbaa8af0f"
            ),
            Vector(
                "a password as long as a block of the hash", String(repeating: "x", count: 64), "salt", 2,
                "dd8fa7b308feaa9333ea55e991da1d5c56a362ad7223189930e314c831c53427"
            ),
            Vector(
                "a longer password, which is hashed first", String(repeating: "x", count: 65), "salt", 2,
                "b5a1700563b197a9ddfcdd1e02aa3bb0882203a3246ba1811de32290e7df8f7a"
            ),
            Vector(
                "a salt longer than a hash", "passwordPASSWORDpassword", "saltSALTsaltSALTsaltSALTsaltSALTsalt", 4096,
                "348c89dbcbd32b2f32d814b8116e84cf2b17347ebc1800181c4e2a1fb8dd53e1"
            ),
        ]
    )
    func vectors(vector: Vector) {
        let key = PBKDF2.deriveKey(from: vector.password, salt: vector.salt, iterations: vector.iterations)
        let hex = key.withUnsafeBytes { $0.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined() }
        #expect(hex == vector.key)
    }
}

import Crypto
import Testing

@testable import SQLiteEngine

/// The first two are from RFC 7914, section 11; another program computed the others.
@Suite("PBKDF2")
struct PBKDF2Tests {
    struct Vector: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let password: String
        let salt: String
        let iterations: Int
        let key: String
    }

    static let vectors = [
        Vector(
            testDescription: "one iteration",
            password: "passwd",
            salt: "salt",
            iterations: 1,
            key: "55ac046e56e3089fec1691c22544b605f94185216dde0465e68b9d57c20dacbc"
        ),
        Vector(
            testDescription: "many iterations",
            password: "Password",
            salt: "NaCl",
            iterations: 80000,
            key: "4ddcd8f60b98be21830cee5ef22701f9641a4418d04c0414aeff08876b34ab56"
        ),
        Vector(
            testDescription: "an empty password",
            password: "",
            salt: "\u{1}\u{2}",
            iterations: 3,
            key: "a1b4aae216e471d541b4d77e49fe3ef9ccb4e6880d7fdbb80ab21348b8b61144"
        ),
        Vector(
            testDescription: "a password as long as a block of the hash",
            password: String(repeating: "x", count: 64),
            salt: "salt",
            iterations: 2,
            key: "dd8fa7b308feaa9333ea55e991da1d5c56a362ad7223189930e314c831c53427"
        ),
        Vector(
            testDescription: "a longer password, which is hashed first",
            password: String(repeating: "x", count: 65),
            salt: "salt",
            iterations: 2,
            key: "b5a1700563b197a9ddfcdd1e02aa3bb0882203a3246ba1811de32290e7df8f7a"
        ),
        Vector(
            testDescription: "a salt longer than a hash",
            password: "passwordPASSWORDpassword",
            salt: "saltSALTsaltSALTsaltSALTsaltSALTsalt",
            iterations: 4096,
            key: "348c89dbcbd32b2f32d814b8116e84cf2b17347ebc1800181c4e2a1fb8dd53e1"
        ),
    ]

    @Test("PBKDF2 derives the expected keys", arguments: vectors)
    func keys(vector: Vector) {
        let key = PBKDF2.deriveKey(from: Array(vector.password.utf8), salt: Array(vector.salt.utf8), iterations: vector.iterations)
        let hex = key.withUnsafeBytes { $0.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined() }
        #expect(hex == vector.key)
    }
}

package import SQLiteEngine

/// What a database is encrypted with: a password, or a key of 256 bits.
///
/// ```swift
/// let config = DatabaseConfiguration()
/// config.encryptionKey = .password("correct horse battery staple")
/// let database = try Database(name: "secrets", config: config)
/// ```
///
/// Neither the password nor the key can be got out of the object, and its description does not show them.
public final class EncryptionKey: Sendable {
    let secret: EncryptionSecret

    /// A key that was made ready before.
    package init(_ secret: EncryptionSecret) {
        self.secret = secret
    }

    /// A key of your own making, for AES-256. Get it from a secure random number generator, and keep it in the system's key store.
    ///
    /// - Parameter key: Exactly 32 bytes; anything else is a misuse (invalid argument).
    public static func key(_ key: Data) -> EncryptionKey {
        guard let secret = EncryptionSecret(key: [UInt8](key)) else {
            _CBLMisuse.invalidArgument("An encryption key has 32 bytes, not \(key.count).")
        }
        return EncryptionKey(secret)
    }

    /// A key made from a password, by PBKDF2 with HMAC-SHA-256, 600,000 rounds and a salt of each database's own.
    ///
    /// The first time such a key opens a database takes about a quarter of a second.
    ///
    /// - Parameter password: Any text. The bytes of its UTF-8 count, so two ways to write an accented letter are two passwords.
    public static func password(_ password: String) -> EncryptionKey {
        EncryptionKey(EncryptionSecret(password: password))
    }
}

extension EncryptionKey: CustomStringConvertible, CustomReflectable {
    /// The name of the type: keys are not to be seen in logs.
    public var description: String { "EncryptionKey" }

    /// Shows nothing.
    public var customMirror: Mirror { Mirror(self, children: []) }
}

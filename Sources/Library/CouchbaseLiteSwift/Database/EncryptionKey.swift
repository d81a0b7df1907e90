import DatabaseRuntime
package import SQLiteEngine

/// The key with which a database is encrypted: a password, or a 256-bit key.
///
/// ```swift
/// let config = DatabaseConfiguration()
/// config.encryptionKey = .password("correct horse battery staple")
/// let database = try Database(name: "secrets", config: config)
/// ```
///
/// The password or key cannot be read from the object, and its description does not reveal it.
public final class EncryptionKey: Sendable {
    /// The password or key, as the file is encrypted with it.
    package let secret: EncryptionSecret

    /// Creates a key from an existing secret.
    package init(_ secret: EncryptionSecret) { self.secret = secret }

    /// Returns a key that consists of the given bytes, for AES-256. Take them from a secure random number generator, and store them in the
    /// key store of the system.
    ///
    /// - Parameter key: Exactly 32 bytes. Any other number is a programming error and ends the process; see ``key(validating:)``.
    public static func key(_ key: Data) -> EncryptionKey {
        EncryptionKey(_CBLMisuse.trap { () throws(Misuse) in try Misuse.secret(key) })
    }

    /// Returns a key that consists of the given bytes, whose number may be wrong.
    ///
    /// - Parameter key: Exactly 32 bytes.
    /// - Throws: ``CBLError/invalidParameter`` for any other number of bytes.
    public static func key(validating key: Data) throws -> EncryptionKey {
        try throwingPublicErrors { EncryptionKey(try Misuse.secret(key)) }
    }

    /// Returns a key that is derived from a password, by PBKDF2 with HMAC-SHA-256, 600,000 rounds and a salt for each database.
    ///
    /// Deriving the key takes about a quarter of a second when the object is first used to open a database.
    ///
    /// - Parameter password: Any text. It is compared by its UTF-8 bytes, so different Unicode spellings of an accented letter are
    ///   different passwords.
    public static func password(_ password: String) -> EncryptionKey { EncryptionKey(EncryptionSecret(password: password)) }
}

extension EncryptionKey: CustomStringConvertible, CustomReflectable {
    /// The name of the type, so that logs do not reveal keys.
    public var description: String { "EncryptionKey" }

    /// A mirror without children, so that dumps do not reveal keys.
    public var customMirror: Mirror { Mirror(self, children: []) }
}

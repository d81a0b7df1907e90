import DocumentStore
import SQLiteEngine

extension EncryptionSecret {
    /// Known keys, each with a different number.
    static func test(_ number: UInt8) -> EncryptionSecret {
        // Any 32 bytes are a valid key.
        EncryptionSecret(key: Array(repeating: number, count: 32))!
    }

    /// Passwords with few iterations, so that tests are fast.
    static func test(_ password: String) -> EncryptionSecret {
        EncryptionSecret(password: password, iterations: 10)
    }
}

extension DatabaseFile.Options {
    /// The usual options, and a key.
    static func key(_ key: EncryptionSecret?) -> DatabaseFile.Options {
        var options = DatabaseFile.Options()
        options.key = key
        return options
    }
}

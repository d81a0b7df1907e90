import DocumentStore
import SQLiteEngine

extension EncryptionSecret {
    /// Keys that are known, each number another.
    static func test(_ number: UInt8) -> EncryptionSecret {
        // 32 bytes are always right.
        EncryptionSecret(key: Array(repeating: number, count: 32))!
    }

    /// Passwords, with few rounds so that tests are quick.
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

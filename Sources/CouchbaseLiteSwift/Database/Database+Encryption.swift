import DocumentStore
import SQLiteEngine

extension Database {
    /// Encrypts the database with another key, decrypts it, or encrypts a plain one: documents, indexes, blobs, everything.
    ///
    /// The database is copied, so that takes time and as much room on the disk again. When the process ends, or the disk is full,
    /// before that is complete, the database is as it was before. Other threads that use this object wait; afterwards it goes on
    /// as before. What was stored without encryption, or with the old key, may be recoverable from the medium.
    ///
    /// - Parameter key: The new key; nil decrypts.
    /// - Throws: `busy` when another object or process has the database open; `transactionNotClosed` inside a batch; `notOpen`
    ///   once the database is closed. Then nothing has changed.
    public func changeEncryptionKey(_ key: EncryptionKey?) throws {
        try throwingPublicErrors { try changeKey(to: key?.secret) }
    }
}

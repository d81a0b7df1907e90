import DocumentStore
import SQLiteEngine

extension Database {
    /// Encrypts the database with another key, decrypts it, or encrypts an unencrypted database. Documents, indexes and blobs are included.
    ///
    /// The database is copied, which takes time and temporarily needs the same amount of disk space again. If the process ends or the disk
    /// becomes full before the copy is complete, the database remains unchanged. Other threads that use this object wait until the change
    /// is complete. Data that was stored unencrypted or with the old key may still be recoverable from the storage medium.
    ///
    /// - Parameter key: The new key; `nil` decrypts the database.
    /// - Throws: ``CBLError/busy`` if another ``Database`` object or process has the database open, or a blob is being written;
    ///   ``CBLError/transactionNotClosed`` inside a batch; ``CBLError/notOpen`` if the database is closed. The database is unchanged then.
    public func changeEncryptionKey(_ key: EncryptionKey?) throws {
        try throwingPublicErrors { try changeKey(to: key?.secret) }
    }
}

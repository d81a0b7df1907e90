import DatabaseRuntime
import DocumentStore
import QueryEngine

/// The kinds of maintenance of a database.
public enum MaintenanceType: UInt8, Sendable {
    /// Deletes blobs that no revision of a document refers to, releases free pages of the file to the file system, and truncates the
    /// write-ahead log.
    case compact = 0
    /// Rebuilds all indexes.
    case reindex
    /// Checks the database file, all documents, the indexes and the blobs. Throws ``CBLError/corruptData`` if anything is damaged.
    case integrityCheck
    /// Updates the statistics of the query planner that seem outdated.
    case optimize
    /// Updates all statistics of the query planner, by reading every index completely.
    case fullOptimize
}

extension Database {
    /// Performs maintenance of the given kind. Blocks until it is done; except for ``MaintenanceType/integrityCheck``, writers wait too.
    ///
    /// - Throws: ``CBLError/corruptData`` if an integrity check finds damage; the description is that of the first finding.
    ///   ``CBLError/transactionNotClosed`` inside a batch, except for an integrity check; ``CBLError/notOpen`` if the database is closed;
    ///   ``CBLError/busy`` and ``CBLError/notWriteable`` as for ``Collection/save(document:)``.
    public func performMaintenance(type: MaintenanceType) throws {
        try throwingPublicErrors {
            try withFile { file in
                switch type {
                case .compact: try file.compact()
                case .reindex: try IndexRegistry(file).rebuildAll()
                case .integrityCheck: try file.checkIntegrity()
                case .optimize: try file.optimize(completely: false)
                case .fullOptimize: try file.optimize(completely: true)
                }
            }
        }
    }
}

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
    public func changeEncryptionKey(_ key: EncryptionKey?) throws { try throwingPublicErrors { try core.changeKey(to: key?.secret) } }
}

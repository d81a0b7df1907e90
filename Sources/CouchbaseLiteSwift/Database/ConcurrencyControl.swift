/// What a save or deletion does if the document was changed concurrently, that is, since this object was read or last saved.
public enum ConcurrencyControl: UInt8, Sendable {
    /// Stores the change on top of the concurrent one.
    case lastWriteWins = 0
    /// Stores nothing, and makes the function return `false`.
    case failOnConflict
}

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

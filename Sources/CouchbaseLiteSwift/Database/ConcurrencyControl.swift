/// What happens when a document was changed by somebody else since it was read.
public enum ConcurrencyControl: UInt8, Sendable {
    /// The change is stored on top of the other.
    case lastWriteWins = 0
    /// Nothing is stored, and the function returns false.
    case failOnConflict
}

/// Kinds of maintenance work.
public enum MaintenanceType: UInt8, Sendable {
    /// Removes blobs that no document refers to, gives free pages back, and empties the log.
    case compact = 0
    /// Builds the indexes anew.
    case reindex
    /// Checks the file; throws `corruptData` when something is wrong.
    case integrityCheck
    /// Updates the statistics that queries are planned with, as far as they seem outdated.
    case optimize
    /// Updates the statistics that queries are planned with, by looking at all of every index.
    case fullOptimize
}

#if Replication
/// What is replicated of a collection, and who resolves its conflicts.
public struct CollectionConfiguration {
    /// Resolves conflicts of pulled documents; nil is ``ConflictResolver/default``.
    public var conflictResolver: (any ConflictResolverProtocol)?
    /// Resolves conflicts of pulled documents in tasks, in place of ``conflictResolver``, which is not asked then.
    public var asyncConflictResolver: (any AsyncConflictResolverProtocol)?
    /// Which documents are pushed; nil for all.
    public var pushFilter: ReplicationFilter?
    /// Which documents are stored that the other side sends; nil for all.
    public var pullFilter: ReplicationFilter?
    /// The channels of Sync Gateway whose documents are pulled; nil or empty for all the user may read.
    public var channels: [String]?
    /// The IDs of the documents that are pushed and pulled; nil or empty for all.
    public var documentIDs: [String]?

    /// Everything is replicated, and the default resolver is asked.
    public init() {}
}
#endif

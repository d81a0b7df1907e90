#if Replication
/// The documents of a collection that are replicated, and the resolver of its conflicts.
public struct CollectionConfiguration: Sendable {
    /// The resolver of conflicts of pulled documents; `nil`, the default, means ``ConflictResolver/default``.
    public var conflictResolver: (any ConflictResolverProtocol)?
    /// The asynchronous resolver of conflicts of pulled documents; if it is set, ``conflictResolver`` is not called. By default `nil`.
    public var asyncConflictResolver: (any AsyncConflictResolverProtocol)?
    /// The filter of pushed documents; `nil`, the default, pushes all documents.
    @preconcurrency public var pushFilter: ReplicationFilter?
    /// The filter of pulled documents; `nil`, the default, stores all documents.
    @preconcurrency public var pullFilter: ReplicationFilter?
    /// The Sync Gateway channels whose documents are pulled; `nil`, the default, or an empty array means all channels the user can read.
    public var channels: [String]?
    /// The IDs of the documents that are pushed and pulled; `nil`, the default, or an empty array means all documents.
    public var documentIDs: [String]?

    /// Creates a configuration that replicates all documents and uses the default resolver.
    public init() {}
}
#endif

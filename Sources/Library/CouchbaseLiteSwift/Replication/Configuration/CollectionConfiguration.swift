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

/// Returns whether a document is replicated; `false` skips the document.
///
/// A push filter is called before a document is sent, a pull filter before it is stored. Filters are called on a background thread, one
/// call at a time per replicator; a push filter also on the thread that calls ``Replicator/pendingDocumentIds(collection:)`` or
/// ``Replicator/isDocumentPending(_:collection:)``, possibly concurrently. The document is immutable, and it is a misuse to request a
/// mutable copy of it.
@preconcurrency public typealias ReplicationFilter = @Sendable (Document, DocumentFlags) -> Bool

/// Properties of a replicated document besides its contents.
public struct DocumentFlags: OptionSet, Sendable {
    /// The bits of the flags.
    public let rawValue: Int

    /// Creates flags from their bits.
    public init(rawValue: Int) { self.rawValue = rawValue }

    init(isDeleted: Bool, isAccessRemoved: Bool) {
        self = []
        if isDeleted { insert(.deleted) }
        if isAccessRemoved { insert(.accessRemoved) }
    }

    /// The document was deleted.
    public static let deleted = DocumentFlags(rawValue: 1 << 0)
    /// The user has lost access to the document on the server.
    public static let accessRemoved = DocumentFlags(rawValue: 1 << 1)
}
#endif

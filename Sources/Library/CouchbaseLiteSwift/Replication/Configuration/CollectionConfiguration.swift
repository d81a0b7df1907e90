#if Replication
/// A collection that is replicated: which of its documents, and the resolver of their conflicts.
///
/// ```swift
/// var notes = CollectionConfiguration(collection: try database.createCollection(name: "notes"))
/// notes.channels = ["anna"]
/// let config = ReplicatorConfiguration(collections: [notes], target: URLEndpoint(url: url))
/// ```
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

    /// The collection; `nil` for a configuration that was created without one and has not been added to those of a replicator.
    var knownCollection: Collection?

    /// Creates a configuration that replicates all documents of a collection and uses the default resolver.
    public init(collection: Collection) { knownCollection = collection }

    /// Returns configurations that replicate all documents of the collections and use the default resolver, in the same order.
    public static func fromCollections(_ collections: [Collection]) -> [CollectionConfiguration] {
        collections.map { CollectionConfiguration(collection: $0) }
    }

    /// Returns the same configuration for another collection.
    package func applied(to collection: Collection) -> CollectionConfiguration {
        var configuration = self
        configuration.knownCollection = collection
        return configuration
    }

    /// The collection that is replicated.
    ///
    /// A configuration that was created with the deprecated `init()` has one only if it comes from a ``ReplicatorConfiguration``. It is a
    /// misuse (internal inconsistency) to read it before.
    public var collection: Collection {
        guard let knownCollection else {
            _CBLMisuse.inconsistency("The configuration has no collection: it was created without one.")
        }
        return knownCollection
    }

    /// Creates a configuration for a collection that is not known yet.
    @available(*, deprecated, message: "Use init(collection:)")
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

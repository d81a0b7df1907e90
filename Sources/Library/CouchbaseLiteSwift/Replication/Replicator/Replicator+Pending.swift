#if Replication
import DocumentStore
import Replication
import SyncRuntime

extension Replicator {
    /// Returns the IDs of the documents of the default collection that are pending push; see ``pendingDocumentIds(collection:)``.
    @available(*, deprecated, message: "Use pendingDocumentIds(collection:)")
    public func pendingDocumentIds() throws -> Set<String> { try pendingDocumentIds(collection: defaultCollection()) }

    /// Returns whether a document of the default collection is pending push; see ``isDocumentPending(_:collection:)``.
    @available(*, deprecated, message: "Use isDocumentPending(_:collection:)")
    public func isDocumentPending(_ documentID: String) throws -> Bool {
        try isDocumentPending(documentID, collection: defaultCollection())
    }

    /// Returns the IDs of the documents that are pending push: they match the push filter and the document IDs of the configuration, and
    /// were not pushed since their last change.
    ///
    /// It can be called at any time, also before the replicator is started. It reads from disk, and calls the push filter on the calling
    /// thread. Of several IDs that Swift's strings treat as equal, such as both Unicode spellings of `é`, the set contains only one;
    /// ``isDocumentPending(_:collection:)`` distinguishes them.
    ///
    /// - Parameter collection: A collection of the configuration.
    /// - Throws: `unsupported` for a replicator that only pulls; `notFound` for a collection that is not in the configuration; `notOpen` if
    ///   the database is closed or the collection was deleted.
    /// - Complexity: O(*n*), where *n* is the number of documents that were changed since the last checkpoint.
    public func pendingDocumentIds(collection: Collection) throws -> Set<String> {
        Set(try pushing(collection) { try $0.pendingDocuments($1, in: $2) })
    }

    /// Returns whether a document is pending push; `false` if it does not exist. Reads from disk, and calls the push filter on the calling
    /// thread.
    ///
    /// - Parameter documentID: The ID of the document.
    /// - Parameter collection: A collection of the configuration.
    /// - Throws: As ``pendingDocumentIds(collection:)``.
    public func isDocumentPending(_ documentID: String, collection: Collection) throws -> Bool {
        try pushing(collection) { try $0.isPending(documentID, $1, in: $2) }
    }

    /// Returns the IDs of the documents that the other side has refused, and that were not changed since: they are not pushed again until
    /// they change.
    ///
    /// - Throws: As ``pendingDocumentIds(collection:)``.
    /// - Complexity: O(*n*), where *n* is the number of documents of the collection.
    package func refusedDocumentIDs(collection: Collection) throws -> [String] {
        try pushing(collection) { try $0.refusedDocuments($1, in: $2) }
    }

    private func defaultCollection() throws -> Collection { try configuration.collections[0].database.defaultCollection() }

    /// Runs `body`, which reads on behalf of the collection's `Database` object: batches of other objects are invisible to it.
    private func pushing<Result>(
        _ collection: Collection,
        _ body: (ReplicaDatabase, ActiveOptions, CollectionOptions) throws -> Result
    ) throws -> Result {
        try throwingPublicErrors {
            let isConfigured = configuration.entries.contains { $0.collection.isSame(as: collection) }
            let (options, entry) = try pending.pushOptions(of: collection.store, isConfigured: isConfigured) { collection.isValid }
            return try collection.database.withFile { try body(ReplicaDatabase($0), options, entry) }
        }
    }
}
#endif

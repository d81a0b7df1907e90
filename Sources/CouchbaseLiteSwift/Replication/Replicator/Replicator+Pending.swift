#if Replication
extension Replicator {
    /// The IDs of the documents of the default collection that have yet to be pushed; see ``pendingDocumentIds(collection:)``.
    public func pendingDocumentIds() throws -> Set<String> {
        try pendingDocumentIds(collection: defaultCollection())
    }

    /// Whether a document of the default collection has yet to be pushed; see ``isDocumentPending(_:collection:)``.
    public func isDocumentPending(_ documentID: String) throws -> Bool {
        try isDocumentPending(documentID, collection: defaultCollection())
    }

    /// The IDs of the documents that have yet to be pushed, as far as the filter and the document IDs of the configuration allow.
    ///
    /// It may be asked at any time. It takes a look at every document that has changed since the last checkpoint. Of IDs that Swift's
    /// strings take for equal, such as `é` in both of its spellings, a set holds one; ``isDocumentPending(_:collection:)`` knows each.
    ///
    /// - Throws: `unsupported` for a replicator that only pulls; `notFound` for a collection that is not in the configuration;
    ///   `notOpen`.
    public func pendingDocumentIds(collection: Collection) throws -> Set<String> {
        try throwingPublicErrors { Set(try pending.pendingDocuments(of: collection)) }
    }

    /// Whether a document has yet to be pushed. False for one that does not exist.
    ///
    /// - Throws: As ``pendingDocumentIds(collection:)``.
    public func isDocumentPending(_ documentID: String, collection: Collection) throws -> Bool {
        try throwingPublicErrors { try pending.isPending(documentID, of: collection) }
    }

    /// The IDs of the documents that the other side has refused, and that have not changed since: it will not be asked about them again
    /// until they do. Looks at every document of the collection.
    ///
    /// - Throws: As ``pendingDocumentIds(collection:)``.
    package func refusedDocumentIDs(collection: Collection) throws -> [String] {
        try throwingPublicErrors { try pending.refusedDocuments(of: collection) }
    }

    /// Forgets the checkpoint, so that the next start looks at everything once more. Not while it runs, which is a misuse (internal
    /// inconsistency).
    @available(*, deprecated, message: "Use start(reset: true)")
    public func resetCheckpoint() {
        guard !core.isRunning else {
            _CBLMisuse.inconsistency(
                "Replicator is not stopped. Resetting checkpoint is only allowed when the replicator is in the stopped state."
            )
        }
        core.resetNextStart()
    }

    private func defaultCollection() throws -> Collection {
        try configuration.collections[0].database.defaultCollection()
    }
}
#endif

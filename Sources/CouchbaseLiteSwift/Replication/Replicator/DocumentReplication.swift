#if Replication
/// Documents that a replicator has pushed or pulled, or failed to push or pull.
public struct DocumentReplication: Sendable {
    /// The replicator that sends the notification.
    public let replicator: Replicator
    /// Whether the documents were pushed; otherwise they were pulled.
    public let isPush: Bool
    /// The documents, all of one direction, in no particular order.
    public let documents: [ReplicatedDocument]
}

/// A document that was pushed or pulled, or failed to be.
public struct ReplicatedDocument: Sendable {
    /// The document's ID.
    public let id: String
    /// Whether the document was deleted, or the user has lost access to it.
    public let flags: DocumentFlags
    /// The reason for the failure, an `NSError`; `nil` if the document was replicated.
    public let error: (any Error)?
    /// The name of the scope.
    public let scope: String
    /// The name of the collection, without the name of its scope.
    public let collection: String
}
#endif

#if Replication
/// Documents that a replicator has pushed or pulled, or failed to.
public struct DocumentReplication: Sendable {
    /// The replicator that tells.
    public let replicator: Replicator
    /// Whether they were pushed; otherwise they were pulled.
    public let isPush: Bool
    /// The documents, of one direction and in no particular order.
    public let documents: [ReplicatedDocument]
}

/// A document that was pushed or pulled, or could not be.
public struct ReplicatedDocument: Sendable {
    /// The document's ID.
    public let id: String
    /// Whether it was deleted, or access to it was lost.
    public let flags: DocumentFlags
    /// Why it failed, an `NSError`; nil when all went well.
    public let error: (any Error)?
    /// The name of the scope.
    public let scope: String
    /// The name of the collection, without the scope's.
    public let collection: String
}
#endif

import DocumentStore

/// What has yet to be pushed, whether or not a session is going on (Replication 4.12).
extension ReplicaDatabase {
    /// The documents of a collection that have yet to be pushed, in the order of their sequences.
    ///
    /// - Parameters:
    ///   - options: What the session that pushes is to do.
    ///   - collection: One of its collections.
    /// - Throws: `notFound` when the collection does not exist; errors of the database.
    package func pendingDocuments(_ options: ActiveOptions, in collection: CollectionOptions) throws -> [String] {
        let pending = try PendingRule(self, options, collection)
        return try pending.replica.pendingDocuments(
            after: pending.checkpoint.localMinimum,
            remote: pending.remote,
            where: pending.allows
        )
    }

    /// Whether a document has yet to be pushed.
    ///
    /// - Throws: As ``pendingDocuments(_:in:)``.
    package func isPending(
        _ documentID: String,
        _ options: ActiveOptions,
        in collection: CollectionOptions
    ) throws -> Bool {
        let pending = try PendingRule(self, options, collection)
        guard let change = try pending.replica.change(of: documentID, remote: pending.remote) else { return false }
        return try !change.isExpired && !change.isAtRemote && pending.allows(change)
    }
}

/// Says which changes are to be pushed and have not been.
private struct PendingRule {
    let replica: ReplicaCollection
    let remote: Int
    let checkpoint: Checkpoint
    private let documentIDs: Set<String>
    private let filter: RevisionFilter?

    init(_ database: ReplicaDatabase, _ options: ActiveOptions, _ collection: CollectionOptions) throws {
        guard let replica = try database.collection(collection.id) else {
            throw StoreError.notFound(what: "collection \"\(collection.id.fullName)\"")
        }
        self.replica = replica
        remote = try database.remoteID(for: options.remoteURL)
        checkpoint = try database.storedCheckpoint(of: collection, options)?.checkpoint ?? Checkpoint()
        documentIDs = Set(collection.documentIDs ?? [])
        filter = collection.pushFilter
    }

    /// Whether a change that the remote does not have is to be pushed.
    func allows(_ change: LocalChange) throws -> Bool {
        guard !checkpoint.completed.contains(change.sequence) else { return false }
        guard documentIDs.isEmpty || documentIDs.contains(change.documentID) else { return false }
        guard let filter else { return true }
        return try replica.passes(change, filter) ?? true
    }
}

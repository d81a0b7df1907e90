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
        checkpoint = try database.checkpoint(of: collection, options) ?? Checkpoint()
        documentIDs = Set(collection.documentIDs ?? [])
        filter = collection.pushFilter
    }

    /// Whether a change that the remote does not have is to be pushed.
    func allows(_ change: LocalChange) throws -> Bool {
        guard !checkpoint.completed.contains(change.sequence) else { return false }
        guard documentIDs.isEmpty || documentIDs.contains(change.documentID) else { return false }
        guard let filter, let revision = try replica.revision(change.revision, of: change.documentID) else {
            return true
        }
        return filter(
            FilteredRevision(
                documentID: change.documentID,
                revision: change.revision,
                isDeleted: change.isDeleted,
                body: revision.body,
                sharedKeys: revision.sharedKeys
            )
        )
    }
}

extension ReplicaDatabase {
    /// Forgets how far a replication had come, on this side: the next session looks at everything once more, whatever the other side
    /// remembers (Replication 4.3).
    package func forgetCheckpoints(_ options: ActiveOptions) throws {
        for collection in options.collections {
            for name in try checkpointNames(of: collection, options) { try removeCheckpoint(name) }
        }
    }

    /// The checkpoint that is stored here for a collection; nil when there is none.
    fileprivate func checkpoint(of collection: CollectionOptions, _ options: ActiveOptions) throws -> Checkpoint? {
        for name in try checkpointNames(of: collection, options) {
            if let json = try checkpoint(name) { return Checkpoint(json: json) }
        }
        return nil
    }

    /// The name of a collection's checkpoint, and those that it had before the database was copied.
    private func checkpointNames(of collection: CollectionOptions, _ options: ActiveOptions) throws -> [String] {
        let id = CheckpointID(
            databaseUUID: try privateUUID(),
            collection: collection.id,
            remoteURL: options.remoteURL,
            isPulling: options.pull != .disabled,
            isPushing: options.push != .disabled,
            channels: collection.channels ?? [],
            documentIDs: collection.documentIDs ?? []
        )
        let earlier = try previousPrivateUUID().map { id.previous(databaseUUID: $0) } ?? []
        return try ([id] + earlier).map { try $0.name() }
    }
}

import DocumentStore
import ExactStrings

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
            documentIDs: collection.documentIDs.flatMap { $0.isEmpty ? nil : $0 },
            remote: pending.remote,
            where: pending.allows
        )
    }

    /// The documents of a collection that the remote does not have as they are here although they have been dealt with: it has refused them,
    /// and will not be asked again until they change. In the order of their sequences. Looks at all documents of the collection.
    ///
    /// - Parameters: As for ``pendingDocuments(_:in:)``.
    /// - Throws: As ``pendingDocuments(_:in:)``.
    package func refusedDocuments(_ options: ActiveOptions, in collection: CollectionOptions) throws -> [String] {
        let pending = try PendingRule(self, options, collection)
        return try pending.replica.pendingDocuments(
            after: 0,
            documentIDs: collection.documentIDs.flatMap { $0.isEmpty ? nil : $0 },
            remote: pending.remote,
            where: pending.wasRefused
        )
    }

    /// Whether a document has yet to be pushed.
    ///
    /// - Throws: As ``pendingDocuments(_:in:)``.
    package func isPending(_ documentID: String, _ options: ActiveOptions, in collection: CollectionOptions) throws -> Bool {
        let pending = try PendingRule(self, options, collection)
        guard let change = try pending.replica.change(of: documentID, remote: pending.remote) else { return false }
        let isChosen = collection.documentIDs.map {
            $0.isEmpty || $0.containsExactly(documentID)
        }
        return try isChosen ?? true && !change.isExpired && !change.isAtRemote && pending.allows(change)
    }
}

/// Says which changes are to be pushed and have not been.
private struct PendingRule {
    let replica: ReplicaCollection
    let remote: Int
    let checkpoint: Checkpoint
    private let filter: RevisionFilter?

    init(_ database: ReplicaDatabase, _ options: ActiveOptions, _ collection: CollectionOptions) throws {
        guard let replica = try database.collection(collection.id) else {
            throw StoreError.notFound(what: "collection \"\(collection.id.fullName)\"")
        }
        self.replica = replica
        remote = try database.remoteID(for: options.remoteURL)
        checkpoint = try database.storedCheckpoint(of: collection, options)?.checkpoint ?? Checkpoint()
        filter = collection.pushFilter
    }

    /// Whether a change that the remote does not have is to be pushed.
    func allows(_ change: LocalChange) throws -> Bool {
        try !checkpoint.completed.contains(change.sequence) && concerns(change)
    }

    /// Whether a change that the remote does not have was dealt with all the same.
    func wasRefused(_ change: LocalChange) throws -> Bool {
        try checkpoint.completed.contains(change.sequence) && concerns(change)
    }

    /// Whether a change of a document that is pushed at all is among those that are to be.
    private func concerns(_ change: LocalChange) throws -> Bool {
        guard let filter else { return true }
        return try replica.passes(change, filter) ?? true
    }
}

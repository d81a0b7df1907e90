import Base
import DocumentStore

/// Finds the documents that have not been pushed yet. No session is needed (Replication 4.12).
extension ReplicaDatabase {
    /// Returns the IDs of the documents of a collection that have not been pushed yet, in sequence order.
    ///
    /// - Parameters:
    ///   - options: The options of the replication.
    ///   - collection: One of its collections.
    /// - Throws: `notFound` if the collection does not exist; errors of the database.
    package func pendingDocuments(_ options: ActiveOptions, in collection: CollectionOptions) throws -> [String] {
        let pending = try PendingRule(self, options, collection)
        return try pending.documents(after: pending.checkpoint.localMinimum, where: pending.allows)
    }

    /// Returns the IDs of the documents that the remote has refused, in sequence order. Their current revisions are completed in the
    /// checkpoint although the remote does not have them; they are not proposed again until they change.
    ///
    /// - Parameters: As for ``pendingDocuments(_:in:)``.
    /// - Throws: As ``pendingDocuments(_:in:)``.
    /// - Complexity: O(*n*), where *n* is the number of documents in the collection.
    package func refusedDocuments(_ options: ActiveOptions, in collection: CollectionOptions) throws -> [String] {
        let pending = try PendingRule(self, options, collection)
        return try pending.documents(after: 0, where: pending.wasRefused)
    }

    /// Returns whether a document has not been pushed yet.
    ///
    /// - Throws: As ``pendingDocuments(_:in:)``.
    package func isPending(_ documentID: String, _ options: ActiveOptions, in collection: CollectionOptions) throws -> Bool {
        let pending = try PendingRule(self, options, collection)
        guard let change = try pending.replica.change(of: documentID, remote: pending.remote) else { return false }
        let isChosen = collection.chosenDocumentIDs?.containsExactly(documentID) ?? true
        return try isChosen && !change.isExpired && !change.isAtRemote && pending.allows(change)
    }
}

extension ReplicaCollection {
    /// Returns the IDs of the documents with changes after a sequence, in sequence order, without expired documents and those that the
    /// remote is known to have.
    ///
    /// - Parameters:
    ///   - documentIDs: The documents that are pushed; `nil` for all.
    ///   - remote: The number of the remote; `nil` if it has none yet.
    ///   - isPending: Returns whether a change still has to be pushed, according to its sequence and the push filter.
    func pendingDocuments(
        after sequence: UInt64,
        documentIDs: [String]? = nil,
        remote: Int?,
        where isPending: (LocalChange) throws -> Bool
    ) throws -> [String] {
        var ids: [String] = []
        var cursor = ChangeCursor(self, after: sequence, documentIDs: documentIDs, remote: remote)
        while true {
            let slice = try cursor.next(ChangeCursor.sliceSize)
            for change in slice.changes where !change.isExpired && !change.isAtRemote {
                if try isPending(change) { ids.append(change.documentID) }
            }
            if slice.isEnd { return ids }
        }
    }

    /// Returns the result of a filter for a change; `nil` if its revision no longer exists.
    func passes(_ change: LocalChange, _ filter: RevisionFilter) throws -> Bool? {
        guard let revision = try self.revision(change.revision, of: change.documentID) else { return nil }
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

extension LocalChange {
    /// Whether the remote has this revision, or has a later one whose conflict the puller will report (Replication 4.5).
    var isAtRemote: Bool {
        guard let remoteAncestor else { return false }
        if remoteAncestor.isSame(as: revision) { return true }
        guard let known = remoteAncestor.tree, let current = revision.tree else { return false }
        return known.generation >= current.generation
    }
}

/// Determines which changes still have to be pushed.
private struct PendingRule {
    let replica: ReplicaCollection
    /// The number of the remote; `nil` if this database has never replicated with it.
    let remote: Int?
    let checkpoint: Checkpoint
    private let collection: CollectionOptions

    init(_ database: ReplicaDatabase, _ options: ActiveOptions, _ collection: CollectionOptions) throws {
        guard let replica = try database.collection(collection.id) else {
            throw StoreError.notFound(what: "collection \"\(collection.id.fullName)\"")
        }
        self.replica = replica
        remote = try database.file.knownRemoteID(for: options.remoteURL)
        checkpoint = try database.storedCheckpoint(of: collection, replica, options)?.checkpoint ?? Checkpoint()
        self.collection = collection
    }

    func documents(after sequence: UInt64, where isPending: (LocalChange) throws -> Bool) throws -> [String] {
        try replica.pendingDocuments(after: sequence, documentIDs: collection.chosenDocumentIDs, remote: remote, where: isPending)
    }

    /// Returns whether a change that the remote does not have still has to be pushed.
    func allows(_ change: LocalChange) throws -> Bool {
        try !checkpoint.completed.contains(change.sequence) && concerns(change)
    }

    /// Returns whether a change that the remote does not have is completed in the checkpoint.
    func wasRefused(_ change: LocalChange) throws -> Bool {
        try checkpoint.completed.contains(change.sequence) && concerns(change)
    }

    private func concerns(_ change: LocalChange) throws -> Bool {
        guard let filter = collection.pushFilter else { return true }
        return try replica.passes(change, filter) ?? true
    }
}

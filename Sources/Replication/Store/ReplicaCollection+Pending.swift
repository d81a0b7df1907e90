package import DocumentStore

extension ReplicaCollection {
    /// The documents that have yet to be pushed, in the order of their sequences (Replication 4.12). Those that the remote is known to
    /// have are none; nor are expired ones.
    ///
    /// - Parameters:
    ///   - sequence: The one up to which everything has been pushed.
    ///   - documentIDs: The documents that are pushed at all; nil for all.
    ///   - remote: The number of the remote; nil when it has none yet.
    ///   - isPending: Says of a change whether it is to be pushed and has not been: by its sequence, the push filter.
    package func pendingDocuments(
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
}

extension LocalChange {
    /// Whether the remote has the revision, or has a later one, whose conflict the puller will report (Replication 4.5).
    package var isAtRemote: Bool {
        guard let remoteAncestor else { return false }
        return remoteAncestor == revision || remoteAncestor.generation >= revision.generation
    }
}

extension ReplicaCollection {
    /// What a filter says of a change; nil when its revision is there no more.
    func passes(_ change: LocalChange, _ filter: RevisionFilter) throws -> Bool? {
        guard let revision = try revision(change.revision, of: change.documentID) else { return nil }
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

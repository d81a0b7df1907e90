package import DocumentStore
package import Fleece

extension ReplicaCollection {
    /// Returns the IDs of the documents that have not been pushed yet, in sequence order (Replication 4.12). Expired documents and
    /// documents that the remote is known to have are not included.
    ///
    /// - Parameters:
    ///   - sequence: The sequence up to which everything has been pushed.
    ///   - documentIDs: The documents that are pushed; `nil` for all.
    ///   - remote: The number of the remote; `nil` if it has none yet.
    ///   - isPending: Returns whether a change still has to be pushed, according to its sequence and the push filter.
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
    /// Whether the remote has this revision, or has a later one whose conflict the puller will report (Replication 4.5).
    package var isAtRemote: Bool {
        guard let remoteAncestor else { return false }
        return remoteAncestor == revision || remoteAncestor.generation >= revision.generation
    }
}

extension ReplicaCollection {
    /// Returns the result of a filter for a change; `nil` if its revision no longer exists.
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

/// Returns whether a revision is replicated. Called on the executor of the session.
package typealias RevisionFilter = @Sendable (FilteredRevision) -> Bool

/// A revision passed to a filter.
package struct FilteredRevision {
    package let documentID: String
    package let revision: RevisionID
    package let isDeleted: Bool
    package var isAccessRemoved = false
    /// The properties of the document, a Fleece dictionary.
    package let body: FleeceData
    package let sharedKeys: SharedKeys
}

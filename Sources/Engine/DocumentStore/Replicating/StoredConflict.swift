package import Fleece

/// A revision of a document in conflict, with its body.
package struct ConflictRevision: Sendable {
    /// The ID of the revision.
    package let id: RevisionID
    /// Whether the revision is a tombstone.
    package let isDeleted: Bool
    /// A Fleece dictionary, not validated.
    package let body: FleeceData
    /// Whether the body refers to blobs.
    package let hasAttachments: Bool
}

/// A document in conflict: its current revision, and the leaf of another branch, received from a remote (Replication 4.7).
package struct StoredConflict: Sendable {
    /// The ID of the document.
    package let documentID: String
    /// The current revision of this database.
    package let local: ConflictRevision
    /// The received revision, which is not the current one.
    package let remote: ConflictRevision
    /// The newest common ancestor, if its body is still stored.
    package let base: ConflictRevision?
    /// The shared keys used by the bodies.
    package let sharedKeys: SharedKeys

    /// The identity of the database, for comparing its versions with those of others.
    var own = SourceID.me

    /// Whether the local revision is kept by default. In a tree, it has more changes in its history or, with equally many, the greater ID
    /// (Replication 4.7). Of two versions it is the later one; every version is later than a revision of a tree (Version vectors 5.4). Equal
    /// times are decided by the sources, so that two databases that resolve the same conflict keep the same revision.
    package var prefersLocal: Bool { local.id.absolute(own) > remote.id.absolute(own) }

    /// The resolution that deletes the document. If a side has deleted it, its tombstone remains.
    package var deletion: ConflictResolution {
        if remote.isDeleted { return .remote }
        return local.isDeleted ? .local : .deleted
    }

    /// Whether both sides have deleted the document, so that no resolver needs to be called.
    package var isOfDeletions: Bool { local.isDeleted && remote.isDeleted }

    /// Returns one of the revisions as a document; `nil` if it does not exist or is a deletion.
    package func document(_ revision: ConflictRevision?) -> DocumentRecord? {
        guard let revision, !revision.isDeleted else { return nil }
        return DocumentRecord(documentID, revision.id, isDeleted: false, revision.body, sharedKeys)
    }
}

/// The resolution of a conflict. In a tree, the branch of the remote revision always becomes the winning one, and the local branch is removed.
package enum ConflictResolution: Sendable {
    /// The remote revision itself.
    case remote
    /// A new child of the remote revision, with the body of the local revision, or a tombstone if the local revision is one.
    case local
    /// A new child of the remote revision, with this body.
    case merged(OwnedBody)
    /// A tombstone as a child of the remote revision.
    case deleted

    /// Whether it is the remote revision itself.
    var isRemote: Bool {
        guard case .remote = self else { return false }
        return true
    }
}

/// The result of resolving a conflict.
package struct ResolvedConflict: Equatable, Sendable {
    /// The new current revision.
    package let revision: RevisionID
    /// The sequence of the current revision.
    package let sequence: UInt64
    /// Whether the current revision is a tombstone.
    package let isDeleted: Bool
    /// Whether the content of the current revision was not taken from the revision of the remote as it is.
    package let isNew: Bool
    /// Whether the document is still in conflict because it had a third branch.
    package let isStillConflicted: Bool
}

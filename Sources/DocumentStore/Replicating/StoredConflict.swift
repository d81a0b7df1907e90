package import Fleece

/// A revision with its body.
package struct StoredRevision: Sendable {
    package let id: RevisionID
    package let isDeleted: Bool
    /// A Fleece dictionary, not validated.
    package let body: FleeceData
    package let hasAttachments: Bool
}

/// A document in conflict: its current revision, and the leaf of another branch that came from a remote (Replication 4.7).
package struct StoredConflict: Sendable {
    package let documentID: String
    package let local: StoredRevision
    package let remote: StoredRevision
    /// The newest revision that both descend from, if its body is still here.
    package let base: StoredRevision?
    /// What the keys of the bodies stand for.
    package let sharedKeys: SharedKeys
}

/// How a conflict ends. The remote revision always becomes the winning branch, and the local one is removed.
package enum ConflictResolution: Sendable {
    /// With the remote revision itself.
    case remote
    /// With a new revision on top of it, that has the local one's body, or is a tombstone if that is one.
    case local
    /// With a new revision on top of it that has this body.
    case merged(OwnedBody)
    /// With a tombstone on top of it.
    case deleted
}

/// What came of a resolution.
package struct ResolvedConflict: Equatable, Sendable {
    /// The current revision now.
    package let revision: RevisionID
    package let sequence: UInt64
    package let isDeleted: Bool
    /// Whether it is a new revision, which has to be pushed.
    package let isNew: Bool
    /// Whether the document is still in conflict: there was a third branch.
    package let isStillConflicted: Bool
}

/// A revision that was created elsewhere, with its position in the document's history (Replication 3.8).
package struct ReceivedRevision: Sendable {
    /// The ID of the document.
    package var documentID: String
    /// The ID that the other side has given to the revision.
    package var revision: RevisionID
    /// The ancestors, newest first. Ancestors may be missing, also at the end.
    package var history: [RevisionID]
    /// The number of the first ancestors that were merged to make the revision; 0 if it is a revision of a tree, or no merge (Version vectors 2.4).
    package var mergedCount: Int
    /// The ID by which the other side's clients with trees know the revision, if it is a version and the other side has said so (Version vectors 7.6).
    package var treeName: TreeRevisionID?
    /// Whether the revision is a tombstone.
    package var isDeleted: Bool
    /// The body, which a tombstone can have too.
    package var body: OwnedBody
    /// Whether the revision is stored if it conflicts with the stored document. Otherwise it is refused.
    package var allowsConflict: Bool
    /// Whether a later revision of the document from the same remote is already stored.
    package var isOvertaken = false
    /// Whether a client of this database has made the revision, so that the generations of its IDs are limited (Version vectors 7.6).
    package var isFromClient = false
    /// The contents of blobs that came with the revision, and are stored with it.
    package var contents = ReceivedContents()
    /// The digests of blobs that the peer has sent for the revision, and that are stored already.
    package var sentBlobs: Set<BlobDigest> = []

    package init(
        documentID: String,
        revision: RevisionID,
        history: [RevisionID] = [],
        mergedCount: Int = 0,
        isDeleted: Bool = false,
        body: OwnedBody = .empty,
        allowsConflict: Bool = true
    ) {
        (self.documentID, self.revision, self.history) = (documentID, revision, history)
        (self.mergedCount, self.isDeleted, self.body, self.allowsConflict) = (mergedCount, isDeleted, body, allowsConflict)
    }

    /// Creates the copy of a revision of another collection. A conflict with the stored document is allowed.
    package init(copying revision: OutgoingRevision) {
        self.init(
            documentID: revision.documentID,
            revision: revision.revision,
            history: revision.history,
            mergedCount: revision.mergedCount,
            isDeleted: revision.isDeleted,
            body: OwnedBody(revision.body, keys: revision.sharedKeys, hasBlobs: revision.hasAttachments)
        )
    }

    /// The revision and its ancestors, newest first; `nil` if they are not all revisions of trees, or if the generations do not decrease
    /// strictly from the revision to its oldest ancestor.
    var branch: [TreeRevisionID]? {
        guard case .tree(let newest) = revision else { return nil }
        var branch = [newest]
        branch.reserveCapacity(history.count + 1)
        for ancestor in history {
            guard case .tree(let id) = ancestor, id.generation < branch[branch.count - 1].generation else { return nil }
            branch.append(id)
        }
        return branch
    }
}

/// The result of storing a revision that was created elsewhere (Replication 4.6).
package enum ReceivedRevisionOutcome: Equatable, Sendable {
    /// The revision was stored. In case of a conflict the local revision stays the current one.
    case inserted(sequence: UInt64, isConflict: Bool)
    /// The revision was already stored.
    case known
    /// A later revision of the remote is already stored. Nothing was changed.
    case ignoredAsLate
    /// The revision would cause a conflict, which it does not allow. Nothing was changed.
    case refusedAsConflict
    /// The history does not fit to the revision or the database: in a tree, versions, or generations that do not decrease; otherwise also a database
    /// that occurs twice. Nothing was changed.
    case invalidHistory
    /// A client has given the revision a generation after which hardly any other one is possible, so that the document could not be changed
    /// anymore. Nothing was changed.
    case generationTooHigh
    /// A version has a time that is too early, or too far in the future (Version vectors 2.3). Nothing was changed.
    case invalidTime(VersionError)

    /// Why the revision cannot be stored, whatever the document is: a phrase without a final period. `nil` if it is stored, or might be with other
    /// revisions of the document.
    package var fault: String? {
        switch self {
        case .inserted, .known, .ignoredAsLate, .refusedAsConflict: nil
        case .invalidHistory: "its history is not valid: the generations of its revisions do not decrease, or a database occurs twice"
        case .generationTooHigh: "its generation is too high: hardly any other revision could follow"
        case .invalidTime(let error): error.description
        }
    }
}

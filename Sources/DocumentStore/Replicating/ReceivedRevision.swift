/// A revision that was made elsewhere, with its place in the document's history (Replication 3.8).
package struct ReceivedRevision: Sendable {
    package var documentID: String
    package var revision: RevisionID
    /// The ancestors, newest first. It may leave some out, and may end before the first.
    package var history: [RevisionID]
    package var isDeleted: Bool
    package var body: OwnedBody
    /// Whether it is stored if it conflicts with what is here; else it is refused.
    package var allowsConflict: Bool
    /// Whether the remote is known to have had a later revision of the document since, which is here.
    package var isOvertaken = false

    package init(
        documentID: String,
        revision: RevisionID,
        history: [RevisionID] = [],
        isDeleted: Bool = false,
        body: OwnedBody = .empty,
        allowsConflict: Bool = true
    ) {
        self.documentID = documentID
        self.revision = revision
        self.history = history
        self.isDeleted = isDeleted
        self.body = body
        self.allowsConflict = allowsConflict
    }

    /// Whether the generations get lower from each revision to the one before it.
    var isHistoryInOrder: Bool {
        var last = revision.generation
        for ancestor in history {
            guard ancestor.generation < last else { return false }
            last = ancestor.generation
        }
        return true
    }
}

/// What became of a revision that was made elsewhere (Replication 4.6).
package enum ReceivedRevisionOutcome: Equatable, Sendable {
    /// It is stored. A conflict leaves the local revision the current one.
    case inserted(sequence: UInt64, isConflict: Bool)
    /// It was here already.
    case known
    /// The remote has had a later one since, which is here. Nothing was changed.
    case ignoredAsLate
    /// It would be a conflict, which it does not allow. Nothing was changed.
    case refusedAsConflict
    /// The generations of its history are not in order. Nothing was changed.
    case invalidHistory
}

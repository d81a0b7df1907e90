/// A change of one document that is to be stored.
package struct DocumentSave {
    /// What the change was based on.
    package enum Base: Sendable {
        /// Whatever is stored: the new revision goes on top of it. What is deleted is not deleted once more.
        case latest
        /// As ``latest``, for somebody who knows this revision: if it is the stored one, and a tombstone, another goes on top of it.
        case latestKnowing(RevisionID)
        /// Nothing: the document must not exist, or be deleted.
        case none
        /// This revision must be the current one. If it is a tombstone, another can go on top of it.
        case revision(RevisionID)
    }

    package let documentID: String
    package let base: Base
    package let isDeleted: Bool
    /// Whether a stored document is to be expected; a wrong guess costs one look-up.
    package let isLikelyStored: Bool

    package init(_ documentID: String, base: Base, isDeleted: Bool = false, isLikelyStored: Bool = true) {
        self.documentID = documentID
        self.base = base
        self.isDeleted = isDeleted
        self.isLikelyStored = isLikelyStored
    }

    /// Whether the change can stand at the beginning of a document's history.
    var mayBeFirst: Bool {
        if case .revision = base { return false }
        return !isDeleted
    }
}

/// What became of a change.
package enum DocumentSaveOutcome: Equatable, Sendable {
    case saved(RevisionID, sequence: UInt64)
    /// The stored revision is not the one the change was based on. Nothing was changed.
    case conflict
    /// The document the change was based on, or that was to be deleted, is not there at all. Nothing was changed.
    case missing
    /// The document was to be deleted, and is already, by somebody whose revision is not the base. Nothing was changed.
    case alreadyDeleted(RevisionID, sequence: UInt64)
}

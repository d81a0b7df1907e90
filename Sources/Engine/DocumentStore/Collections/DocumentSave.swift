/// A change of one document to be stored.
package struct DocumentSave {
    /// The revision that the change is based on.
    package enum Base: Sendable {
        /// The current revision, whichever it is: the new revision becomes its child. A deleted document is not deleted again.
        case latest
        /// Like ``latest``, but if the current revision is this one and a tombstone, another tombstone can become its child.
        case latestKnowing(RevisionID)
        /// No revision: the document must not exist, or must be deleted.
        case none
        /// This revision, which must be the current one. If it is a tombstone, another tombstone can become its child.
        case revision(RevisionID)

        /// The revision that a document was read from or last saved as; `nil` if it was neither.
        package static func known(_ revision: RevisionID?) -> Base { revision.map { .revision($0) } ?? .none }
    }

    /// The ID of the document, which is not validated here.
    package let documentID: String
    /// The revision that must be the current one for the change to be stored.
    package let base: Base
    /// Whether the change deletes the document: a tombstone is stored.
    package let isDeleted: Bool
    /// Whether the document probably exists. A wrong value costs one additional lookup.
    package let isLikelyStored: Bool

    package init(_ documentID: String, base: Base, isDeleted: Bool = false, isLikelyStored: Bool = true) {
        self.documentID = documentID
        self.base = base
        self.isDeleted = isDeleted
        self.isLikelyStored = isLikelyStored
    }

    /// Whether the change can create the first revision of a document.
    var mayBeFirst: Bool {
        if case .revision = base { return false }
        return !isDeleted
    }
}

/// The result of storing a change.
package enum DocumentSaveOutcome: Equatable, Sendable {
    /// The change was stored, as this revision and with this sequence.
    case saved(RevisionID, sequence: UInt64)
    /// The stored revision is not the one the change was based on. Nothing was changed.
    case conflict
    /// The base revision, or the document to be deleted, does not exist. Nothing was changed.
    case missing
    /// The document to be deleted is already deleted, by a revision other than the base. Nothing was changed.
    case alreadyDeleted(RevisionID, sequence: UInt64)
}

import DocumentStore
import ExactStrings
import SyncCore

/// A revision on its way to the peer, from the feed of changes to its acknowledgement.
final class PushedRevision {
    let change: LocalChange
    /// What is taken for the peer's current revision of the document.
    var serverRevision: RevisionID?
    /// A newer revision of the document that came meanwhile, and is to follow.
    var next: LocalChange?
    /// How often it has been proposed.
    var proposalCount = 0
    /// Whether it was sent, and the answer has not come.
    var isSent = false
    /// Whether it was sent as a delta, and whether it may not be again.
    var isDelta = false
    var isWhole = false
    /// Whether the peer has forbidden it once.
    var wasForbidden = false
    /// Whether it counts as completed in the progress.
    var isCounted = false

    init(_ change: LocalChange, serverRevision: RevisionID?) {
        self.change = change
        self.serverRevision = serverRevision
    }

    var documentID: String { change.documentID }
    /// The document's ID, as revisions are looked up by it.
    var key: ExactString { ExactString(change.documentID) }
    var revision: RevisionID { change.revision }

    /// How the pushing of a revision ends.
    enum Outcome {
        /// The peer has taken it.
        case accepted
        /// The peer had it.
        case known
        /// The document has a newer revision, which has a sequence of its own.
        case obsolete
        /// The peer will not have it.
        case refused(SyncError)
        /// It will be tried again.
        case postponed(SyncError)
    }
}

import Base
import DocumentStore
import SyncCore

/// A revision that is being pushed, from reading it in the feed to its acknowledgement.
final class PushedRevision {
    let change: LocalChange
    /// The assumed current revision of the document at the peer.
    var serverRevision: RevisionID?
    /// A newer revision of the document, which is pushed afterwards.
    var next: LocalChange?
    var proposalCount = 0
    /// Whether it was sent and not acknowledged yet.
    var isSent = false
    /// Whether it was sent as a delta, and whether the complete body must be sent.
    var isDelta = false
    var isWhole = false
    /// Whether the peer has refused it once with 403.
    var wasForbidden = false
    var isCounted = false

    init(_ change: LocalChange, serverRevision: RevisionID?) { (self.change, self.serverRevision) = (change, serverRevision) }

    var documentID: String { change.documentID }
    /// The document ID as a dictionary key.
    var key: ExactString { ExactString(change.documentID) }
    var revision: RevisionID { change.revision }

    enum Outcome {
        case accepted
        case known
        /// The document has a newer revision, which has its own sequence.
        case obsolete
        case refused(SyncError)
        case postponed(SyncError)
    }
}

/// A revision that a peer offers to send (Replication 3.6).
package struct OfferedRevision: Sendable {
    package var documentID: String
    package var revision: RevisionID

    package init(documentID: String, revision: RevisionID) {
        self.documentID = documentID
        self.revision = revision
    }
}

/// What is answered to an offer (Replication 4.6).
package enum OfferAnswer: Equatable, Sendable {
    /// The revision is here.
    ///
    /// - isRemoteAncestorMoved: That the peer has it was news.
    /// - isConflictBranch: It is not the current revision, nor an ancestor of that.
    case have(isRemoteAncestorMoved: Bool, isConflictBranch: Bool)
    /// It is to be sent. Revisions that are here and could be ancestors of it, at most ten: first the one that the peer is known to
    /// have had last, then the newest first.
    case want(ancestors: [RevisionID])
    /// It would be a conflict, and those are refused.
    case conflict
}

/// A revision that a peer wants to push, with what it takes for the current one here (Replication 3.7).
package struct ProposedRevision: Sendable {
    package var documentID: String
    package var revision: RevisionID
    /// Nil when the peer knows of none.
    package var serverRevision: RevisionID?

    package init(documentID: String, revision: RevisionID, serverRevision: RevisionID? = nil) {
        self.documentID = documentID
        self.revision = revision
        self.serverRevision = serverRevision
    }
}

/// What is answered to a proposal (Replication 3.7).
package enum ProposalAnswer: Equatable, Sendable {
    /// 0: it is to be sent.
    case send
    /// 304: it is here, as the current revision.
    case have
    /// 409: the current revision is another one.
    case conflict(current: RevisionID)
    /// 500: what is stored cannot be read.
    case unreadable
}

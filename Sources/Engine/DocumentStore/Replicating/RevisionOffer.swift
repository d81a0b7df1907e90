/// A revision that a peer offers to send (Replication 3.6).
package struct OfferedRevision: Sendable {
    /// The ID of the document.
    package var documentID: String
    /// The ID of the revision.
    package var revision: RevisionID
    /// The vector of the revision, as far as the peer has sent it, which is often only its current version; empty for a revision of a tree.
    package var vector: VersionVector

    /// Creates an offer of which only the ID of the revision is known.
    package init(documentID: String, revision: RevisionID) {
        (self.documentID, self.revision) = (documentID, revision)
        if case .version(let version) = revision { vector = VersionVector(version) } else { vector = .empty }
    }

    /// Creates an offer of a revision with its vector; `nil` if the vector is empty.
    package init?(documentID: String, vector: VersionVector) {
        guard let current = vector.current else { return nil }
        (self.documentID, revision, self.vector) = (documentID, .version(current), vector)
    }
}

/// How offered revisions are compared with the stored ones.
package struct OfferOptions: Sendable {
    /// The number of the peer as a remote; `nil` if it is not one.
    package var remote: Int?
    /// Whether only ancestors whose bodies are still stored are returned. Deltas need the bodies.
    package var needsBodies: Bool
    /// Whether the answer is ``OfferAnswer/conflict`` for a revision that cannot be a descendant of the current one.
    package var refusesConflicts: Bool

    package init(remote: Int?, needsBodies: Bool, refusesConflicts: Bool = false) {
        (self.remote, self.needsBodies, self.refusesConflicts) = (remote, needsBodies, refusesConflicts)
    }
}

/// The answer to an offer (Replication 4.6).
package enum OfferAnswer: Equatable, Sendable {
    /// The revision is already stored.
    ///
    /// - isRemoteAncestorMoved: Whether the peer was not known to have it.
    /// - isConflictBranch: Whether it is neither the current revision nor an ancestor of the current revision.
    case have(isRemoteAncestorMoved: Bool, isConflictBranch: Bool)
    /// The revision is requested. Contains at most ten stored revisions that could be its ancestors: first the last one known to be at the
    /// peer, then the others, newest first. A database with version vectors gives at most two: the current one, then the one of the peer.
    case want(ancestors: [RevisionID])
    /// The revision would cause a conflict, and conflicts are refused.
    case conflict
}

/// A revision that a peer wants to push, with the revision it believes to be the current one here (Replication 3.7).
package struct ProposedRevision: Sendable {
    /// The ID of the document.
    package var documentID: String
    /// The ID of the revision.
    package var revision: RevisionID
    /// The vector of the revision, as far as the peer has sent it; empty for a revision of a tree.
    package var vector: VersionVector
    /// `nil` if the peer knows no revision here.
    package var serverRevision: RevisionID?

    /// Creates a proposal of which only the ID of the revision is known.
    package init(documentID: String, revision: RevisionID, serverRevision: RevisionID? = nil) {
        self.init(OfferedRevision(documentID: documentID, revision: revision), serverRevision: serverRevision)
    }

    /// Creates a proposal of a revision, with its vector if it has one.
    package init(_ offer: OfferedRevision, serverRevision: RevisionID?) {
        (documentID, revision, vector, self.serverRevision) = (offer.documentID, offer.revision, offer.vector, serverRevision)
    }
}

/// The answer to a proposal (Replication 3.7).
package enum ProposalAnswer: Equatable, Sendable {
    /// 0: the peer shall send the revision.
    case send
    /// 304: the revision is already the current one.
    case have
    /// 409: another revision is the current one, that of a tree.
    case conflict(current: RevisionID)
    /// 409: another revision is the current one, with this vector (Version vectors 6.5).
    case conflictWithVector(VersionVector)
    /// 500: the stored document cannot be read.
    case unreadable
}

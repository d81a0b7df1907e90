import DocumentStore
import ExactStrings
import SyncCore

extension Pusher {
    /// How often one revision is proposed, lest a peer that contradicts itself keeps us busy for ever.
    private static let maximumProposals = 4

    /// The peer has another revision than was thought (Replication 4.5).
    ///
    /// - Parameter current: The one it has, if it says so.
    func conflicted(_ revision: PushedRevision, current: RevisionID?) {
        let id = revision.documentID
        let known = context.attempt {
            (
                change: try collection.change(of: id, remote: remote),
                history: try collection.revision(revision.revision, of: id)?.history ?? []
            )
        }
        guard let known else { return finish(revision, .postponed(Self.conflict), isReported: false) }
        guard let change = known.change, change.revision == revision.revision else { return finish(revision, .obsolete) }
        if change.remoteAncestor == revision.revision || current == revision.revision {
            return finish(revision, .known)
        }
        // We know more than what was proposed, or the peer does: it has an ancestor of ours, so there is no conflict.
        for server in [current, change.remoteAncestor].compactMap({ $0 })
        where server != revision.serverRevision && known.history.contains(server)
            && revision.proposalCount < Self.maximumProposals
        {
            revision.serverRevision = server
            return propose([revision])
        }
        guard options.isPulling else { return finish(revision, .refused(Self.conflict)) }
        // The peer's revision will come, and the conflict will be resolved with a revision of its own.
        pushing[revision.key] = nil
        parked[revision.key] = revision
        count(revision)
    }

    private static let conflict = SyncError(.webSocket, 409, "conflict with the server's revision")

    /// The peer has a revision that is here, and that it was not known to have.
    func remoteAncestorMoved(_ documentID: String, to server: RevisionID, isConflictBranch: Bool) {
        guard let revision = parked[ExactString(documentID)] else { return }
        if isConflictBranch {
            parked[revision.key] = nil
            return finish(revision, .refused(Self.conflict))
        }
        let known = context.attempt { try collection.revision(revision.revision, of: documentID) }
        guard let known = known ?? nil, known.isCurrent else { return }
        if server == revision.revision {
            parked[revision.key] = nil
            finish(revision, .known)
        } else if known.history.contains(server), revision.proposalCount < Self.maximumProposals {
            parked[revision.key] = nil
            revision.serverRevision = server
            pushing[revision.key] = revision
            propose([revision])
        }
    }

    /// The connection has ended. What conflicts and has not been resolved is told; it will be proposed again by the next session.
    func disconnected() {
        noteSynced()
        for revision in parked.values.sorted(by: { $0.change.sequence < $1.change.sequence }) {
            let change = try? collection.change(of: revision.documentID, remote: nil)
            guard change?.revision == revision.revision else { continue }
            context.report(
                EndedDocument(
                    collection: collection.id,
                    documentID: revision.documentID,
                    isPush: true,
                    isDeleted: revision.change.isDeleted,
                    error: Self.conflict
                )
            )
        }
        parked.removeAll()
        for revision in pushing.values where revision.isSent {
            unanswered.insert(revision.documentID, revision.revision)
        }
    }
}

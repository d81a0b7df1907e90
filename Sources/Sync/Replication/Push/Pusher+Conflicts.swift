import Base
import DocumentStore
import SyncCore

extension Pusher {
    /// The maximum number of proposals of one revision. It prevents an endless loop with an inconsistent peer.
    private static let maximumProposals = 4

    /// Handles a conflict: the peer's current revision, which it may report, is not the assumed one (Replication 4.5).
    func conflicted(_ revision: PushedRevision, current: RevisionID?) {
        let id = revision.documentID
        let known: (change: LocalChange?, revision: OutgoingRevision?)
        do {
            known = (
                change: try collection.change(of: id, remote: replication.remote),
                revision: try collection.revision(revision.revision, of: id)
            )
        } catch {
            return finish(revision, outcome(ofReading: error), isReported: false)
        }
        guard let change = known.change, change.revision == revision.revision else { return finish(revision, .obsolete) }
        // An ancestor that was already recorded when the revision was proposed is not believed.
        let isKnown = change.remoteAncestor == revision.revision && revision.change.remoteAncestor != revision.revision
        if isKnown || current?.isSame(as: revision.revision) ?? false { return finish(revision, .known) }
        // If the peer's revision is an ancestor of the local one, there is no conflict: the proposal was outdated.
        for server in [current, change.remoteAncestor].compactMap({ $0 })
        where server != revision.serverRevision && Self.follows(server, change, known.revision)
            && revision.proposalCount < Self.maximumProposals
        {
            revision.serverRevision = server
            return propose([revision])
        }
        guard replication.session.pull != .disabled else { return finish(revision, .refused(Self.conflict)) }
        // The puller will receive the peer's revision. Resolving that conflict creates another revision, which is pushed instead.
        pushing[revision.key] = nil
        unanswered.remove(revision.key)
        parked[revision.key] = revision
        count(revision)
    }

    /// Returns whether a revision of the peer is an ancestor of the local one: the history of the local one has its ID; or it was received and is
    /// recorded as the peer's without being in conflict, because the local one has it by its name in trees (Version vectors 5.2).
    private static func follows(_ server: RevisionID, _ change: LocalChange, _ revision: OutgoingRevision?) -> Bool {
        if revision?.descends(from: server) ?? false { return true }
        guard case .version = change.revision else { return false }
        return change.remoteAncestor == server && !change.isConflicted
    }

    /// Returns how pushing a document ends that cannot be read. An error of the database ends the session, but a damaged document does not
    /// prevent the replication of others.
    private func outcome(ofReading error: any Error) -> PushedRevision.Outcome {
        let error = SyncError(error)
        guard error.concernsDatabase else { return .refused(error) }
        context.fail(error)
        return .postponed(error)
    }

    private static let conflict = SyncError(webSocket: .conflict, "conflict with the server's revision")

    /// Handles that the peer has a local revision that was not recorded as the peer's.
    func remoteAncestorMoved(_ documentID: String, to server: RevisionID, isConflictBranch: Bool) {
        guard let revision = parked[ExactString(documentID)] else { return }
        if isConflictBranch {
            parked[revision.key] = nil
            return finish(revision, .refused(Self.conflict))
        }
        let known: OutgoingRevision?
        do {
            known = try collection.revision(revision.revision, of: documentID)
        } catch {
            parked[revision.key] = nil
            return finish(revision, outcome(ofReading: error), isReported: false)
        }
        guard let known, known.isCurrent else { return }
        if server.isSame(as: revision.revision) {
            parked[revision.key] = nil
            finish(revision, .known)
        } else if known.descends(from: server), revision.proposalCount < Self.maximumProposals {
            parked[revision.key] = nil
            revision.serverRevision = server
            pushing[revision.key] = revision
            propose([revision])
        }
    }

    /// Handles that a revision of the peer was received with its name in trees, by which it may have turned out to be an ancestor of the local one
    /// (Version vectors 5.2). The local one is proposed again then.
    func namedRevisionArrived(_ documentID: String) {
        guard let revision = parked[ExactString(documentID)], revision.proposalCount < Self.maximumProposals else { return }
        let found: LocalChange?
        do {
            found = try collection.change(of: documentID, remote: replication.remote)
        } catch {
            parked[revision.key] = nil
            return finish(revision, outcome(ofReading: error), isReported: false)
        }
        guard let change = found, change.revision == revision.revision, !change.isConflicted, let server = change.remoteAncestor,
            server != revision.serverRevision
        else { return }
        parked[revision.key] = nil
        revision.serverRevision = server
        pushing[revision.key] = revision
        propose([revision])
    }

    /// Reports unresolved conflicts after the connection has ended. The next session proposes these revisions again.
    func disconnected() {
        unanswered.removeUnsent { pushing[$0]?.isSent == true }
        if !synced.isEmpty { noteSynced() }
        for revision in parked.values.sorted(by: { $0.change.sequence < $1.change.sequence }) {
            let change = try? collection.change(of: revision.documentID, remote: nil)
            guard change?.revision == revision.revision else { continue }
            context.report(ended(revision.change, Self.conflict))
        }
        parked.removeAll()
        // The stored list may also contain revisions that were not sent. An error is ignored: a listener misses an event at most.
        if unanswered.hasChanged { try? record([]) }
    }
}

import BLIP
import DocumentStore
import SyncCore

extension Pusher {
    /// Sends revisions that are wanted, as many as may be on their way.
    func sendRevisions() {
        if context.isOpen, window.hasRoom, !queue.isEmpty {
            context.attempt {
                try collection.withOneView {
                    while context.isOpen, window.hasRoom, let revision = queue.popFirst() { send(revision) }
                }
            }
        }
        guard !forbidden.isEmpty, isDoneButForForbidden else { return }
        for revision in forbidden { queue.append(revision) }
        forbidden.removeAll()
        sendRevisions()
    }

    private func send(_ revision: PushedRevision) {
        let order = RevisionSender.Order(
            documentID: revision.documentID,
            revision: revision.revision,
            sequence: revision.change.sequence,
            knownAncestors: revision.serverRevision.map { [$0] } ?? [],
            refusesConflicts: true,
            isWhole: revision.isWhole
        )
        switch sender.prepare(for: order, to: abilities) {
        case .revision(let message, _, let isDelta, let size, let blobs):
            revision.isDelta = isDelta
            revision.isSent = true
            revisionsInFlight += 1
            let ticket = window.send(size: size, at: context.now)
            context.offeredBlobs.add(blobs)
            context.send(message) { [unowned self] reply in
                context.offeredBlobs.remove(blobs, isReadable: false)
                window.answered(ticket, at: context.now)
                revisionsInFlight -= 1
                revision.isSent = false
                answered(revision, reply)
            }
        case .unavailable(let message, let error):
            context.send(message)
            switch (error.domain, error.code) {
            case (.webSocket, 404), (.webSocket, 410): finish(revision, .obsolete)
            // The database may be able to read it later.
            case (.liteCore, 16), (.posix, _), (.sqlite, _): finish(revision, .postponed(error))
            default: finish(revision, .refused(error))
            }
        }
    }

    private func answered(_ revision: PushedRevision, _ reply: IncomingReply) {
        guard let error = reply.error?.fromTheWire else { return finish(revision, .accepted) }
        switch (error.domain, error.code) {
        case (.webSocket, 403) where !revision.wasForbidden:
            // What forbids it may come with another document.
            revision.wasForbidden = true
            forbidden.append(revision)
        case (.webSocket, 422), (.liteCore, 31), (.liteCore, 32):
            guard revision.isDelta else { return finish(revision, .refused(error)) }
            revision.isWhole = true
            queue.prepend(revision)
        case (.webSocket, 409), (.liteCore, 8): conflicted(revision, current: nil)
        case (.webSocket, 503):
            finish(revision, .postponed(error))
            context.fail(error)
        default: finish(revision, error.passesForDocuments ? .postponed(error) : .refused(error))
        }
    }

    // MARK: The end

    /// Ends the pushing of a revision.
    ///
    /// - Parameter isReported: Whether an error is the document's own.
    func finish(_ revision: PushedRevision, _ outcome: PushedRevision.Outcome, isReported: Bool = true) {
        let id = revision.key
        pushing[id] = nil
        count(revision)
        switch outcome {
        case .accepted:
            complete(revision, isAtRemote: true)
            unanswered.remove(revision.documentID)
            reportPushed(revision.change)
        case .known:
            complete(revision, isAtRemote: true)
            reportIfUnanswered(revision.change)
        case .obsolete: complete(revision, isAtRemote: false)
        case .refused(let error):
            complete(revision, isAtRemote: false)
            context.report(ended(revision, error))
        case .postponed(let error):
            if isReported { context.report(ended(revision, error, isTransient: true)) }
            if revision.next == nil { postpone(revision) } else { owner.pusherCompleted(revision.change.sequence) }
        }
        guard let next = revision.next else { return }
        let isAtRemote =
            switch outcome {
            case .accepted, .known: true
            case .obsolete, .refused, .postponed: false
            }
        let successor = PushedRevision(next, serverRevision: isAtRemote ? revision.revision : next.remoteAncestor)
        pushing[id] = successor
        propose([successor])
    }

    /// Counts a revision as completed in the progress.
    func count(_ revision: PushedRevision) {
        guard !revision.isCounted else { return }
        revision.isCounted = true
        context.updateStatus { $0.completedDocuments += 1 }
    }

    private func complete(_ revision: PushedRevision, isAtRemote: Bool) {
        owner.pusherCompleted(revision.change.sequence)
        guard isAtRemote else { return }
        synced.append((revision.documentID, revision.revision))
        if synced.count >= 200 { noteSynced() }
    }

    /// Notes what the peer has now, in one transaction.
    func noteSynced() {
        guard !synced.isEmpty else { return }
        let revisions = synced
        synced.removeAll(keepingCapacity: true)
        context.attempt { try collection.markSynced(revisions, remote: remote) }
    }

    /// Counts and reports a revision that the peer has taken.
    private func reportPushed(_ change: LocalChange) {
        context.count { $0.pushed += 1 }
        guard options.reportsAllDocuments else { return }
        context.report(EndedDocument(collection: collection.id, documentID: change.documentID, isPush: true, isDeleted: change.isDeleted))
    }

    /// Reports a revision that the peer has if an earlier session has sent it, and could not tell.
    func reportIfUnanswered(_ change: LocalChange) {
        if unanswered.take(change.documentID, change.revision) { reportPushed(change) }
    }

    private func ended(_ revision: PushedRevision, _ error: SyncError, isTransient: Bool = false) -> EndedDocument {
        EndedDocument(
            collection: collection.id,
            documentID: revision.documentID,
            isPush: true,
            isDeleted: revision.change.isDeleted,
            error: error,
            isTransient: isTransient
        )
    }

    // MARK: Another time

    /// How long a continuous replication waits before it tries again what an error has put off that may pass.
    static let retryDelay = Duration.seconds(30)

    /// Keeps a revision for later. Its sequence stays incomplete, so that the next session finds it if this one does not get to it.
    private func postpone(_ revision: PushedRevision) {
        guard options.isContinuous else { return }
        postponed[revision.key] = revision
        guard retryTimer == nil else { return }
        retryTimer = context.after(Self.retryDelay) { [unowned self] in
            retryTimer = nil
            let revisions = postponed.values.sorted { $0.change.sequence < $1.change.sequence }
            postponed.removeAll()
            for revision in revisions { pushing[revision.key] = revision }
            for start in stride(from: 0, to: revisions.count, by: 200) {
                propose(Array(revisions[start..<min(start + 200, revisions.count)]))
            }
        }
    }
}

extension SyncError {
    /// Whether what was said of a document may pass (Replication 4.11). An internal error of a server is one of its scripts, or of the
    /// document: it will be the same next time.
    var passesForDocuments: Bool { isTransient && code != 500 }
}

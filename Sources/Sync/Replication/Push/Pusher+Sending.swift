import BLIP
import Base
import DocumentStore
import SyncCore

extension Pusher {
    /// Sends wanted revisions, as many as the window allows. They are recorded before, because the process may be killed before the
    /// responses arrive. This is one transaction for all that the peer has requested since.
    func sendRevisions() {
        if context.isOpen, window.hasRoom, !queue.isEmpty {
            if unanswered.lacksRevision { noteSynced() }
            context.attempt {
                try collection.withOneSnapshot {
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
        case .revision(let message, let isDelta, let size, let blobs):
            revision.isDelta = isDelta
            revision.isSent = true
            revisionsInFlight += 1
            let ticket = window.send(size: size, at: context.now)
            context.offeredBlobs.add(blobs)
            context.send(message) { [unowned self] reply in
                let lacksBlob = context.offeredBlobs.lacks(blobs)
                context.offeredBlobs.remove(blobs, isReadable: false)
                window.answered(ticket, at: context.now)
                revisionsInFlight -= 1
                revision.isSent = false
                answered(revision, reply, lacksBlob: lacksBlob)
            }
        case .unavailable(let message, let error):
            context.send(message)
            switch (error.domain, error.code) {
            case (.webSocket, 404), (.webSocket, 410): finish(revision, .obsolete)
            default: finish(revision, error.concernsDatabase ? .postponed(error) : .refused(error))
            }
        }
    }

    /// - Parameter lacksBlob: Whether the peer did not get a blob of the revision, because it could not be read here.
    private func answered(_ revision: PushedRevision, _ reply: IncomingReply, lacksBlob: Bool) {
        guard let error = reply.error?.fromTheWire else { return finish(revision, .accepted) }
        switch (error.domain, error.code) {
        case (.webSocket, 403) where !revision.wasForbidden:
            // A document that is pushed later may make the server accept it.
            revision.wasForbidden = true
            forbidden.append(revision)
        case _ where error.isAboutDelta:
            guard revision.isDelta else { return finish(revision, .refused(error)) }
            revision.isWhole = true
            queue.prepend(revision)
        case (.webSocket, 409), (.liteCore, EngineCode.conflict.rawValue): conflicted(revision, current: nil)
        case (.webSocket, 503):
            finish(revision, .postponed(error))
            context.fail(error)
        // Sync Gateway reports a missing blob as an internal error, whatever the reason is.
        default: finish(revision, lacksBlob || error.passesForDocuments ? .postponed(error) : .refused(error))
        }
    }

    // MARK: The end

    /// Ends pushing a revision.
    ///
    /// - Parameter isReported: Whether a `postponed` error is reported for the document. `false` if the error does not concern this
    ///   document only.
    func finish(_ revision: PushedRevision, _ outcome: PushedRevision.Outcome, isReported: Bool = true) {
        let id = revision.key
        pushing[id] = nil
        unanswered.remove(id)
        count(revision)
        switch outcome {
        case .accepted:
            unanswered.removeEarlier(id)
            complete(revision, isAtRemote: true)
            reportPushed(revision.change)
        case .known:
            complete(revision, isAtRemote: true)
            reportIfUnanswered(revision.change)
        case .obsolete: complete(revision, isAtRemote: false)
        case .refused(let error):
            complete(revision, isAtRemote: false)
            context.report(ended(revision.change, error))
        case .postponed(let error):
            if isReported { context.report(ended(revision.change, error, isTransient: true)) }
            if revision.next == nil { postpone(revision, error) } else { checkpointer.complete(revision.change.sequence) }
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

    func count(_ revision: PushedRevision) {
        guard !revision.isCounted else { return }
        revision.isCounted = true
        context.updateStatus { $0.completedDocuments += 1 }
    }

    private func complete(_ revision: PushedRevision, isAtRemote: Bool) {
        checkpointer.complete(revision.change.sequence)
        // After a reset, most revisions are recorded already.
        guard isAtRemote, revision.change.remoteAncestor != revision.revision else { return }
        synced.append(revision.change)
        if synced.count >= 200 { noteSynced() }
    }

    /// Records the revisions that the peer has, and the list of those that it may have received, in one transaction.
    func noteSynced() {
        guard !synced.isEmpty || unanswered.lacksRevision else { return }
        let changes = synced
        synced.removeAll(keepingCapacity: true)
        context.attempt { try record(changes) }
    }

    /// Records revisions that the peer has, and the list of unanswered revisions if it has changed. Reports damaged documents.
    func record(_ changes: [LocalChange]) throws {
        let list = unanswered.hasChanged ? (list: unanswered, checkpointName: checkpointer.name) : nil
        let revisions = changes.map { (documentID: $0.documentID, revision: $0.revision) }
        let damaged = try collection.markSynced(revisions, remote: replication.remote, unanswered: list)
        for (index, error) in damaged { context.report(ended(changes[index], SyncError(error))) }
        unanswered.noteStored()
    }

    /// Counts and reports a revision that the peer has stored.
    private func reportPushed(_ change: LocalChange) {
        context.count { $0.pushed += 1 }
        context.report(EndedDocument(collection: collection.id, documentID: change.documentID, isPush: true, isDeleted: change.isDeleted))
    }

    /// Reports a revision that the peer already has, if an earlier session sent it without receiving the response.
    func reportIfUnanswered(_ change: LocalChange) {
        if unanswered.remove(ExactString(change.documentID), change.revision) { reportPushed(change) }
    }

    /// Returns the report of a revision that was not pushed.
    func ended(_ change: LocalChange, _ error: SyncError, isTransient: Bool = false) -> EndedDocument {
        EndedDocument(
            collection: collection.id,
            documentID: change.documentID,
            isPush: true,
            isDeleted: change.isDeleted,
            error: error,
            isTransient: isTransient
        )
    }

    // MARK: Another time

    /// The delay before a continuous replication retries revisions that failed with a transient error.
    static let retryDelay = Duration.seconds(30)

    /// Keeps a revision for a retry. Its sequence stays incomplete, so that the next session pushes it if this one does not.
    private func postpone(_ revision: PushedRevision, _ error: SyncError) {
        guard replication.session.push == .continuous else {
            context.count { $0.postponed += 1 }
            return context.noteRefusal(error)
        }
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
    /// Whether the error of a document may disappear by itself (Replication 4.11). An internal server error is caused by a script or by the
    /// document, so it would occur again.
    var passesForDocuments: Bool { isTransient && code != 500 }
}

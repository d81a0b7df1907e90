import BLIP
import Base
import DocumentStore
import SyncCore

extension Puller {
    /// The maximum number of lists that wait for room. A correct peer sends at most five lists without waiting for responses.
    private static let maximumDelayedLists = 100

    /// Handles a list of changes (Replication 3.6).
    func handleChanges(_ request: IncomingRequest) {
        let rows: [ChangeRow]
        do throws(SyncError) {
            rows = try ChangeRow.rows(request.body, context.naming)
        } catch {
            context.respond(to: request, error: error)
            // The announced changes are unknown. If the session continued, they would be lost, because the next session would start after
            // them.
            return context.fail(SyncError(engine: .remoteError, error.message))
        }
        guard !rows.isEmpty else {
            context.respond(to: request)
            return caughtUp()
        }
        guard delayedListCount < Self.maximumDelayedLists else {
            return context.fail(SyncError(engine: .remoteError, "The peer sends changes without waiting for the responses"))
        }
        delayedListCount += 1
        window.whenRoom { [weak self] in
            guard let self else { return }
            delayedListCount -= 1
            answer(request, rows)
        }
    }

    private func answer(_ request: IncomingRequest, _ rows: [ChangeRow]) {
        guard let answers = context.attempt({ try answers(to: rows) }) else { return }
        let wantedCount = answers.count { if case .wanted = $0 { true } else { false } }
        let list = window.lists.add(wantedCount, at: context.now)
        for (row, answer) in zip(rows, answers) {
            if case .wanted = answer {
                receiver.expected.expect(row.sequence, of: row.documentID, in: list)
            } else {
                receiver.expected.skip(row.sequence)
                if row.revision != nil { receiver.expected.overtake(row.documentID) }
            }
        }
        context.updateStatus { $0.totalDocuments += UInt64(wantedCount) }
        updateEstimate { $0.note(rows, wantedCount: wantedCount) }
        context.log(.verbose, "\(collection.id.fullName): of \(rows.count) announced changes, \(wantedCount) are requested")
        var properties = Properties.receiving(context.naming)
        if replication.session.usesDeltas, !hasOfferedDeltas {
            properties["deltas"] = "true"
            hasOfferedDeltas = true
        }
        context.respond(
            to: request,
            with: OutgoingMessage(properties, body: ChangeAnswer.body(answers, context.naming), isCompressed: true)
        )
        watch()
        planProgress()
    }

    /// Returns the answer to each row. Also handles lost access and revisions that exist locally.
    private func answers(to rows: [ChangeRow]) throws -> [ChangeAnswer] {
        var answers = [ChangeAnswer](repeating: .notWanted, count: rows.count)
        var offers: [(index: Int, offer: OfferedRevision)] = []
        var lost: [(documentID: String, revision: RevisionID, isDeleted: Bool)] = []
        for (index, row) in rows.enumerated() {
            guard let offer = row.offer, DocumentIdentifier.isValid(row.documentID) else {
                let error =
                    row.offer == nil
                    ? SyncError(engine: .badRevisionID, "The peer's revision ID is invalid")
                    : SyncError(StoreError.invalidDocumentID(row.documentID))
                report(row.documentID, isDeleted: row.isDeleted, error: error)
                continue
            }
            if row.isAccessLost {
                lost.append((row.documentID, offer.revision, row.isDeleted))
            } else {
                offers.append((index, offer))
            }
        }
        try receiver.loseAccess(to: lost)
        for document in lost { report(document.documentID, isDeleted: document.isDeleted, isAccessRemoved: true) }
        let options = OfferOptions(remote: replication.remote, needsBodies: replication.session.usesDeltas)
        let compared = try collection.compare(offers.map(\.offer), options)
        for ((index, offer), answer) in zip(offers, compared) {
            switch answer {
            case .want(let ancestors): answers[index] = .wanted(ancestors)
            case .have(let isMoved, let isConflictBranch):
                guard isMoved || isConflictBranch else { break }
                post(.remoteAncestorMoved(documentID: offer.documentID, revision: offer.revision, isConflictBranch: isConflictBranch))
            case .conflict: answers[index] = .refused(409)
            }
        }
        return answers
    }
}

import BLIP
import Base
import DocumentStore
import SyncCore

/// Pushes the local changes of one collection to the peer (Replication 4.5): proposes them, sends the wanted revisions, and handles the
/// responses.
final class Pusher {
    let replication: CollectionReplication
    let window: SendWindow
    let sender: RevisionSender
    let checkpointer: Checkpointer

    var abilities = PeerAbilities()

    // State of the feed.
    private var cursor: ChangeCursor
    private(set) var hasStarted = false
    private var needsReading = false
    /// Whether the last read did not reach the end of the feed. While it is `true`, several lists may be in flight.
    private var isBehind = true
    private var hasNotifiedEnd = false

    // Revisions in flight.
    /// The revisions that have been proposed and are not completed yet, by document.
    var pushing: [ExactString: PushedRevision] = [:]
    private var listsInFlight = 0
    var queue = FIFO<PushedRevision>()
    var revisionsInFlight = 0
    /// The revisions that the peer has refused once with 403. They are retried after everything else.
    var forbidden: [PushedRevision] = []
    /// The revisions that conflict with a revision of the peer that the puller is expected to receive.
    var parked: [ExactString: PushedRevision] = [:]
    var postponed: [ExactString: PushedRevision] = [:]
    var retryTimer: SessionTimer?
    /// The documents whose changes must not be pushed for now: those in conflict, and those whose conflict was resolved during a one-shot
    /// run, until it has pulled everything (Replication 4.7).
    private var withheldDocuments: Set<ExactString> = []
    /// The sequences of changes of these documents.
    private var withheldSequences: [ExactString: UInt64] = [:]
    /// The revisions that the peer has and that are not recorded as such yet.
    var synced: [LocalChange] = []
    /// The revisions whose responses have not been received, and those that are about to be sent.
    var unanswered: UnansweredRevisions

    var context: SessionContext { replication.context }
    var collection: ReplicaCollection { replication.collection }

    /// - Parameter checkpointer: The checkpoint of the collection, in which completed sequences are noted.
    init(_ replication: CollectionReplication, window: SendWindow, checkpointer: Checkpointer) throws {
        self.replication = replication
        self.window = window
        self.checkpointer = checkpointer
        unanswered = try replication.context.database.unansweredRevisions(checkpointer.name)
        // Before the puller compares what the peer has.
        if replication.context.naming.usesVersions { try replication.collection.noteSent(unanswered, remote: replication.remote) }
        cursor = Self.cursor(replication, after: 0)
        sender = RevisionSender(
            replication.collection,
            index: replication.index,
            replication.context.naming,
            usesDeltas: replication.session.usesDeltas
        )
    }

    private static func cursor(_ replication: CollectionReplication, after position: UInt64) -> ChangeCursor {
        let documentIDs = replication.options.chosenDocumentIDs
        return ChangeCursor(replication.collection, after: position, documentIDs: documentIDs, remote: replication.remote)
    }

    /// Starts pushing the changes after the checkpoint, without revisions that are recorded as the peer's if these records are reliable
    /// (Replication 4.3).
    func start() {
        cursor = Self.cursor(replication, after: checkpointer.checkpoint.localMinimum)
        hasStarted = true
        needsReading = true
    }

    /// Whether there is work to do, or a response to wait for.
    var isBusy: Bool { !isDoneButForForbidden || !forbidden.isEmpty }

    var isDoneButForForbidden: Bool { !needsReading && listsInFlight == 0 && revisionsInFlight == 0 && queue.isEmpty }

    func checkForChanges() {
        if hasStarted { needsReading = true }
    }

    /// Does all work that is currently possible: reads changes within the budget, and sends revisions.
    func pump(_ budget: inout ReadingBudget) {
        guard hasStarted, context.isOpen else { return }
        while needsReading, listsInFlight < (isBehind ? window.maximumLists : 1), queue.count < window.maximumQueue,
            context.isOpen, budget.mayRead()
        {
            budget.spend(readChanges(), isFiltered: replication.options.pushFilter != nil)
        }
        sendRevisions()
        if !isBusy, !synced.isEmpty { noteSynced() }
    }

    // MARK: The feed

    /// The maximum number of documents in a list of changes (Replication 4.13).
    private static let batchSize = 200

    /// Reads and proposes the next changes. Returns the number of changes that were examined.
    private func readChanges() -> Int {
        noteSynced()
        let position = cursor.position
        let rows = replication.options.chosenDocumentIDs == nil ? Self.batchSize : ChangeCursor.sliceSize
        guard let slice = context.attempt({ try cursor.next(Self.batchSize, lookingAt: rows) }) else {
            needsReading = false
            return 0
        }
        needsReading = !slice.isEnd
        isBehind = needsReading
        var proposed: [PushedRevision] = []
        var pending: [UInt64] = []
        for change in slice.changes {
            if handle(change, &proposed) { pending.append(change.sequence) }
        }
        for (documentID, error) in slice.damaged { failedToRead(documentID, error) }
        if position < cursor.position { checkpointer.complete(position + 1..<cursor.position + 1, except: pending) }
        if !proposed.isEmpty {
            propose(proposed)
        } else if !needsReading, !hasNotifiedEnd {
            context.send(OutgoingMessage(proposalProperties, body: Array("[]".utf8), isUrgent: true, isNoReply: true))
        }
        if !needsReading { hasNotifiedEnd = true }
        // Chosen documents are looked up before they are returned.
        return max(slice.examinedCount, slice.changes.count)
    }

    /// Returns whether a change has to be pushed, and adds it to `proposed` if it has to be proposed now.
    private func handle(_ change: LocalChange, _ proposed: inout [PushedRevision]) -> Bool {
        let id = ExactString(change.documentID)
        // Superseded revisions do not occur in the feed anymore, so their sequences are completed.
        for superseded in [parked.removeValue(forKey: id), postponed.removeValue(forKey: id)] {
            if let superseded { checkpointer.complete(superseded.change.sequence) }
        }
        if let superseded = withheldSequences.removeValue(forKey: id) { checkpointer.complete(superseded) }
        guard isWanted(change) else { return false }
        if withheldDocuments.contains(id) {
            withheldSequences[id] = change.sequence
            return true
        }
        if let older = pushing[id] {
            if let between = older.next { checkpointer.complete(between.sequence) }
            older.next = change
            return true
        }
        // A remote ancestor that is not reliable may still be right, and does no harm if the peer has nothing of the document.
        let revision = PushedRevision(change, serverRevision: change.isAtRemote ? nil : change.remoteAncestor)
        pushing[id] = revision
        proposed.append(revision)
        return true
    }

    private func isWanted(_ change: LocalChange) -> Bool {
        if change.isExpired || checkpointer.isCompleted(change.sequence) { return false }
        if change.isAtRemote, checkpointer.trustsRemoteAncestor(of: change) {
            if change.remoteAncestor?.isSame(as: change.revision) ?? false { reportIfUnanswered(change) }
            return false
        }
        guard let filter = replication.options.pushFilter else { return true }
        do {
            return try collection.passes(change, filter) ?? false
        } catch {
            context.failed(toRead: ended(change, SyncError(error)))
            return false
        }
    }

    /// Withholds the changes of a document that is in conflict.
    func withhold(_ documentID: String) { withheldDocuments.insert(ExactString(documentID)) }

    /// Pushes the withheld change of a document after its conflict was settled.
    func release(_ documentID: String) {
        let key = ExactString(documentID)
        withheldDocuments.remove(key)
        guard let sequence = withheldSequences[key] else { return }
        let found: LocalChange?
        do {
            found = try collection.change(of: documentID, remote: replication.remote)
        } catch {
            // Its sequence stays incomplete, so that the next session examines the document again.
            return failedToRead(documentID, error)
        }
        // The feed will deliver the newer change.
        if let change = found, change.sequence > cursor.position { return }
        withheldSequences[key] = nil
        var proposed: [PushedRevision] = []
        guard let change = found, handle(change, &proposed) else { return checkpointer.complete(sequence) }
        if !proposed.isEmpty { propose(proposed) }
    }

    /// Pushes the result of a conflict that was settled in a one-shot run. A document that is still in conflict, because its resolver has
    /// failed, stays pending.
    func releaseResult(_ documentID: String) {
        do {
            guard try collection.change(of: documentID, remote: nil)?.isConflicted != true else { return }
        } catch {
            return failedToRead(documentID, error)
        }
        release(documentID)
    }

    private func failedToRead(_ documentID: String, _ error: any Error) {
        context.failed(toRead: EndedDocument(collection: collection.id, documentID: documentID, isPush: true, error: SyncError(error)))
    }

    // MARK: Proposals

    private var proposalProperties: Properties {
        var properties = Properties(Profile.proposeChanges, collection: replication.index)
        properties["conflictIncludesRev"] = "true"
        return properties
    }

    func propose(_ revisions: [PushedRevision]) {
        let rows = revisions.map { revision in
            if revision.proposalCount == 0 { context.updateStatus { $0.totalDocuments += 1 } }
            revision.proposalCount += 1
            return ProposalRow(
                documentID: revision.documentID,
                revision: revision.revision,
                versions: revision.change.versions,
                serverRevision: revision.serverRevision,
                bodySize: revision.change.bodySize
            )
        }
        context.log(.verbose, "\(collection.id.fullName): proposes \(rows.count) revisions")
        listsInFlight += 1
        let start = context.now
        let message = OutgoingMessage(proposalProperties, body: ProposalRow.json(rows, context.naming), isUrgent: true, isCompressed: true)
        context.send(message) { [unowned self] reply in
            listsInFlight -= 1
            window.note(roundTrip: max(context.now - start, .milliseconds(1)), at: context.now)
            answered(revisions, reply)
        }
    }

    private func answered(_ revisions: [PushedRevision], _ reply: IncomingReply) {
        do throws(SyncError) {
            if let error = reply.error { throw error.fromTheWire }
            abilities.learn(from: reply.properties)
            let answers = try ProposalReply.parse(reply.body, count: revisions.count, context.naming)
            for (revision, answer) in zip(revisions, answers) { handle(answer, to: revision) }
        } catch {
            context.taskFailed(error)
            for revision in revisions { finish(revision, .postponed(error), isReported: false) }
        }
    }

    private func handle(_ answer: ProposalReply, to revision: PushedRevision) {
        switch answer {
        case .wanted:
            unanswered.insert(revision.key, revision.revision)
            queue.append(revision)
        case .known: finish(revision, .known)
        case .conflict(let current): conflicted(revision, current: current)
        case .refused(let status): finish(revision, .refused(SyncError(.webSocket, status, "the server refused the revision")))
        }
    }
}

/// Limits how many changes the pushers of a session examine in one turn, so that other events, such as the end of the session, are handled
/// in between.
struct ReadingBudget {
    /// The cost of a turn: the number of changes that are examined without a filter.
    private static let total = ChangeCursor.sliceSize
    /// The cost of a change for which a filter of the app is called. The filter needs the body, and may be slow.
    private static let costOfFilter = 5

    private var remaining: Int
    /// Whether a pusher has more to read than the budget allows.
    private(set) var isExceeded = false

    /// - Parameter isEmpty: Whether nothing may be read in this turn.
    init(isEmpty: Bool) { remaining = isEmpty ? 0 : Self.total }

    /// Returns whether a pusher may read its next changes. They may exceed the budget by one list.
    mutating func mayRead() -> Bool {
        if remaining <= 0 { isExceeded = true }
        return remaining > 0
    }

    mutating func spend(_ count: Int, isFiltered: Bool) { remaining -= isFiltered ? count * Self.costOfFilter : count }
}

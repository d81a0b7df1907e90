import BLIP
import DocumentStore
import ExactStrings
import LogCore
import SyncCore

/// What a pusher tells the rest of its session.
protocol PusherOwner: AnyObject {
    /// The changes in this range have been read from the feed; those with `pending` sequences are to be pushed, the others need not be.
    func pusherRead(_ range: Range<UInt64>, pending: [UInt64])
    /// A change has been pushed, or never will be.
    func pusherCompleted(_ sequence: UInt64)
    /// Whether a change was completed in an earlier session.
    func isCompleted(_ sequence: UInt64) -> Bool
    /// Whether a document is not to be pushed for now, because it is in conflict, or its conflict was resolved by a one-shot run.
    func isWithheld(_ documentID: String) -> Bool
}

/// Sends the local changes of one collection to the peer (Replication 4.5): proposes them, sends the revisions that are wanted, and
/// deals with what the peer says of each.
final class Pusher {
    struct Options {
        var isContinuous: Bool
        /// Whether conflicts can be expected to come from the peer, and be resolved.
        var isPulling: Bool
        var usesDeltas: Bool
        var reportsAllDocuments: Bool
        var documentIDs: [String]?
        var filter: RevisionFilter?
    }

    let context: SessionContext
    let collection: ReplicaCollection
    let remote: Int
    let options: Options
    let window: SendWindow
    let sender: RevisionSender
    unowned let owner: any PusherOwner
    private let collectionIndex: String?

    var abilities = PeerAbilities()
    /// Whether what the peer is remembered to have can be relied on (Replication 4.3).
    private var trustsRemoteAncestors = true

    // The feed.
    private var cursor: ChangeCursor
    private(set) var hasStarted = false
    private var needsReading = false
    /// Whether the end of the feed has not been reached since it was last read in full lists.
    private var isBehind = true
    private var hasToldEnd = false
    /// Whether the feed is read on with a timer.
    private var isReadingPlanned = false

    // What is in flight.
    /// The revisions that have been proposed and have not come to an end, by document.
    var pushing: [ExactString: PushedRevision] = [:]
    private var listsInFlight = 0
    var queue = FIFO<PushedRevision>()
    var revisionsInFlight = 0
    /// Those that the peer has forbidden once; they are tried again after everything else.
    var forbidden: [PushedRevision] = []
    /// Those that conflict with a revision of the peer's, which is expected to come.
    var parked: [ExactString: PushedRevision] = [:]
    /// Those that will be tried again after a while.
    var postponed: [ExactString: PushedRevision] = [:]
    var retryTimer: SessionTimer?
    /// The sequences of changes that are not to be pushed for now, by document; see ``PusherOwner/isWithheld(_:)``.
    var withheld: [ExactString: UInt64] = [:]
    /// Revisions that the peer is known to have now, as is still to be noted.
    var synced: [(documentID: String, revision: RevisionID)] = []
    /// Revisions that an earlier session has sent without learning whether the peer has taken them.
    var unanswered = UnansweredRevisions()

    init(
        _ context: SessionContext,
        _ collection: ReplicaCollection,
        index: Int?,
        remote: Int,
        options: Options,
        window: SendWindow,
        owner: any PusherOwner
    ) {
        self.context = context
        self.collection = collection
        self.remote = remote
        self.options = options
        self.window = window
        self.owner = owner
        cursor = ChangeCursor(collection, after: 0, documentIDs: options.documentIDs, remote: remote)
        sender = RevisionSender(collection: collection, index: index, usesDeltas: options.usesDeltas)
        collectionIndex = index.map { String($0) }
    }

    /// Begins with the changes behind a sequence.
    ///
    /// - Parameters:
    ///   - trustsRemoteAncestors: Whether what the peer is remembered to have need not be proposed.
    ///   - unanswered: What an earlier session has sent without learning whether the peer has taken it.
    func start(since: UInt64, trustsRemoteAncestors: Bool, unanswered: UnansweredRevisions = UnansweredRevisions()) {
        cursor = ChangeCursor(collection, after: since, documentIDs: options.documentIDs, remote: remote)
        self.unanswered = unanswered
        self.trustsRemoteAncestors = trustsRemoteAncestors
        hasStarted = true
        needsReading = true
    }

    /// Whether there is something to do, or an answer to wait for.
    var isBusy: Bool {
        needsReading || listsInFlight > 0 || revisionsInFlight > 0 || !queue.isEmpty || !forbidden.isEmpty
    }

    /// Whether everything has been done but what was forbidden.
    var isDoneButForForbidden: Bool {
        !needsReading && listsInFlight == 0 && revisionsInFlight == 0 && queue.isEmpty
    }

    /// There may be new changes.
    func lookForChanges() {
        if hasStarted { needsReading = true }
    }

    /// Does what can be done: reads changes, and sends revisions.
    func pump() {
        guard hasStarted, context.isOpen else { return }
        var skipped = 0
        while needsReading, !isReadingPlanned, listsInFlight < (isBehind ? window.maximumLists : 1),
            queue.count < window.maximumQueue, context.isOpen
        {
            guard skipped < maximumSkipped else {
                readMoreSoon()
                break
            }
            skipped += readChanges()
        }
        sendRevisions()
        if !isBusy, !synced.isEmpty { noteSynced() }
    }

    // MARK: The feed

    /// How many documents a list of changes has at most (Replication 4.13).
    private static let batchSize = 200

    /// How many changes that need not be pushed are looked at before others have their turn: the end of the session, say. A filter of the
    /// app's takes as long as it likes.
    private var maximumSkipped: Int { options.filter == nil ? ChangeCursor.sliceSize : Self.batchSize }

    private func readMoreSoon() {
        isReadingPlanned = true
        // The session pumps after every event.
        _ = context.after(.zero) { [unowned self] in isReadingPlanned = false }
    }

    /// Reads and proposes the next changes.
    ///
    /// - Returns: How many were looked at that are not proposed.
    private func readChanges() -> Int {
        noteSynced()
        let position = cursor.position
        let rows = options.documentIDs == nil ? Self.batchSize : ChangeCursor.sliceSize
        guard let slice = context.attempt({ try cursor.next(Self.batchSize, lookingAt: rows) }) else {
            needsReading = false
            return 0
        }
        needsReading = !slice.isEnd
        isBehind = needsReading
        var proposed: [PushedRevision] = []
        var pending: [UInt64] = []
        for change in slice.changes where take(change, &proposed) { pending.append(change.sequence) }
        if position < cursor.position { owner.pusherRead(position + 1..<cursor.position + 1, pending: pending) }
        if !proposed.isEmpty {
            propose(proposed)
        } else if !needsReading, !hasToldEnd {
            context.send(OutgoingMessage(proposalProperties, body: Array("[]".utf8), isUrgent: true, isNoReply: true))
        }
        if !needsReading { hasToldEnd = true }
        return slice.lookedAt - proposed.count
    }

    /// Decides what is to be done about a change.
    ///
    /// - Returns: Whether it is to be pushed.
    private func take(_ change: LocalChange, _ proposed: inout [PushedRevision]) -> Bool {
        let id = ExactString(change.documentID)
        // Their revisions are current no more, so that nobody will look for their sequences.
        for superseded in [parked.removeValue(forKey: id), postponed.removeValue(forKey: id)] {
            if let superseded { owner.pusherCompleted(superseded.change.sequence) }
        }
        if let superseded = withheld.removeValue(forKey: id) { owner.pusherCompleted(superseded) }
        guard isWanted(change) else { return false }
        if owner.isWithheld(change.documentID) {
            withheld[id] = change.sequence
            return true
        }
        if let older = pushing[id] {
            if let between = older.next { owner.pusherCompleted(between.sequence) }
            older.next = change
            return true
        }
        let revision = PushedRevision(change, serverRevision: trustsRemoteAncestors ? change.remoteAncestor : nil)
        pushing[id] = revision
        proposed.append(revision)
        return true
    }

    private func isWanted(_ change: LocalChange) -> Bool {
        if change.isExpired || owner.isCompleted(change.sequence) { return false }
        if trustsRemoteAncestors, change.isAtRemote {
            if change.remoteAncestor == change.revision { reportIfUnanswered(change) }
            return false
        }
        guard let filter = options.filter else { return true }
        return context.attempt { try collection.passes(change, filter) ?? false } ?? false
    }

    /// The conflict of a document is settled: what was withheld of it may be pushed.
    func release(_ documentID: String) {
        let key = ExactString(documentID)
        guard let sequence = withheld[key],
            let found = context.attempt({ try collection.change(of: documentID, remote: remote) })
        else { return }
        // A newer change comes with the feed.
        if let change = found, change.sequence > cursor.position { return }
        withheld[key] = nil
        var proposed: [PushedRevision] = []
        guard let change = found, take(change, &proposed) else { return owner.pusherCompleted(sequence) }
        if !proposed.isEmpty { propose(proposed) }
    }

    // MARK: Proposals

    private var proposalProperties: Properties {
        var properties: Properties = ["Profile": Profile.proposeChanges]
        properties["collection"] = collectionIndex
        properties["conflictIncludesRev"] = "true"
        return properties
    }

    /// Asks the peer which of these it wants.
    func propose(_ revisions: [PushedRevision]) {
        let rows = revisions.map { revision in
            if revision.proposalCount == 0 { context.updateStatus { $0.totalDocuments += 1 } }
            revision.proposalCount += 1
            return ProposalRow(
                documentID: revision.documentID,
                revision: revision.revision,
                serverRevision: revision.serverRevision,
                bodySize: revision.change.bodySize
            )
        }
        context.log(.verbose, "\(collection.id.fullName): proposes \(rows.count) revisions")
        listsInFlight += 1
        let start = context.now
        let message = OutgoingMessage(proposalProperties, body: ProposalRow.json(rows), isUrgent: true, isCompressed: true)
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
            let answers = try ProposalReply.parse(reply.body, count: revisions.count)
            for (revision, answer) in zip(revisions, answers) { take(answer, to: revision) }
        } catch {
            context.taskFailed(error)
            for revision in revisions { finish(revision, .postponed(error), isReported: false) }
        }
    }

    private func take(_ answer: ProposalReply, to revision: PushedRevision) {
        switch answer {
        case .wanted: queue.append(revision)
        case .known: finish(revision, .known)
        case .conflict(let current): conflicted(revision, current: current)
        case .refused(let status):
            finish(revision, .refused(SyncError(.webSocket, status, "the server refuses the revision")))
        }
    }
}

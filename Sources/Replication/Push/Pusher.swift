import BLIP
import DocumentStore
import LogCore

/// What a pusher tells the rest of its session.
protocol PusherOwner: AnyObject {
    /// The changes in this range have been read from the feed; those with `pending` sequences are to be pushed, the others need not be.
    func pusherRead(_ range: Range<UInt64>, pending: [UInt64])
    /// A change has been pushed, or never will be.
    func pusherCompleted(_ sequence: UInt64)
    /// Whether a change was completed in an earlier session.
    func isCompleted(_ sequence: UInt64) -> Bool
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
        var documentIDs: Set<String>?
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
    private var since: UInt64 = 0
    private(set) var hasStarted = false
    private var needsReading = false
    /// Whether the end of the feed has not been reached since it was last read in full lists.
    private var isBehind = true
    private var hasToldEnd = false

    // What is in flight.
    /// The revisions that have been proposed and have not come to an end, by document.
    var pushing: [String: PushedRevision] = [:]
    private var listsInFlight = 0
    var queue = FIFO<PushedRevision>()
    var revisionsInFlight = 0
    /// Those that the peer has forbidden once; they are tried again after everything else.
    var forbidden: [PushedRevision] = []
    /// Those that conflict with a revision of the peer's, which is expected to come.
    var parked: [String: PushedRevision] = [:]
    /// Those that will be tried again after a while.
    var postponed: [String: PushedRevision] = [:]
    var retryTimer: SessionTimer?
    /// Revisions that the peer is known to have now, as is still to be noted.
    var synced: [(documentID: String, revision: RevisionID)] = []

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
        sender = RevisionSender(collection: collection, index: index, usesDeltas: options.usesDeltas)
        collectionIndex = index.map { String($0) }
    }

    /// Begins with the changes behind a sequence.
    ///
    /// - Parameter trustsRemoteAncestors: Whether what the peer is remembered to have need not be proposed.
    func start(since: UInt64, trustsRemoteAncestors: Bool) {
        self.since = since
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
        while needsReading, listsInFlight < (isBehind ? window.maximumLists : 1), queue.count < window.maximumQueue,
            context.isOpen
        {
            readChanges()
        }
        sendRevisions()
        if !isBusy, !synced.isEmpty { noteSynced() }
    }

    // MARK: The feed

    /// How many documents a list of changes has at most (Replication 4.13).
    private static let batchSize = 200

    private func readChanges() {
        noteSynced()
        guard
            let changes = context.attempt({
                try collection.changes(after: since, limit: Self.batchSize, remote: remote)
            })
        else {
            needsReading = false
            return
        }
        needsReading = changes.count == Self.batchSize
        isBehind = needsReading
        var proposed: [PushedRevision] = []
        if let last = changes.last {
            var pending: [UInt64] = []
            for change in changes where take(change, &proposed) { pending.append(change.sequence) }
            owner.pusherRead(since + 1..<last.sequence + 1, pending: pending)
            since = last.sequence
        }
        if !proposed.isEmpty {
            propose(proposed)
        } else if !needsReading, !hasToldEnd {
            context.send(OutgoingMessage(proposalProperties, body: Array("[]".utf8), isUrgent: true, isNoReply: true))
        }
        if !needsReading { hasToldEnd = true }
    }

    /// Decides what is to be done about a change.
    ///
    /// - Returns: Whether it is to be pushed.
    private func take(_ change: LocalChange, _ proposed: inout [PushedRevision]) -> Bool {
        let id = change.documentID
        // Their revisions are current no more, so that nobody will look for their sequences.
        for superseded in [parked.removeValue(forKey: id), postponed.removeValue(forKey: id)] {
            if let superseded { owner.pusherCompleted(superseded.change.sequence) }
        }
        guard isWanted(change) else { return false }
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
        if let ids = options.documentIDs, !ids.contains(change.documentID) { return false }
        if trustsRemoteAncestors, change.isAtRemote { return false }
        guard let filter = options.filter else { return true }
        return context.attempt { try collection.passes(change, filter) ?? false } ?? false
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
            if revision.proposalCount == 0 { context.updateStatus { $0.totalUnits += revision.units } }
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
        let message = OutgoingMessage(
            proposalProperties,
            body: ProposalRow.json(rows),
            isUrgent: true,
            isCompressed: true
        )
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

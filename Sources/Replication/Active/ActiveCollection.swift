import BLIP
import DocumentStore
import ExactStrings
import LogCore

/// What an active session does about one collection.
final class ActiveCollection {
    let options: CollectionOptions
    let checkpointer: Checkpointer
    private var pusher: Pusher?
    private var puller: Puller?
    private let context: SessionContext
    private let collection: ReplicaCollection
    private let isPushingContinuously: Bool
    /// The documents whose conflicts have been reported and not been settled.
    private var unsettled: Set<ExactString> = []
    /// The documents whose conflicts have been settled in this session: what a resolver makes in a one-shot run is pushed by the next one
    /// (Replication 4.7).
    private var settled: Set<ExactString> = []
    /// What was sent by earlier sessions and not answered, as it is stored.
    private var storedUnanswered = UnansweredRevisions()
    private var hasBegun = false
    /// Whether there may be changes that were pulled, or made while conflicts were resolved, since the pusher read the feed.
    private var hasNews = false

    init(
        _ context: SessionContext,
        _ collection: ReplicaCollection,
        index: Int?,
        options: CollectionOptions,
        session: ActiveOptions,
        remote: Int,
        windows: (send: SendWindow, pull: PullWindow)
    ) throws {
        self.context = context
        self.collection = collection
        self.options = options
        isPushingContinuously = session.push == .continuous
        checkpointer = try Checkpointer(context, session, options, index: index)
        if session.push != .disabled {
            pusher = Pusher(
                context,
                collection,
                index: index,
                remote: remote,
                options: Pusher.Options(
                    isContinuous: session.push == .continuous,
                    isPulling: session.pull != .disabled,
                    usesDeltas: session.usesDeltas,
                    reportsAllDocuments: session.reportsAllDocuments,
                    documentIDs: options.documentIDs.flatMap { $0.isEmpty ? nil : $0 },
                    filter: options.pushFilter
                ),
                window: windows.send,
                owner: self
            )
            checkpointer.willSave = { [unowned self] in pusher?.noteSynced() }
            storedUnanswered = try context.database.unansweredRevisions(checkpointer.name)
        }
        if session.pull != .disabled {
            puller = Puller(
                context,
                collection,
                window: windows.pull,
                options: Puller.Options(
                    collectionIndex: index,
                    remote: remote,
                    isContinuous: session.pull == .continuous,
                    usesDeltas: session.usesDeltas,
                    purgesOnLostAccess: session.purgesOnLostAccess,
                    reportsAllDocuments: session.reportsAllDocuments,
                    channels: options.channels,
                    documentIDs: options.documentIDs,
                    filter: options.pullFilter
                ),
                owner: self
            )
        }
    }

    var id: CollectionID { collection.id }

    /// Begins to push and pull.
    ///
    /// - Parameter isConfirmed: Whether the peer's checkpoint does not contradict ours.
    func begin(isConfirmed: Bool) {
        guard !hasBegun else { return }
        hasBegun = true
        logBeginning(isConfirmed: isConfirmed)
        // A feed takes a while to come.
        puller?.start(since: checkpointer.checkpoint.remote)
        pusher?.start(since: checkpointer.checkpoint.localMinimum, trustsRemoteAncestors: isConfirmed, unanswered: storedUnanswered)
    }

    private func logBeginning(isConfirmed: Bool) {
        let checkpoint = checkpointer.checkpoint
        let beginning =
            switch (checkpointer.hasLocalCopy, isConfirmed) {
            case (false, _): "without a checkpoint"
            case (true, true): "with its checkpoint"
            case (true, false): "with a checkpoint that the remote does not have,"
            }
        let sequences = "after local sequence \(checkpoint.localMinimum), remote \(checkpoint.remote?.json ?? "none")"
        context.log(.info, "\(id.fullName) begins \(beginning) \(sequences)")
    }

    /// Whether there is something to do, or somebody to wait for; saving the checkpoint does not count.
    var isBusy: Bool {
        !hasBegun || !unsettled.isEmpty || pusher?.isBusy == true || puller?.isBusy == true
    }

    func pump() {
        pusher?.pump()
    }

    /// There may be changes to push. A one-shot replication pushes what there was when it began.
    func databaseChanged() {
        if isPushingContinuously { pusher?.lookForChanges() }
    }

    /// Has the pusher read the feed once more at the end of a one-shot replication, for the checkpoint: what was pulled needs no pushing,
    /// and what came of conflicts is left for the next run.
    ///
    /// - Returns: Whether there was a reason to.
    func readNews() -> Bool {
        guard hasNews, let pusher else { return false }
        hasNews = false
        pusher.lookForChanges()
        return true
    }

    /// Handles a request about the collection; false if it is none that is expected.
    func handle(_ request: IncomingRequest) -> Bool {
        puller?.handle(request) ?? false
    }

    func disconnected() {
        puller?.disconnected()
        guard let pusher else { return }
        pusher.disconnected()
        guard hasBegun, pusher.unanswered != storedUnanswered else { return }
        // Without it a listener misses an event; that is no reason to fail.
        try? context.database.setUnansweredRevisions(pusher.unanswered, checkpointer.name)
    }

    // MARK: Conflicts

    /// Reports the conflicts that an earlier replication has left behind.
    func reportStoredConflicts() throws {
        for documentID in try collection.conflictedDocuments() { conflictArrived(documentID: documentID) }
    }

    func conflictSettled(_ documentID: String) {
        let key = ExactString(documentID)
        guard unsettled.remove(key) != nil else { return }
        hasNews = true
        guard isPushingContinuously else {
            settled.insert(key)
            return
        }
        pusher?.release(documentID)
        databaseChanged()
    }
}

extension ActiveCollection: PusherOwner {
    func pusherRead(_ range: Range<UInt64>, pending: [UInt64]) {
        checkpointer.change { checkpoint in
            checkpoint.completed.insert(range)
            for sequence in pending { checkpoint.completed.remove(sequence) }
        }
    }

    func pusherCompleted(_ sequence: UInt64) {
        checkpointer.change { $0.completed.insert(sequence) }
    }

    func isCompleted(_ sequence: UInt64) -> Bool {
        checkpointer.checkpoint.completed.contains(sequence)
    }

    func isWithheld(_ documentID: String) -> Bool {
        guard !unsettled.isEmpty || !settled.isEmpty else { return false }
        let key = ExactString(documentID)
        return unsettled.contains(key) || settled.contains(key)
    }
}

extension ActiveCollection: PullerOwner {
    func pullerAdvanced(to sequence: RemoteSequence?) {
        hasNews = true
        checkpointer.change { $0.remote = sequence }
    }

    func pullerStateChanged() {}

    func remoteAncestorMoved(documentID: String, revision: RevisionID, isConflictBranch: Bool) {
        pusher?.remoteAncestorMoved(documentID, to: revision, isConflictBranch: isConflictBranch)
    }

    func conflictArrived(documentID: String) {
        guard unsettled.insert(ExactString(documentID)).inserted else { return }
        context.report(.conflict(collection: collection.id, documentID: documentID))
    }
}

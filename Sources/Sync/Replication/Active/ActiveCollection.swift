import BLIP
import Base
import DocumentStore
import SyncCore

/// The replication of one collection in an active session.
final class ActiveCollection {
    let checkpointer: Checkpointer
    private var pusher: Pusher?
    private var puller: Puller?
    private let replication: CollectionReplication
    /// The documents whose conflicts have been reported and not settled yet.
    private var unsettled: Set<ExactString> = []
    /// The documents in which another conflict arrived while the one before was being resolved.
    private var conflictedAgain: Set<ExactString> = []
    /// The documents whose conflicts were settled in a one-shot run, which pushes the results after everything was pulled.
    private var settled: [String] = []
    private var hasBegun = false
    /// Whether there may be changes, pulled or made by resolving conflicts, that the pusher has not read from the feed yet.
    private var mayHaveNewChanges = false

    init(_ replication: CollectionReplication, windows: (send: SendWindow, pull: PullWindow)) throws {
        self.replication = replication
        checkpointer = try Checkpointer(replication)
        if replication.session.push != .disabled {
            pusher = try Pusher(replication, window: windows.send, checkpointer: checkpointer)
        }
        if replication.session.pull != .disabled {
            puller = Puller(replication, window: windows.pull, post: { [unowned self] in handle($0) })
        }
    }

    var id: CollectionID { replication.collection.id }

    private var isPushingContinuously: Bool { replication.session.push == .continuous }

    /// Starts pushing and pulling. `isConfirmed` is whether the peer's checkpoint agrees with the local one, or there is no local one.
    func begin(isConfirmed: Bool) {
        guard !hasBegun else { return }
        hasBegun = true
        logBeginning(isConfirmed: isConfirmed)
        // The puller starts first, because the peer needs time to send its feed.
        puller?.start(since: checkpointer.checkpoint.remote)
        pusher?.start()
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
        replication.context.log(.info, "\(id.fullName) begins \(beginning) \(sequences)")
    }

    /// Whether there is work to do, or a response to wait for. Saving the checkpoint does not count.
    var isBusy: Bool { !hasBegun || !unsettled.isEmpty || pusher?.isBusy == true || puller?.isBusy == true }

    /// Reads changes to push within the budget, and sends revisions.
    func pump(_ budget: inout ReadingBudget) { pusher?.pump(&budget) }

    /// Notes that there may be changes to push. A one-shot replication only pushes the changes that existed when it began.
    func databaseChanged() {
        if isPushingContinuously { pusher?.checkForChanges() }
    }

    /// Makes the pusher read the feed again when a one-shot replication has pulled everything and all conflicts are settled: the results of
    /// resolvers are pushed, and the checkpoint covers the sequences of pulled changes.
    ///
    /// - Returns: Whether there may be changes to read.
    func checkForNewChanges() -> Bool {
        guard mayHaveNewChanges, let pusher else { return false }
        mayHaveNewChanges = false
        let documentIDs = settled
        settled.removeAll()
        for documentID in documentIDs { pusher.releaseResult(documentID) }
        pusher.checkForChanges()
        return true
    }

    /// Handles a request for the collection. Returns `false` if the request is not expected.
    func handle(_ request: IncomingRequest) -> Bool { puller?.handle(request) ?? false }

    /// Saves the checkpoint if it has changed, after what it relies on was recorded.
    func saveCheckpoint() { checkpointer.save { pusher?.noteSynced() } }

    func disconnected() {
        puller?.disconnected()
        pusher?.disconnected()
    }

    // MARK: Conflicts

    /// Reports the conflicts that earlier replications have left unresolved.
    func reportStoredConflicts() throws {
        for documentID in try replication.collection.conflictedDocuments() { conflictArrived(documentID) }
    }

    func conflictSettled(_ documentID: String) {
        guard unsettled.remove(ExactString(documentID)) != nil else { return }
        mayHaveNewChanges = true
        if conflictedAgain.remove(ExactString(documentID)) != nil {
            do {
                // The resolver may have known the later revision already.
                if try replication.collection.conflict(in: documentID) != nil { return conflictArrived(documentID) }
            } catch {
                // The changes of the document stay withheld, because it may still be in conflict.
                let document = EndedDocument(collection: id, documentID: documentID, isPush: false, error: SyncError(error))
                return replication.context.failed(toRead: document)
            }
        }
        guard isPushingContinuously else { return settled.append(documentID) }
        pusher?.release(documentID)
        databaseChanged()
    }

    private func conflictArrived(_ documentID: String) {
        guard unsettled.insert(ExactString(documentID)).inserted else {
            conflictedAgain.insert(ExactString(documentID))
            return
        }
        pusher?.withhold(documentID)
        replication.context.report(.conflict(collection: id, documentID: documentID))
    }

    // MARK: Events of the puller

    private func handle(_ event: Puller.Event) {
        switch event {
        case .advanced(let sequence):
            mayHaveNewChanges = true
            checkpointer.change { $0.remote = sequence }
        case .remoteAncestorMoved(let documentID, let revision, let isConflictBranch):
            pusher?.remoteAncestorMoved(documentID, to: revision, isConflictBranch: isConflictBranch)
        case .namedRevisionArrived(let documentID): pusher?.namedRevisionArrived(documentID)
        case .conflict(let documentID): conflictArrived(documentID)
        }
    }
}

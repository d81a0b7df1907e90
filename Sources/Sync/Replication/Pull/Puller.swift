import BLIP
import DocumentStore
import SyncCore

/// Pulls one collection from the passive side of a connection (Replication 4.6).
///
/// It subscribes to the changes of the peer, requests missing revisions and stores them. It posts events to the session.
final class Puller {
    let replication: CollectionReplication
    let window: PullWindow
    /// Takes the events, most of which are found while frames are handled that arrive later.
    let post: (Event) -> Void
    let receiver: RevisionReceiver

    private var estimate = PullEstimate()
    private var postedSince: RemoteSequence?
    private var isProgressPlanned = false
    private var hasStarted = false
    private var isSubscribed = false
    private var isCaughtUp = false
    private var hasStopped = false
    /// The number of lists of changes that wait for room.
    var delayedListCount = 0
    /// Whether a response has told the peer that deltas are accepted.
    var hasOfferedDeltas = false
    private var watchdog: SessionTimer?

    /// What a session has to know about a pull.
    enum Event {
        /// All sequences of the peer up to this one are completed. The next session can start after it.
        case advanced(to: RemoteSequence?)
        /// The peer has a revision that exists locally and was not recorded as the peer's (Replication 4.4). It may be on a branch that lost
        /// against the current revision.
        case remoteAncestorMoved(documentID: String, revision: RevisionID, isConflictBranch: Bool)
        /// A revision that is not in conflict with the local one was received with its name in trees (Version vectors 7.6).
        case namedRevisionArrived(documentID: String)
        /// A revision that conflicts with the local one has been stored.
        case conflict(documentID: String)
    }

    /// The maximum time without any received frame while revisions are awaited, and without any of the revisions that the peer should send
    /// next. Sync Gateway 2.0 sends no `norev` if it cannot send a revision (Replication 5.4).
    static let timeout = Duration.seconds(60)

    var context: SessionContext { replication.context }
    var collection: ReplicaCollection { replication.collection }

    init(_ replication: CollectionReplication, window: PullWindow, post: @escaping (Event) -> Void) {
        self.replication = replication
        self.window = window
        self.post = post
        let receiving = RevisionReceiver.Options(
            remote: replication.remote,
            allowsConflicts: true,
            purgesOnLostAccess: replication.session.purgesOnLostAccess,
            filter: replication.options.pullFilter
        )
        receiver = RevisionReceiver(
            replication.context,
            replication.collection,
            collectionIndex: replication.index,
            options: receiving
        )
        receiver.owner = self
    }

    /// Subscribes to the changes of the peer after a sequence that is completed; `nil` pulls everything.
    func start(since: RemoteSequence?) {
        hasStarted = true
        receiver.expected = ExpectedSequences(since: since)
        postedSince = since
        estimate = PullEstimate(since: since)
        let options = replication.options
        let wantsAll = options.documentIDs?.isEmpty ?? true
        if wantsAll { learn(lastSequence: context.handshake.lastSequence) }
        guard let isEmpty = context.attempt({ try since == nil && collection.isEmpty() }) else { return }
        var request = SubChangesRequest(collection: replication.index, since: since)
        request.isContinuous = replication.session.pull == .continuous
        // An empty collection does not need earlier deletions.
        request.skipsTombstones = isEmpty
        request.versioning = context.naming.versioning
        request.channels = options.channels
        request.documentIDs = options.documentIDs
        request.wantsLastSequence = wantsAll
        context.send(request.message) { [weak self] reply in self?.subscribed(reply) }
    }

    private func subscribed(_ reply: IncomingReply) {
        isSubscribed = true
        learn(lastSequence: reply.properties[PullEstimate.property].flatMap { UInt64($0) })
        if let error = reply.error {
            hasStopped = true
            context.taskFailed(error.fromTheWire.explained(to: context.naming))
        }
    }

    /// Handles a request of the peer. Returns `false` if the request is not for a puller.
    func handle(_ request: IncomingRequest) -> Bool {
        switch request.profile {
        case Profile.changes: handleChanges(request)
        case Profile.rev: handleRevision(request)
        case Profile.norev: handleUnavailable(request)
        default: return false
        }
        return true
    }

    /// Whether there is work to do, or a message outstanding that the peer must send.
    var isBusy: Bool { hasStarted && !hasStopped && (!isSubscribed || !isCaughtUp || isWorking) }

    private var isWorking: Bool { receiver.expected.awaitedCount > 0 || delayedListCount > 0 || receiver.isBusy }

    func disconnected() {
        receiver.disconnected()
        window.disconnected()
    }

    func caughtUp() {
        isCaughtUp = true
        updateEstimate { $0.end() }
    }

    func report(
        _ documentID: String,
        isDeleted: Bool = false,
        isAccessRemoved: Bool = false,
        error: SyncError? = nil,
        isTransient: Bool = false
    ) {
        if error == nil { context.count { $0.addPulled(isRemoved: isDeleted || isAccessRemoved) } }
        context.report(
            EndedDocument(
                collection: collection.id,
                documentID: documentID,
                isPush: false,
                isDeleted: isDeleted,
                isAccessRemoved: isAccessRemoved,
                error: error,
                isTransient: isTransient
            )
        )
    }

    // MARK: Revisions

    private func handleRevision(_ request: IncomingRequest) {
        if request.properties["error"] != nil { return handleUnavailable(request) }
        let message: RevisionMessage
        do throws(SyncError) {
            message = try RevisionMessage(request.properties, context.naming)
        } catch {
            context.respond(to: request, error: error)
            return giveUp(request.properties, error)
        }
        guard !request.isTooLarge else {
            context.respond(to: request, error: SyncError.documentTooLarge)
            return giveUp(request.properties, SyncError.documentTooLarge)
        }
        guard let sequence = message.sequence else {
            return context.respond(to: request, error: SyncError(http: .badRequest, "The property 'sequence' is missing"))
        }
        guard let list = receiver.expected.arrive(sequence)?.list else {
            return context.respond(to: request, error: SyncError(http: .badRequest, "The revision was not requested"))
        }
        window.arrived(size: request.body.count, of: list, at: context.now)
        receiver.receive(request, message)
    }

    /// Handles an announced revision that the peer cannot send: a `norev`, or a `rev` with an error from an old peer (Replication 3.9).
    private func handleUnavailable(_ request: IncomingRequest) {
        context.respond(to: request)
        guard request.profile == Profile.rev else { return giveUp(request.properties, nil) }
        let reason = request.properties["reason"] ?? "The peer cannot send the revision"
        giveUp(request.properties, SyncError(webSocket: .badGateway, reason))
    }

    /// Completes a revision that will not be received properly.
    private func giveUp(_ properties: Properties, _ error: SyncError?) {
        guard let sequence = properties["sequence"].flatMap({ RemoteSequence(property: $0) }),
            let (documentID, list) = receiver.expected.arrive(sequence)
        else { return }
        receiver.expected.complete(sequence)
        window.gaveUp(list, at: context.now)
        context.updateStatus { $0.completedDocuments += 1 }
        // The message may lack the document ID.
        if let error { report(documentID, error: error.fromTheWire) }
        planProgress()
    }

    // MARK: Progress

    private func learn(lastSequence: UInt64?) {
        if let lastSequence, !isCaughtUp { updateEstimate { $0.last = lastSequence } }
    }

    /// Changes the estimate and updates the status of the session, which contains the sum of all pullers.
    func updateEstimate(_ change: (inout PullEstimate) -> Void) {
        let before = estimate.remaining
        change(&estimate)
        let after = estimate.remaining
        guard before != after else { return }
        context.updateStatus { $0.estimatedDocuments = $0.estimatedDocuments - before + after }
    }

    /// Schedules posting the progress after the current event.
    func planProgress() {
        guard !isProgressPlanned else { return }
        isProgressPlanned = true
        context.later { [weak self] in
            guard let self else { return }
            isProgressPlanned = false
            receiver.storeIfIdle()
            if receiver.expected.since != postedSince {
                postedSince = receiver.expected.since
                post(.advanced(to: receiver.expected.since))
            }
        }
    }

    /// Starts a watchdog, so that the pull does not wait forever.
    func watch() {
        guard watchdog == nil, receiver.expected.awaitedCount > 0 else { return }
        wait(Self.timeout)
    }

    private func wait(_ time: Duration) {
        let due = context.now + time
        watchdog = context.after(time) { [weak self] in
            guard let self else { return }
            watchdog = nil
            guard receiver.expected.awaitedCount > 0 else { return }
            // The peer may have sent the revisions while the process was suspended. They are received from now on.
            if context.now - due > SessionContext.suspensionDelay { window.lists.progressTime = context.now }
            let idle = context.now - window.lists.progressTime
            guard idle >= Self.timeout else { return wait(Self.timeout - idle) }
            guard context.now - context.lastFrameTime < Self.timeout else {
                return context.fail(SyncError(network: .timeout, "The peer does not send the revisions it announced"))
            }
            if context.isReceivingRequest || window.lists.isProcessingOldest {
                // A long revision is being received, or the peer waits for the responses to revisions whose blobs are being fetched.
                window.lists.progressTime = context.now
            } else {
                giveUp(window.lists.oldest)
            }
            watch()
        }
    }

    /// Stops waiting for the revisions of a list that the peer has passed over, if it is a list of this puller.
    ///
    /// The peer announces them again only in the next session. So in a continuous session, these documents are missing until the replicator
    /// connects again, or until they change at the peer.
    private func giveUp(_ list: Int) {
        let error = SyncError(network: .timeout, "The peer did not send the revision it announced")
        for documentID in receiver.expected.failAwaited(in: list) {
            context.note(error)
            window.gaveUp(list, at: context.now)
            context.updateStatus { $0.completedDocuments += 1 }
            report(documentID, error: error, isTransient: true)
        }
        planProgress()
    }
}

extension Puller: RevisionReceiverOwner {
    func ended(_ revision: IncomingRevision, _ outcome: RevisionOutcome) {
        let message = revision.message
        guard let sequence = message.sequence, let list = receiver.expected.list(of: sequence) else { return }
        switch outcome {
        case .stored(let isConflict):
            receiver.expected.complete(sequence)
            if isConflict {
                post(.conflict(documentID: message.documentID))
            } else {
                report(message.documentID, isDeleted: message.isDeleted)
                if message.treeName != nil { post(.namedRevisionArrived(documentID: message.documentID)) }
            }
        case .accessRemoved:
            receiver.expected.complete(sequence)
            report(message.documentID, isDeleted: message.isDeleted, isAccessRemoved: true)
        case .refused(let error):
            receiver.expected.complete(sequence)
            report(message.documentID, isDeleted: message.isDeleted, error: error)
        case .failed(let error):
            receiver.expected.fail(sequence)
            report(message.documentID, isDeleted: message.isDeleted, error: error, isTransient: true)
        case .awaitsFullRevision:
            receiver.expected.awaitAgain(sequence)
            window.lists.awaitAgain(list, at: context.now)
            return watch()
        }
        window.lists.end(list)
        context.updateStatus { $0.completedDocuments += 1 }
        planProgress()
    }
}

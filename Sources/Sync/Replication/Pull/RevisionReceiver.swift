import BLIP
import Base
import DocumentStore
import SyncCore

/// A received revision that has not been processed yet.
struct IncomingRevision {
    let request: IncomingRequest
    let message: RevisionMessage
    /// The memory of a long history. In the properties of the request it takes much less.
    fileprivate let memory: MemoryReservation?
}

/// The result of processing a received revision.
enum RevisionOutcome {
    /// The revision is in the database. It may have been there before.
    case stored(isConflict: Bool)
    /// The user has lost access to the document.
    case accessRemoved
    /// The revision will never be stored, even if it is received again.
    case refused(SyncError)
    /// The revision could not be stored this time.
    case failed(SyncError)
    /// The delta could not be applied. The peer will send the complete revision.
    case awaitsFullRevision
}

/// The owner of a ``RevisionReceiver``: an active or a passive puller.
protocol RevisionReceiverOwner: AnyObject {
    /// Called when a revision has been processed and its request was responded to.
    func ended(_ revision: IncomingRevision, _ outcome: RevisionOutcome)
}

/// Receives revisions from a peer: reads their bodies, fetches their blobs, stores them in batches and responds (Replication 4.6). Used by
/// active and passive pullers.
final class RevisionReceiver {
    struct Options {
        /// The number of the peer as a remote; `nil` if it is not a remote.
        var remote: Int?
        /// Whether conflicting revisions are stored, unless the request forbids it.
        var allowsConflicts: Bool
        /// Whether documents that the user lost access to are purged.
        var purgesOnLostAccess = false
        /// The maximum size of a stored body in bytes; `nil` for no limit.
        var maximumDocumentSize: Int?
        /// The maximum size of a blob in bytes; `nil` for no limit.
        var maximumBlobSize: UInt64?
        /// Returns whether a revision is stored. `nil` stores all revisions.
        var filter: RevisionFilter?
        /// What the client of a passive session may store. `nil` allows all.
        var access: PassiveAccess?
        /// Whether revisions are refused for the same reasons and with the same errors as by Sync Gateway.
        var standsInForSyncGateway = false
    }

    /// The maximum number of revisions in a transaction, and the time they wait for more (Replication 4.13).
    static let batchSize = 100
    static let batchDelay = Duration.milliseconds(20)
    /// The maximum number of revisions that wait for blobs. Further revisions are queued unprocessed.
    static let maximumWaitingForBlobs = 100
    /// The number of revisions in a history from which its memory is counted.
    private static let longHistory = 16

    let collection: ReplicaCollection
    let context: SessionContext
    let options: Options
    let reader: BodyReader
    let fetcher: BlobFetcher
    weak var owner: (any RevisionReceiverOwner)?

    /// The sequences that an active puller expects. Empty on the passive side: clients push in any order, and a revision that arrives late
    /// is refused as a conflict.
    var expected = ExpectedSequences(since: nil)
    /// The number of revisions that a client was told are wanted and has not sent yet.
    var expectedCount = 0

    private var waiting = FIFO<IncomingRevision>()
    var waitingForBlobsCount = 0
    private(set) var batch: [ReadRevision] = []
    private var batchTimer: SessionTimer?
    private var isCheckPlanned = false

    init(_ context: SessionContext, _ collection: ReplicaCollection, collectionIndex: Int?, options: Options) {
        self.context = context
        self.collection = collection
        self.options = options
        reader = BodyReader(file: collection.database.file)
        fetcher = BlobFetcher(context, collectionIndex: collectionIndex, maximumSize: options.maximumBlobSize)
    }

    var isBusy: Bool { !waiting.isEmpty || waitingForBlobsCount > 0 || !batch.isEmpty }

    /// Processes a revision. The response is sent after it was stored with its blobs, or has failed.
    func receive(_ request: IncomingRequest, _ message: RevisionMessage) {
        var memory: MemoryReservation?
        if message.history.count >= Self.longHistory {
            let reservation = MemoryReservation(context.connection.memory)
            guard context.reserve(message.history.count * MemoryLayout<RevisionID>.stride, in: reservation) else { return }
            memory = reservation
        }
        let revision = IncomingRevision(request: request, message: message, memory: memory)
        guard waiting.isEmpty, waitingForBlobsCount < Self.maximumWaitingForBlobs else { return waiting.append(revision) }
        process(revision)
    }

    func disconnected() {
        waiting = FIFO()
        batch.removeAll()
        waitingForBlobsCount = 0
        fetcher.disconnected()
    }

    func processWaiting() {
        while waitingForBlobsCount < Self.maximumWaitingForBlobs, let revision = waiting.popFirst() { process(revision) }
    }

    /// - Parameter isNew: Whether the revision was not stored before.
    func end(_ revision: IncomingRevision, _ outcome: RevisionOutcome, isNew: Bool = true) {
        switch outcome {
        case .stored where !isNew && context.naming.usesVersions && !options.standsInForSyncGateway:
            // Version vectors 6.6. Sync Gateway does not say so (7.3).
            context.respond(to: revision.request, with: OutgoingMessage(["noop": "true"]))
        case .stored, .accessRemoved: context.respond(to: revision.request)
        case .refused(let error), .failed(let error):
            context.respond(
                to: revision.request,
                error: options.standsInForSyncGateway ? SyncGatewayAnswers.error(error.forPeer) : error.forPeer
            )
        case .awaitsFullRevision: break
        }
        owner?.ended(revision, outcome)
    }

    // MARK: Storing

    /// Adds a revision whose blobs exist to the next transaction.
    func add(_ revision: ReadRevision) {
        if let sequence = revision.incoming.message.sequence { expected.overtake(before: sequence) }
        batch.append(revision)
        if batch.count >= Self.batchSize { return storeBatch() }
        if batchTimer == nil {
            batchTimer = context.after(Self.batchDelay) { [weak self] in
                self?.batchTimer = nil
                self?.storeBatch()
            }
        }
        guard !isCheckPlanned else { return }
        isCheckPlanned = true
        context.later { [weak self] in self?.storeIfIdle() }
    }

    /// Stores the batch, unless more revisions are expected.
    func storeIfIdle() {
        isCheckPlanned = false
        guard waitingForBlobsCount == 0, waiting.isEmpty, expected.awaitedCount == 0, expectedCount == 0 else { return }
        storeBatch()
    }

    func storeBatch() {
        guard !batch.isEmpty else { return }
        if let batchTimer { context.cancel(batchTimer) }
        batchTimer = nil
        let revisions = batch
        batch.removeAll()
        do {
            let outcomes = try collection.insert(
                revisions.map { revision in
                    var received = revision.received
                    received.isOvertaken = revision.incoming.message.sequence.map { expected.isOvertaken($0) } ?? false
                    return received
                },
                remote: options.remote,
                requiresBlobs: true,
                access: options.access
            )
            context.log(.verbose, "\(collection.id.fullName): \(revisions.count) revisions stored")
            for (revision, outcome) in zip(revisions, outcomes) { end(revision, outcome) }
        } catch {
            let error = SyncError(error)
            context.fail(error)
            for revision in revisions { end(revision.incoming, .failed(error)) }
        }
    }

    private func end(_ revision: ReadRevision, _ outcome: InsertOutcome) {
        switch outcome {
        case .inserted(_, let isConflict): end(revision.incoming, .stored(isConflict: isConflict))
        case .known, .ignoredAsLate: end(revision.incoming, .stored(isConflict: false), isNew: false)
        case .lacksBlobs: fetchBlobs(of: revision)
        case .failed(let error): end(revision.incoming, .refused(error))
        }
    }
}

extension SyncError {
    /// The error in the form in which it is sent to a peer.
    fileprivate var forPeer: SyncError {
        // Sync Gateway and its clients use the status 400 for an invalid document ID.
        isEngine(.badDocID) ? SyncError(http: .badRequest, message) : self
    }
}

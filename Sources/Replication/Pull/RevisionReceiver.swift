import BLIP
import DocumentStore
import Fleece
import LogCore
import SyncCore

/// A revision that has come and has not been dealt with.
struct IncomingRevision {
    let request: IncomingRequest
    let message: RevisionMessage
}

/// What has become of a revision that has come.
enum RevisionOutcome {
    /// It is here, now or already.
    case stored(isConflict: Bool)
    /// The user may not see the document any more.
    case accessRemoved
    /// It will not be stored, whenever it comes again.
    case refused(SyncError)
    /// It could not be stored this time.
    case failed(SyncError)
    /// Its delta was of no use: the peer sends the whole revision now.
    case comesAgain
}

/// What a ``RevisionReceiver`` works for: an active or a passive puller.
protocol RevisionReceiverOwner: AnyObject {
    /// A revision has been dealt with, and answered.
    func ended(_ revision: IncomingRevision, _ outcome: RevisionOutcome)
    /// Whether more revisions are on their way, so that it is worth while to wait for them before storing what is here.
    var expectsMoreRevisions: Bool { get }
    /// The blobs of a revision are here: it is about to be stored.
    func willStore(_ revision: IncomingRevision)
    /// Whether the peer has announced a later revision of the document, which is here or about to be stored.
    func isOvertaken(_ revision: IncomingRevision) -> Bool
}

/// Takes revisions from a peer: reads their bodies, fetches their blobs, stores them in batches and answers (Replication 4.6).
/// Active and passive pullers share it.
final class RevisionReceiver {
    struct Options {
        /// The number of the peer as a remote; nil when it is none.
        var remote: Int?
        /// Whether revisions that conflict are stored, unless they say that they must not be.
        var allowsConflicts: Bool
        /// Whether documents are purged to which access was lost.
        var purgesOnLostAccess = false
        /// The largest body that is stored, in bytes; nil for any.
        var maximumDocumentSize: Int?
        /// Says of each revision whether it is to be stored.
        var filter: RevisionFilter?
    }

    /// Revisions stored in one transaction, and how long they wait for others (Replication 4.13).
    static let batchSize = 100
    static let batchDelay = Duration.milliseconds(20)
    /// Revisions that wait for blobs. Others wait as they came.
    static let maximumWaitingForBlobs = 100

    let collection: ReplicaCollection
    let context: SessionContext
    let options: Options
    let reader: BodyReader
    let fetcher: BlobFetcher
    private weak var owner: (any RevisionReceiverOwner)?

    /// Revisions that have come and have not been looked at.
    private var waiting: [IncomingRevision] = []
    var waitingForBlobsCount = 0
    /// What the next transaction stores.
    private(set) var batch: [ReadRevision] = []
    private var batchTimer: SessionTimer?
    private var isCheckPlanned = false

    init(
        _ context: SessionContext,
        _ collection: ReplicaCollection,
        collectionIndex: Int?,
        options: Options,
        owner: any RevisionReceiverOwner
    ) {
        self.context = context
        self.collection = collection
        self.options = options
        self.owner = owner
        reader = BodyReader(file: collection.database.file)
        fetcher = BlobFetcher(context, collectionIndex: collectionIndex)
    }

    /// Whether there are revisions that have not been dealt with.
    var isBusy: Bool { !waiting.isEmpty || waitingForBlobsCount > 0 || !batch.isEmpty }

    /// Takes a revision. It is answered when it is stored with its blobs, or cannot be.
    func receive(_ revision: IncomingRevision) {
        guard waiting.isEmpty, waitingForBlobsCount < Self.maximumWaitingForBlobs else { return waiting.append(revision) }
        process(revision)
    }

    /// Forgets everything: the connection has ended.
    func disconnected() {
        waiting.removeAll()
        batch.removeAll()
        waitingForBlobsCount = 0
        fetcher.disconnected()
    }

    func processWaiting() {
        while !waiting.isEmpty, waitingForBlobsCount < Self.maximumWaitingForBlobs {
            process(waiting.removeFirst())
        }
    }

    func end(_ revision: IncomingRevision, _ outcome: RevisionOutcome) {
        switch outcome {
        case .stored, .accessRemoved: context.respond(to: revision.request)
        case .refused(let error), .failed(let error): context.respond(to: revision.request, error: error.forPeer)
        case .comesAgain: break
        }
        owner?.ended(revision, outcome)
    }

    // MARK: Storing

    /// Has a revision stored whose blobs are here.
    func add(_ revision: ReadRevision) {
        owner?.willStore(revision.incoming)
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
        context.later { [weak self] in self?.storeIfNothingElseComes() }
    }

    /// Stores what has come, unless there is reason to wait for more.
    func storeIfNothingElseComes() {
        isCheckPlanned = false
        guard waitingForBlobsCount == 0, waiting.isEmpty, owner?.expectsMoreRevisions != true else { return }
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
                    received.isOvertaken = owner?.isOvertaken(revision.incoming) == true
                    return received
                },
                remote: options.remote,
                requiresBlobs: true
            )
            context.log(.verbose, "\(collection.id.fullName): \(revisions.count) revisions are stored")
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
        case .known, .ignoredAsLate: end(revision.incoming, .stored(isConflict: false))
        case .lacksBlobs: fetchBlobs(of: revision)
        case .failed(let error): end(revision.incoming, .refused(error))
        }
    }
}

extension SyncError {
    /// The form in which a peer is told of an error with one of its documents.
    fileprivate var forPeer: SyncError {
        // A Sync Gateway knows this as a bad request, and so do its clients.
        domain == .liteCore && code == 29 ? SyncError(.http, 400, message) : self
    }
}

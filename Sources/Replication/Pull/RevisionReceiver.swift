import BLIP
import DocumentStore
import Fleece

/// A revision that has come and has not been dealt with.
struct IncomingRevision {
    let request: IncomingRequest
    let message: RevisionMessage
    /// What it counts in the progress: bytes, as announced.
    var units: UInt64 = 0
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
        /// Says of each revision whether it is to be stored.
        var filter: RevisionFilter?
    }

    /// Revisions stored in one transaction, and how long they wait for others (Replication 4.13).
    static let batchSize = 100
    static let batchDelay = Duration.milliseconds(20)
    /// Revisions that wait for blobs. Others wait as they came.
    static let maximumWaitingForBlobs = 100

    let collection: ReplicaCollection
    private let context: SessionContext
    private let options: Options
    private let reader: BodyReader
    private let fetcher: BlobFetcher
    private weak var owner: (any RevisionReceiverOwner)?

    /// Revisions that have come and have not been looked at.
    private var waiting: [IncomingRevision] = []
    private var waitingForBlobsCount = 0
    /// What the next transaction stores.
    private var batch: [(revision: IncomingRevision, received: ReceivedRevision)] = []
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
        guard waiting.isEmpty, waitingForBlobsCount < Self.maximumWaitingForBlobs else {
            return waiting.append(revision)
        }
        process(revision)
    }

    /// Forgets everything: the connection has ended.
    func disconnected() {
        waiting.removeAll()
        batch.removeAll()
        waitingForBlobsCount = 0
        fetcher.disconnected()
    }

    private func processWaiting() {
        while !waiting.isEmpty, waitingForBlobsCount < Self.maximumWaitingForBlobs {
            process(waiting.removeFirst())
        }
    }

    private func end(_ revision: IncomingRevision, _ outcome: RevisionOutcome) {
        switch outcome {
        case .stored, .accessRemoved: context.respond(to: revision.request)
        case .refused(let error), .failed(let error): context.respond(to: revision.request, error: error.forPeer)
        case .comesAgain: break
        }
        owner?.ended(revision, outcome)
    }

    // MARK: The body

    private func process(_ revision: IncomingRevision) {
        let message = revision.message
        do throws(SyncError) {
            guard DocumentIdentifier.isValid(message.documentID) else {
                throw SyncError(StoreError.invalidDocumentID(message.documentID))
            }
            guard let content = try content(of: revision) else { return }
            switch content {
            case .accessRemoved:
                try loseAccess(to: message.documentID, message.revision, isDeleted: message.isDeleted)
                end(revision, .accessRemoved)
            case .body(let body):
                try checkFilter(message, body.body)
                try fetchBlobs(of: revision, body)
            }
        } catch {
            end(revision, .refused(error))
        }
    }

    /// The body of a revision; nil when it was a delta, and the peer has been asked for the whole.
    private func content(of revision: IncomingRevision) throws(SyncError) -> ReceivedContent? {
        let message = revision.message
        guard let base = message.deltaBase else { return try reader.content(json: revision.request.body) }
        guard let (old, keys) = try body(of: base, message.documentID) else {
            // One that must not conflict would, for its base is not the current revision.
            if message.refusesConflicts || !options.allowsConflicts {
                throw SyncError(.webSocket, 409, "The base of the delta is not here")
            }
            return askForWhole(revision, SyncError(.liteCore, 31, "The base of the delta is not here"))
        }
        do throws(SyncError) {
            return try reader.content(delta: revision.request.body, base: old, sharedKeys: keys)
        } catch {
            guard error.domain == .liteCore, error.code == 32 else { throw error }
            return askForWhole(revision, error)
        }
    }

    private func body(of base: RevisionID, _ documentID: String) throws(SyncError) -> (FleeceData, SharedKeys)? {
        do {
            if let body = try collection.body(of: base, documentID: documentID) { return body }
            // It may have come a moment ago.
            guard batch.contains(where: { $0.received.documentID == documentID }) else { return nil }
            storeBatch()
            return try collection.body(of: base, documentID: documentID)
        } catch {
            throw SyncError(error)
        }
    }

    private func askForWhole(_ revision: IncomingRevision, _ error: SyncError) -> ReceivedContent? {
        context.respond(to: revision.request, error: error)
        end(revision, .comesAgain)
        return nil
    }

    private func checkFilter(_ message: RevisionMessage, _ body: OwnedBody) throws(SyncError) {
        guard let filter = options.filter else { return }
        let revision = FilteredRevision(
            documentID: message.documentID,
            revision: message.revision,
            isDeleted: message.isDeleted,
            body: body.data,
            sharedKeys: body.keys
        )
        guard filter(revision) else { throw SyncError(.webSocket, 403, "rejected by the pull filter") }
    }

    /// Purges a document that the user may not see any more, if that is wanted and the filter does not object.
    func loseAccess(to documentID: String, _ revision: RevisionID, isDeleted: Bool) throws(SyncError) {
        guard options.purgesOnLostAccess else { return }
        let filtered = FilteredRevision(
            documentID: documentID,
            revision: revision,
            isDeleted: isDeleted,
            isAccessRemoved: true,
            body: .emptyDictionary,
            sharedKeys: .empty
        )
        guard options.filter?(filtered) ?? true else { return }
        // What came before is stored before, so that nothing of the document comes back.
        storeBatch()
        do {
            _ = try collection.purge(documentID)
        } catch {
            throw SyncError(error)
        }
    }

    // MARK: Blobs

    private func fetchBlobs(of revision: IncomingRevision, _ body: IncomingBody) throws(SyncError) {
        let message = revision.message
        let received = ReceivedRevision(
            documentID: message.documentID,
            revision: message.revision,
            history: message.history,
            isDeleted: message.isDeleted,
            body: body.body,
            allowsConflict: options.allowsConflicts && !message.refusesConflicts
        )
        var missing: [BlobReference] = []
        for blob in body.blobs {
            do throws(BlobError) {
                if try fetcher.isStored(blob) { continue }
            } catch {
                return end(revision, .failed(SyncError(error)))
            }
            guard body.listedDigests?.contains(blob.digest) ?? true else {
                throw SyncError(.liteCore, 7, "The blob \(blob.digest.string) is not among the document's attachments")
            }
            missing.append(blob)
        }
        guard !missing.isEmpty else { return add(revision, received) }

        waitingForBlobsCount += 1
        let wait = BlobWait(count: missing.count)
        for blob in missing {
            fetcher.fetch(blob, of: message.documentID) { [weak self] outcome in
                guard wait.end(with: outcome) else { return }
                self?.blobsEnded(revision, received, failure: wait.failure)
            }
        }
    }

    private func blobsEnded(_ revision: IncomingRevision, _ received: ReceivedRevision, failure: BlobFetcher.Outcome?) {
        waitingForBlobsCount -= 1
        switch failure {
        case .refused(let error): end(revision, error.isTransient ? .failed(error) : .refused(error))
        case .failed(let error):
            context.taskFailed(error)
            end(revision, .failed(error))
        case .stored, nil: add(revision, received)
        }
        processWaiting()
    }

    // MARK: Storing

    private func add(_ revision: IncomingRevision, _ received: ReceivedRevision) {
        batch.append((revision, received))
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

    private func storeBatch() {
        guard !batch.isEmpty else { return }
        if let batchTimer { context.cancel(batchTimer) }
        batchTimer = nil
        let revisions = batch
        batch.removeAll()
        do {
            let outcomes = try collection.insert(revisions.map(\.received), remote: options.remote)
            for ((revision, _), outcome) in zip(revisions, outcomes) { end(revision, RevisionOutcome(outcome)) }
        } catch {
            let error = SyncError(error)
            context.fail(error)
            for (revision, _) in revisions { end(revision, .failed(error)) }
        }
    }
}

/// Counts down the blobs that a revision waits for.
private final class BlobWait {
    private var count: Int
    /// What the first of them that failed met.
    private(set) var failure: BlobFetcher.Outcome?

    init(count: Int) {
        self.count = count
    }

    /// Notes what has become of one; true when it was the last.
    func end(with outcome: BlobFetcher.Outcome) -> Bool {
        if case .stored = outcome {} else if failure == nil { failure = outcome }
        count -= 1
        return count == 0
    }
}

extension RevisionOutcome {
    fileprivate init(_ outcome: InsertOutcome) {
        self =
            switch outcome {
            case .inserted(_, let isConflict): .stored(isConflict: isConflict)
            case .known, .ignoredAsLate: .stored(isConflict: false)
            case .failed(let error): .refused(error)
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

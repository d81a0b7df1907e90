import BLIP
import DocumentStore
import SyncCore

/// Fetches the blobs that received revisions refer to (Replication 3.10, 4.9). Active and passive sides share it.
///
/// Several are fetched side by side, each content once at a time. What has come whole is in the store at once, and stays there
/// whatever becomes of the connection and of the revision: the next attempt need not fetch it again.
final class BlobFetcher {
    /// What has become of a blob.
    enum Outcome {
        case stored
        /// The peer does not deliver it, or something else in its place.
        case refused(SyncError)
        /// It could not be stored here. That says nothing about the document.
        case failed(SyncError)
    }

    typealias Completion = (Outcome) -> Void

    private struct Order {
        let documentID: String
        let blob: BlobReference
        let completion: Completion
    }

    private let context: SessionContext
    private let collectionIndex: Int?
    /// Who waits for a blob. A peer gives it on account of one document at a time: that of the first.
    private var orders: [BlobDigest: [Order]] = [:]
    /// The blobs that are not being fetched yet.
    private var queue: [BlobDigest] = []
    private var activeCount = 0

    /// More are not fetched side by side: each takes a file descriptor.
    static let maximumActive = 32
    /// The same for all sessions of the process.
    static let permits = WorkPermits(count: 256)
    /// How long to wait for one of those.
    private static let pause = Duration.milliseconds(50)
    /// A blob of which nothing has come for so long is given up, for now: others wait for its place.
    static let patience = Duration.seconds(120)

    private var isWaitingForPermit = false

    init(_ context: SessionContext, collectionIndex: Int?) {
        self.context = context
        self.collectionIndex = collectionIndex
    }

    private var blobs: BlobStore { context.database.blobs }

    /// Whether the blob is here. A file of another size than the document says was cut short by a crash.
    ///
    /// - Throws: `BlobError`.
    func isStored(_ blob: BlobReference) throws(BlobError) -> Bool {
        guard let size = try blobs.size(of: blob.digest) else { return false }
        return blob.length.map { $0 == size } ?? true
    }

    /// Fetches a blob on account of a document whose revision has come and has not been answered: before and after that, a Sync
    /// Gateway does not give it.
    ///
    /// - Parameter completion: Is called once, perhaps at once, unless the connection ends.
    func fetch(_ blob: BlobReference, of documentID: String, _ completion: @escaping Completion) {
        let order = Order(documentID: documentID, blob: blob, completion: completion)
        if orders[blob.digest] != nil {
            orders[blob.digest]?.append(order)
        } else {
            orders[blob.digest] = [order]
            queue.append(blob.digest)
            startNext()
        }
    }

    private func startNext() {
        while activeCount < Self.maximumActive, let digest = queue.first {
            guard let order = orders[digest]?.first else {
                queue.removeFirst()
                continue
            }
            guard let permit = WorkPermit(Self.permits) else { return startLater() }
            queue.removeFirst()
            activeCount += 1
            request(order, permit)
        }
    }

    /// Waits for a permit: other sessions have taken all of them.
    private func startLater() {
        guard !isWaitingForPermit else { return }
        isWaitingForPermit = true
        _ = context.after(Self.pause) { [weak self] in
            self?.isWaitingForPermit = false
            self?.startNext()
        }
    }

    private func request(_ order: Order, _ permit: WorkPermit) {
        let download = BlobDownload(order.blob, into: blobs, permit)
        var properties: Properties = ["Profile": Profile.getAttachment]
        properties["collection"] = collectionIndex.map { String($0) }
        properties["digest"] = order.blob.digest.string
        properties["docID"] = order.documentID
        if order.blob.isCompressible { properties["compress"] = "true" }
        context.send(
            OutgoingMessage(properties),
            onPart: { part in download.append(part) },
            onReply: { [weak self] reply in
                // A short response need not have come in parts.
                if reply.error == nil, !reply.body.isEmpty { download.append(reply.body) }
                guard !download.isGivenUp else { return }
                if let watch = download.watch { self?.context.cancel(watch) }
                self?.end(order, download.finish(error: reply.error))
            }
        )
        watch(order, download)
    }

    /// Gives a blob up of which nothing comes any more.
    private func watch(_ order: Order, _ download: BlobDownload) {
        let size = download.receivedByteCount
        download.watch = context.after(Self.patience) { [weak self, weak download] in
            guard let self, let download else { return }
            guard download.receivedByteCount == size else { return watch(order, download) }
            download.giveUp()
            end(order, .failed(SyncError(network: .timeout, "a blob that was asked for does not come")))
        }
    }

    private func end(_ order: Order, _ outcome: Outcome) {
        activeCount -= 1
        let digest = order.blob.digest
        var waiting = orders.removeValue(forKey: digest) ?? []
        if case .refused = outcome, waiting.count > 1 {
            // Perhaps it is given on account of another document.
            waiting.removeFirst()
            orders[digest] = waiting
            queue.insert(digest, at: 0)
            order.completion(outcome)
        } else {
            for order in waiting { order.completion(outcome) }
        }
        startNext()
    }

    /// Forgets everything: the connection has ended.
    func disconnected() {
        orders.removeAll()
        queue.removeAll()
    }
}

/// A blob on its way into the store: it is written as it comes, and verified at the end.
private final class BlobDownload {
    private let blob: BlobReference
    private let store: BlobStore
    private var writer: BlobWriter?
    private var failure: BlobFetcher.Outcome?
    private var permit: WorkPermit?
    private(set) var receivedByteCount: UInt64 = 0
    private(set) var isGivenUp = false
    /// Gives it up when nothing comes.
    var watch: SessionTimer?

    init(_ blob: BlobReference, into store: BlobStore, _ permit: WorkPermit) {
        self.blob = blob
        self.store = store
        self.permit = permit
    }

    /// What comes further is thrown away.
    func giveUp() {
        isGivenUp = true
        writer = nil
        permit = nil
    }

    func append(_ part: [UInt8]) {
        receivedByteCount += UInt64(part.count)
        guard failure == nil, !isGivenUp else { return }
        do throws(BlobError) {
            if writer == nil { writer = try BlobWriter(store: store) }
            if let length = blob.length, (writer?.count ?? 0) + UInt64(part.count) > length {
                return fail(.refused(corrupt("is longer than the document says")))
            }
            let written: Result<Void, BlobError> = part.withUnsafeBytes { bytes in
                Result { () throws(BlobError) in try writer?.write(bytes) }
            }
            try written.get()
        } catch {
            fail(.failed(SyncError(error)))
        }
    }

    func finish(error: SyncError?) -> BlobFetcher.Outcome {
        defer { permit = nil }
        if let error { return .refused(error.fromTheWire) }
        if let failure { return failure }
        do throws(BlobError) {
            if writer == nil { writer = try BlobWriter(store: store) }
            guard let writer = writer.take() else { return .stored }
            if let length = blob.length, writer.count != length {
                return .refused(corrupt("is shorter than the document says"))
            }
            let finished = try writer.finish()
            guard finished.digest == blob.digest else { return .refused(corrupt("is not what its digest says")) }
            try finished.install()
            return .stored
        } catch {
            return .failed(SyncError(error))
        }
    }

    private func fail(_ outcome: BlobFetcher.Outcome) {
        failure = outcome
        writer = nil
    }

    private func corrupt(_ what: String) -> SyncError {
        SyncError(.liteCore, 5, "The blob \(blob.digest.string) that has come \(what)")
    }
}

import BLIP
import DocumentStore
import SyncCore

/// Fetches the blobs that received revisions refer to (Replication 3.10, 4.9). Used by the active and the passive side.
///
/// Several blobs are fetched concurrently, each digest once. A complete blob is stored immediately and stays in the store, whatever happens
/// to the connection and the revision, so the next attempt need not fetch it again.
final class BlobFetcher {
    enum Outcome {
        case stored
        /// The peer did not deliver the blob, or delivered other content.
        case refused(SyncError)
        /// The blob could not be stored locally. This is not an error of the document.
        case failed(SyncError)
    }

    typealias Completion = (Outcome) -> Void

    private struct BlobRequest {
        let documentID: String
        let blob: BlobReference
        let completion: Completion
    }

    private let context: SessionContext
    private let collectionIndex: Int?
    /// The pending requests for each blob. The peer delivers a blob on behalf of one document: the one of the first request.
    private var requests: [BlobDigest: [BlobRequest]] = [:]
    /// The blobs whose download has not started yet.
    private var queue = FIFO<BlobDigest>()
    private var activeCount = 0

    /// The maximum number of concurrent downloads of a collection. Each one needs a file descriptor.
    static let maximumActive = 32
    /// The delay before trying again to get a permit.
    private static let pause = Duration.milliseconds(50)
    /// A download fails with a transient error if nothing is received for this time, because others are waiting for its permit.
    static let timeout = Duration.seconds(120)

    private var isWaitingForPermit = false

    /// The maximum size of a blob in bytes; `nil` for no limit.
    private let maximumSize: UInt64?

    init(_ context: SessionContext, collectionIndex: Int?, maximumSize: UInt64? = nil) {
        (self.context, self.collectionIndex, self.maximumSize) = (context, collectionIndex, maximumSize)
    }

    private var blobs: BlobStore { context.database.blobs }

    /// Returns whether the blob is stored. A file that is damaged, or whose size differs from the one in the document, was truncated by a
    /// crash and does not count: a download replaces it.
    ///
    /// - Parameter isUsed: Returns whether the stored document refers to the blob. If not, its content is read and verified, because it may be
    ///   missing on the medium.
    func isStored(_ blob: BlobReference, isUsed: () throws -> Bool) throws -> Bool {
        do throws(BlobError) {
            guard let size = try blobs.size(of: blob.digest), blob.length.map({ $0 == size }) ?? true else { return false }
        } catch {
            // Only an encrypted file is examined when its size is read.
            guard [.damaged, .notSealed, .notAFile].contains(error.reason) else { throw error }
            return false
        }
        return try isUsed() ? blobs.stillHolds(blob.digest) : blobs.ensureStored(blob.digest)
    }

    /// Fetches a blob on behalf of a document. Sync Gateway delivers it only between sending the document's revision and receiving the
    /// response to it.
    ///
    /// - Parameter completion: Called once, possibly before this method returns. Not called if the connection ends.
    func fetch(_ blob: BlobReference, of documentID: String, _ completion: @escaping Completion) {
        let request = BlobRequest(documentID: documentID, blob: blob, completion: completion)
        requests[blob.digest, default: []].append(request)
        guard requests[blob.digest]?.count == 1 else { return }
        queue.append(blob.digest)
        startNext()
    }

    private func startNext() {
        while activeCount < Self.maximumActive, let digest = queue.popFirst() {
            guard let request = requests[digest]?.first else { continue }
            guard let permit = context.downloadPermits.acquire() else {
                queue.prepend(digest)
                return startLater()
            }
            activeCount += 1
            startDownload(request, permit)
        }
    }

    /// Tries again after a delay, because all permits are in use, or others wait for theirs.
    private func startLater() {
        guard !isWaitingForPermit else { return }
        isWaitingForPermit = true
        _ = context.after(Self.pause) { [weak self] in
            self?.isWaitingForPermit = false
            self?.startNext()
        }
    }

    private func startDownload(_ request: BlobRequest, _ permit: FairPermits.Permit) {
        let download = BlobDownload(request.blob, maximumSize: maximumSize, into: blobs, permit)
        var properties = Properties(Profile.getAttachment, collection: collectionIndex)
        properties["digest"] = request.blob.digest.string
        properties["docID"] = request.documentID
        if request.blob.isCompressible { properties["compress"] = "true" }
        context.send(
            OutgoingMessage(properties),
            onReply: { [weak self] reply in
                guard !download.hasEnded else { return }
                // A short response may not have been delivered in parts.
                if reply.error == nil, !reply.body.isEmpty { download.append(reply.body) }
                self?.end(request, download, download.finish(error: reply.error))
            },
            onPart: { [weak self] part in
                guard !download.hasEnded else { return }
                download.append(part)
                // The rest of the response is discarded. It may be endless, so nothing waits for it.
                if let failure = download.failure { self?.end(request, download, failure) }
            }
        )
        watch(request, download)
    }

    /// Ends a download for which nothing is received anymore.
    private func watch(_ request: BlobRequest, _ download: BlobDownload) {
        let size = download.receivedByteCount
        download.watch = context.after(Self.timeout) { [weak self, weak download] in
            guard let self, let download else { return }
            guard download.receivedByteCount == size else { return watch(request, download) }
            end(request, download, .failed(SyncError(network: .timeout, "a requested blob was not received in time")))
        }
    }

    private func end(_ request: BlobRequest, _ download: BlobDownload, _ outcome: Outcome) {
        download.end()
        if let timer = download.watch { context.cancel(timer) }
        activeCount -= 1
        let digest = request.blob.digest
        var waiting = requests.removeValue(forKey: digest) ?? []
        if case .refused = outcome, waiting.count > 1 {
            // The peer may deliver the blob on behalf of another document.
            waiting.removeFirst()
            requests[digest] = waiting
            queue.prepend(digest)
            request.completion(outcome)
        } else {
            for request in waiting { request.completion(outcome) }
        }
        startNext()
    }

    func disconnected() {
        requests.removeAll()
        queue = FIFO()
        context.downloadPermits.stopWaiting()
    }
}

/// A blob that is being downloaded. It is written while it is received, and verified at the end.
private final class BlobDownload {
    private let blob: BlobReference
    private let maximumSize: UInt64?
    private let store: BlobStore
    private var writer: BlobWriter?
    /// The reason why the download cannot succeed anymore.
    private(set) var failure: BlobFetcher.Outcome?
    private var permit: FairPermits.Permit?
    private(set) var receivedByteCount: UInt64 = 0
    private(set) var hasEnded = false
    /// The timer that ends the download if nothing is received.
    var watch: SessionTimer?

    init(_ blob: BlobReference, maximumSize: UInt64?, into store: BlobStore, _ permit: FairPermits.Permit) {
        (self.blob, self.maximumSize, self.store, self.permit) = (blob, maximumSize, store, permit)
    }

    /// Ends the download and releases its permit. Content that is received later is discarded.
    func end() {
        hasEnded = true
        writer = nil
        permit = nil
    }

    func append(_ part: [UInt8]) {
        receivedByteCount += UInt64(part.count)
        if let maximumSize, receivedByteCount > maximumSize { return fail(.refused(.blobTooLarge)) }
        do throws(BlobError) {
            if writer == nil { writer = try BlobWriter(store: store) }
            if let length = blob.length, (writer?.count ?? 0) + UInt64(part.count) > length {
                return fail(.refused(corrupt("is longer than specified in the document")))
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
        if let error { return .refused(error.fromTheWire) }
        if let failure { return failure }
        do throws(BlobError) {
            if writer == nil { writer = try BlobWriter(store: store) }
            guard let writer = writer.take() else { return .stored }
            if let length = blob.length, writer.count != length {
                return .refused(corrupt("is shorter than specified in the document"))
            }
            let finished = try writer.finish()
            guard finished.digest == blob.digest else { return .refused(corrupt("does not match its digest")) }
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
        SyncError(engine: .corruptRevisionData, "The received blob \(blob.digest.string) \(what)")
    }
}

import BLIP
import Base
import Crypto
import DocumentStore
import SyncCore

/// Serves the blobs of revisions that are being sent to a peer (Replication 3.10, 3.11). Every other blob is reported as not found, whether
/// it exists or not.
final class BlobServer {
    private let context: SessionContext
    private let files: OpenBlobs
    private var activeCount = 0
    /// The accepted requests that wait for a blob to be completed.
    private var waiting = FIFO<IncomingRequest>()
    /// The proofs that wait for the current one.
    private var proofs = FIFO<BlobProof>()
    private var proof: BlobProof?

    /// The maximum number of blobs sent concurrently. Each one needs 64 KiB.
    private static let maximumActive = 32
    /// The maximum number of waiting requests. A correct peer does not exceed it.
    private static let maximumWaiting = 2000
    /// The maximum number of waiting proofs, which take time. Sync Gateway requests those of one document at a time.
    private static let maximumProofs = 200

    /// Whether blobs are served only while a revision that refers to them is being sent, as by Sync Gateway.
    private let onlyDuringRevisions: Bool

    init(_ context: SessionContext, files: OpenBlobs = .shared, onlyDuringRevisions: Bool = false) {
        (self.context, self.files, self.onlyDuringRevisions) = (context, files, onlyDuringRevisions)
    }

    /// Responds to a request. Returns `false` if the request is not about blobs.
    ///
    /// - Parameter mayRead: Returns whether the peer may read a blob that does not belong to a revision being sent.
    func handle(_ request: IncomingRequest, mayRead: (BlobDigest) throws -> Bool) -> Bool {
        guard request.profile == Profile.getAttachment || request.profile == Profile.proveAttachment else { return false }
        if request.isNoReply { return true }
        do {
            if request.profile == Profile.proveAttachment {
                guard (1...255).contains(request.body.count) else {
                    throw SyncError(http: .badRequest, "the body must be a nonce of 1 to 255 bytes")
                }
                try prove(request, try file(for: request, mayRead))
            } else {
                let file = try self.file(for: request, mayRead)
                if activeCount < Self.maximumActive {
                    try serve(request, file)
                } else if waiting.count < Self.maximumWaiting {
                    waiting.append(request)
                } else {
                    throw SyncError(http: .unavailable, "too many blobs are requested at once")
                }
            }
        } catch {
            refuse(request, error)
        }
        return true
    }

    // MARK: Whole blobs

    private func serve(_ request: IncomingRequest, _ file: SharedBlobFile) throws(BlobError) {
        // As long as nothing was sent, an error ends only this request.
        try file.open()
        let source = BlobSource(file)
        activeCount += 1
        source.onEnd = { [weak self] in
            self?.context.afterFrame { [weak self] in self?.blobSent() }
        }
        source.onFailure = { [weak self] error in
            guard error.isOfFile else { return }
            file.noteFailure()
            self?.context.failInFrame(SyncError(webSocket: .unavailable, SyncError.unreadableBlob.message))
        }
        var response = OutgoingMessage(isCompressed: request.properties.boolean("compress"))
        response.body = .stream(source)
        context.respond(to: request, with: response)
    }

    private func blobSent() {
        activeCount -= 1
        // Failed requests do not occupy a place, so this may continue with several requests.
        while activeCount < Self.maximumActive, let request = waiting.popFirst() {
            do {
                try serve(request, try file(for: request) { _ in true })
            } catch {
                refuse(request, error)
            }
        }
    }

    private func refuse(_ request: IncomingRequest, _ error: any Error) {
        var error = SyncError(error)
        if error.isOfFile {
            context.log(.error, "a blob cannot be sent: \(error)")
            error = .unreadableBlob
        }
        if error == .unreadableBlob, let digest = request.properties["digest"].flatMap({ BlobDigest($0) }) {
            context.offeredBlobs.noteUnreadable(digest)
        }
        context.respond(to: request, error: error)
    }

    // MARK: Proofs

    /// Proves that a blob exists locally without sending it.
    private func prove(_ request: IncomingRequest, _ file: SharedBlobFile) throws(SyncError) {
        guard proofs.count < Self.maximumProofs else { throw SyncError(http: .unavailable, "too many proofs are requested at once") }
        proofs.append(BlobProof(request, file))
        if proof == nil { continueProving() }
    }

    /// Computes the next part of a proof. The rest is scheduled between other events, and is dropped when the connection ends.
    private func continueProving() {
        while let current = proof ?? proofs.popFirst() {
            proof = current
            guard let permit = BlobProof.permits.acquire() else { return proveLater(BlobProof.pause) }
            defer { withExtendedLifetime(permit) {} }
            do throws(BlobError) {
                guard let text = try current.next() else { return proveLater(.zero) }
                context.respond(to: current.request, with: OutgoingMessage(body: Array(text.utf8)))
            } catch {
                refuse(current.request, error)
            }
            proof = nil
        }
    }

    private func proveLater(_ delay: Duration) {
        _ = context.after(delay) { [weak self] in self?.continueProving() }
    }

    func disconnected() {
        waiting = FIFO()
        proofs = FIFO()
        proof = nil
    }

    // MARK: Files

    /// - Throws: `SyncError` or `BlobError`.
    private func file(for request: IncomingRequest, _ mayRead: (BlobDigest) throws -> Bool) throws -> SharedBlobFile {
        guard let text = request.properties["digest"] else { throw SyncError(http: .badRequest, "'digest' is missing") }
        guard let digest = BlobDigest(text) else { throw SyncError(engine: .invalidParameter, "the digest is invalid") }
        guard !onlyDuringRevisions || context.offeredBlobs.contains(digest) else {
            throw SyncError(http: .forbidden, "Attachment's doc not being synced")
        }
        let isOffered = try context.offeredBlobs.contains(digest) || mayRead(digest)
        if isOffered, files.refuses(digest, in: context.database.blobs) { throw SyncError.unreadableBlob }
        guard isOffered, let file = try files.file(of: digest, in: context.database.blobs) else {
            throw SyncError(engine: .notFound, "the blob was not found")
        }
        return file
    }
}

extension SyncError {
    /// Whether a file could not be read. Reading it may succeed another time, so the peer must not take the blob for complete or missing:
    /// it would refuse the document for good.
    fileprivate var isOfFile: Bool { domain == .posix }

    /// The transient error with which a request for a blob is answered that cannot be read.
    fileprivate static let unreadableBlob = SyncError(http: .badGateway, "the blob cannot be read at the moment")
}

/// The content of a blob that is read while it is sent.
private final class BlobSource: BodySource {
    /// `nil` at the end.
    private var file: SharedBlobFile?
    private var position: UInt64 = 0
    /// Called once when all content has been read.
    var onEnd: (() -> Void)?
    /// Called with the error if the content cannot be read.
    var onFailure: ((SyncError) -> Void)?

    init(_ file: SharedBlobFile) { self.file = file }

    func read(upTo maximum: Int) throws -> [UInt8] {
        guard let file else { return [] }
        do {
            let bytes = try file.read(upTo: maximum, at: position)
            position += UInt64(bytes.count)
            if bytes.isEmpty { finish() }
            return bytes
        } catch {
            // Unless the session ends, the peer detects the error because the content is too short.
            EngineLog.log(.error, .replicator, "A blob cannot be sent: \(error)")
            onFailure?(SyncError(error))
            finish()
            throw error
        }
    }

    private func finish() {
        onEnd?()
        onEnd = nil
        file = nil
    }
}

/// The proof that this side has a blob: a digest of a nonce of the peer and the content (Replication 3.11). It is computed in parts.
package final class BlobProof {
    let request: IncomingRequest
    private let file: SharedBlobFile
    private var hash = Insecure.SHA1()
    private var position: UInt64 = 0

    /// Limits the proofs that are computed concurrently in the process, because a small request of a peer causes much work.
    package static let permits = WorkPermits(count: 2)
    /// The delay before trying again to get a permit.
    static let pause = Duration.milliseconds(10)
    /// The number of bytes hashed at a time; takes about a millisecond.
    private static let partSize: UInt64 = 1 << 20

    init(_ request: IncomingRequest, _ file: SharedBlobFile) {
        self.request = request
        self.file = file
        hash.update(data: [UInt8(truncatingIfNeeded: request.body.count)])
        hash.update(data: request.body)
    }

    /// Hashes the next part. Returns the proof after the last part, otherwise `nil`.
    func next() throws(BlobError) -> String? {
        let end = position + Self.partSize
        while position < end {
            let bytes = try file.read(upTo: 64 << 10, at: position)
            if bytes.isEmpty { return hash.finalize().withUnsafeBytes { BlobDigest(bytes: $0) }?.string ?? "" }
            hash.update(data: bytes)
            position += UInt64(bytes.count)
        }
        return nil
    }
}

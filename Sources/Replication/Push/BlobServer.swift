import BLIP
import DocumentStore
import LogCore
import SyncCore

/// Gives a peer the blobs of revisions that it is being sent (Replication 3.10, 3.11), and no others: of any other blob it is told that it
/// is not here, whether it is or not.
final class BlobServer {
    private let context: SessionContext
    private let files: OpenBlobs
    /// How many blobs are being sent.
    private var activeCount = 0
    /// Those who may have the blob they ask for, when there is a place.
    private var waiting = FIFO<IncomingRequest>()
    /// The proofs that are asked for; the first is being made.
    private var proofs = FIFO<BlobProof>()
    private var proof: BlobProof?

    /// More blobs than this are not sent side by side: each takes 64 KiB.
    private static let maximumActive = 32
    /// A peer that asks for more at once does not mean well.
    private static let maximumWaiting = 2000
    /// The same for proofs, which take a while. Sync Gateway asks for one document's at a time.
    private static let maximumProofs = 200

    init(_ context: SessionContext, files: OpenBlobs = .shared) {
        self.context = context
        self.files = files
    }

    /// Answers a request; false if it is not about blobs.
    ///
    /// - Parameter mayRead: Whether the peer may have a blob that is not of a revision it is being sent.
    func handle(_ request: IncomingRequest, mayRead: (BlobDigest) throws -> Bool) -> Bool {
        guard request.profile == Profile.getAttachment || request.profile == Profile.proveAttachment else { return false }
        if request.isNoReply { return true }
        do {
            if request.profile == Profile.proveAttachment {
                guard (1...255).contains(request.body.count) else { throw SyncError(.http, 400, "a nonce of 1 to 255 bytes is missing") }
                try prove(request, try file(for: request, mayRead))
            } else {
                let file = try file(for: request, mayRead)
                if activeCount < Self.maximumActive {
                    serve(request, file)
                } else if waiting.count < Self.maximumWaiting {
                    waiting.append(request)
                } else {
                    throw SyncError(.http, 503, "too many blobs are asked for at once")
                }
            }
        } catch {
            context.respond(to: request, error: SyncError(error))
        }
        return true
    }

    // MARK: Whole blobs

    private func serve(_ request: IncomingRequest, _ file: SharedBlobFile) {
        let source = BlobSource(file)
        activeCount += 1
        source.onEnd = { [weak self] in
            self?.context.afterFrame { [weak self] in self?.blobSent() }
        }
        var response = OutgoingMessage(isCompressed: request.properties.boolean("compress"))
        response.body = .stream(source)
        context.respond(to: request, with: response)
    }

    private func blobSent() {
        activeCount -= 1
        // What cannot be served takes no place, so one place may be free for the second or the tenth in line.
        while activeCount < Self.maximumActive, let request = waiting.popFirst() {
            do {
                serve(request, try file(for: request) { _ in true })
            } catch {
                context.respond(to: request, error: SyncError(error))
            }
        }
    }

    // MARK: Proofs

    /// Shows that we have a blob without sending it.
    private func prove(_ request: IncomingRequest, _ file: SharedBlobFile) throws(SyncError) {
        guard proofs.count < Self.maximumProofs else { throw SyncError(.http, 503, "too many proofs are asked for at once") }
        proofs.append(BlobProof(request, file))
        if proof == nil { goOnProving() }
    }

    /// Makes a part of a proof. The rest is done in turns with everything else, and not at all when the connection ends.
    private func goOnProving() {
        while let current = proof ?? proofs.popFirst() {
            proof = current
            guard BlobProof.permits.take() else { return proveLater(BlobProof.pause) }
            defer { BlobProof.permits.release() }
            do throws(BlobError) {
                guard let text = try current.next() else { return proveLater(.zero) }
                context.respond(to: current.request, with: OutgoingMessage(body: Array(text.utf8)))
            } catch {
                context.respond(to: current.request, error: SyncError(error))
            }
            proof = nil
        }
    }

    private func proveLater(_ delay: Duration) {
        _ = context.after(delay) { [weak self] in self?.goOnProving() }
    }

    /// The connection has ended.
    func disconnected() {
        waiting = FIFO()
        proofs = FIFO()
        proof = nil
    }

    // MARK: Files

    /// - Throws: `SyncError` or `BlobError`.
    private func file(for request: IncomingRequest, _ mayRead: (BlobDigest) throws -> Bool) throws -> SharedBlobFile {
        guard let text = request.properties["digest"] else { throw SyncError(.http, 400, "'digest' is missing") }
        guard let digest = BlobDigest(text) else { throw SyncError(.liteCore, 9, "the digest is invalid") }
        guard try context.offeredBlobs.contains(digest) || mayRead(digest),
            let file = try files.file(of: digest, in: context.database.blobs)
        else { throw SyncError(.liteCore, 7, "the blob is not here") }
        return file
    }
}

/// A blob that is read while it is sent.
///
/// Unchecked because the closure is not sendable: it is used by the connection alone, which has one owner.
private final class BlobSource: BodySource, @unchecked Sendable {
    /// Nil at the end.
    private var file: SharedBlobFile?
    private var position: UInt64 = 0
    /// Is called once, when there is no more to come.
    var onEnd: (() -> Void)?

    init(_ file: SharedBlobFile) {
        self.file = file
    }

    func read(upTo maximum: Int) throws -> [UInt8] {
        guard let file else { return [] }
        do {
            var failure: BlobError?
            let bytes = [UInt8](unsafeUninitializedCapacity: maximum) { buffer, count in
                do throws(BlobError) {
                    count = try file.read(into: UnsafeMutableRawBufferPointer(buffer), at: position)
                } catch {
                    failure = error
                }
            }
            if let failure { throw failure }
            position += UInt64(bytes.count)
            if bytes.isEmpty { finish() }
            return bytes
        } catch {
            // The peer finds out by the length.
            EngineLog.log(.error, .replicator, "A blob cannot be sent: \(error)")
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

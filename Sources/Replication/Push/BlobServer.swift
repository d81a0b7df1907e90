import BLIP
import Crypto
import DocumentStore
import LogCore

/// Gives a peer the blobs of revisions that it is being sent (Replication 3.10, 3.11).
final class BlobServer {
    private let context: SessionContext
    /// How many blobs are being sent.
    private var activeCount = 0
    private var waiting: [IncomingRequest] = []

    /// More blobs than this are not sent side by side: each takes a file descriptor.
    private static let maximumActive = 32
    /// A peer that asks for more at once does not mean well.
    private static let maximumWaiting = 2000

    init(_ context: SessionContext) {
        self.context = context
    }

    /// Answers a request; false if it is not about blobs.
    func handle(_ request: IncomingRequest) -> Bool {
        switch request.profile {
        case Profile.getAttachment where request.isNoReply: break
        case Profile.getAttachment:
            if activeCount < Self.maximumActive {
                serve(request)
            } else if waiting.count < Self.maximumWaiting {
                waiting.append(request)
            } else {
                context.respond(to: request, error: SyncError(.http, 503, "too many blobs are asked for at once"))
            }
        case Profile.proveAttachment: prove(request)
        default: return false
        }
        return true
    }

    private func serve(_ request: IncomingRequest) {
        do {
            let reader = try reader(for: request)
            let source = BlobSource(reader)
            activeCount += 1
            context.updateStatus { $0.totalUnits += reader.size }
            source.onRead = { [weak self] count, isAtEnd in
                guard let self else { return }
                context.updateStatus { $0.completedUnits += UInt64(count) }
                if isAtEnd { context.afterFrame { [weak self] in self?.blobSent() } }
            }
            var response = OutgoingMessage(isCompressed: request.properties.boolean("compress"))
            response.body = .stream(source)
            context.respond(to: request, with: response)
        } catch {
            context.respond(to: request, error: SyncError(error))
        }
    }

    private func blobSent() {
        activeCount -= 1
        // What cannot be served takes no place, so one place may be free for the second or the tenth in line.
        while !waiting.isEmpty, activeCount < Self.maximumActive { serve(waiting.removeFirst()) }
    }

    /// Shows that we have a blob without sending it: the digest of what only its owner and the peer know.
    private func prove(_ request: IncomingRequest) {
        guard (1...255).contains(request.body.count) else {
            return context.respond(to: request, error: SyncError(.http, 400, "a nonce of 1 to 255 bytes is missing"))
        }
        do {
            let reader = try reader(for: request)
            var hash = Insecure.SHA1()
            hash.update(data: [UInt8(request.body.count)])
            hash.update(data: request.body)
            var buffer = [UInt8](repeating: 0, count: 64 << 10)
            while true {
                let count = try buffer.withUnsafeMutableBytes { try reader.read(into: $0) }
                if count == 0 { break }
                buffer.withUnsafeBytes { hash.update(bufferPointer: UnsafeRawBufferPointer(rebasing: $0[..<count])) }
            }
            let proof = hash.finalize().withUnsafeBytes { BlobDigest(bytes: $0) }
            context.respond(to: request, with: OutgoingMessage(body: Array((proof?.string ?? "").utf8)))
        } catch {
            context.respond(to: request, error: SyncError(error))
        }
    }

    /// - Throws: `SyncError` or `BlobError`.
    private func reader(for request: IncomingRequest) throws -> BlobReader {
        guard let text = request.properties["digest"] else { throw SyncError(.http, 400, "'digest' is missing") }
        guard let digest = BlobDigest(text) else { throw SyncError(.liteCore, 9, "the digest is invalid") }
        guard let reader = try context.database.blobs.reader(of: digest) else {
            throw SyncError(.liteCore, 7, "the blob is not here")
        }
        return reader
    }
}

/// A blob that is read while it is sent.
///
/// Unchecked because neither the reader nor the closure is sendable: both are used by the connection alone, which has one owner.
private final class BlobSource: BodySource, @unchecked Sendable {
    private let reader: BlobReader
    /// Is told how many bytes were read, and whether there are no more to come.
    var onRead: ((Int, Bool) -> Void)?

    init(_ reader: BlobReader) {
        self.reader = reader
    }

    func read(upTo maximum: Int) throws -> [UInt8] {
        do {
            var failure: BlobError?
            let bytes = [UInt8](unsafeUninitializedCapacity: maximum) { buffer, count in
                do throws(BlobError) {
                    count = try reader.read(into: UnsafeMutableRawBufferPointer(buffer))
                } catch {
                    failure = error
                }
            }
            if let failure { throw failure }
            finish(bytes.count, isAtEnd: bytes.isEmpty)
            return bytes
        } catch {
            // The peer finds out by the length.
            EngineLog.log(.error, .replicator, "A blob cannot be sent: \(error)")
            finish(0, isAtEnd: true)
            throw error
        }
    }

    private func finish(_ count: Int, isAtEnd: Bool) {
        onRead?(count, isAtEnd)
        guard isAtEnd else { return }
        onRead = nil
        reader.close()
    }
}

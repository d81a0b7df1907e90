import BLIP
import Crypto
import DocumentStore

/// The proof that this side has a blob: a digest of a nonce of the peer and the content (Replication 3.11). It is computed in parts.
final class BlobProof {
    let request: IncomingRequest
    private let file: SharedBlobFile
    private var hash = Insecure.SHA1()
    private var position: UInt64 = 0

    /// Limits the proofs that are computed concurrently in the process, because a small request of a peer causes much work.
    static let permits = WorkPermits(count: 2)
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

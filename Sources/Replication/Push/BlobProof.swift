import BLIP
import Crypto
import DocumentStore

/// The proof that a blob is here: the digest of what only its owner and the peer know (Replication 3.11). It is made in parts.
final class BlobProof {
    let request: IncomingRequest
    private let file: SharedBlobFile
    private var hash = Insecure.SHA1()
    private var position: UInt64 = 0

    /// So many proofs are worked on at a time in this process: digesting is what a peer can make us do for little.
    static let permits = WorkPermits(count: 2)
    /// How long to wait for a place.
    static let pause = Duration.milliseconds(10)
    /// What is digested in one go, in bytes: about a millisecond's work.
    private static let partSize: UInt64 = 1 << 20

    init(_ request: IncomingRequest, _ file: SharedBlobFile) {
        self.request = request
        self.file = file
        hash.update(data: [UInt8(truncatingIfNeeded: request.body.count)])
        hash.update(data: request.body)
    }

    /// Digests the next part. Nil when there is more, else the proof.
    func next() throws(BlobError) -> String? {
        var buffer = [UInt8](repeating: 0, count: 64 << 10)
        let end = position + Self.partSize
        while position < end {
            let start = position
            let count = try buffer.withUnsafeMutableBytes { bytes in
                Result { () throws(BlobError) in try file.read(into: bytes, at: start) }
            }.get()
            if count == 0 { return hash.finalize().withUnsafeBytes { BlobDigest(bytes: $0) }?.string ?? "" }
            buffer.withUnsafeBytes { hash.update(bufferPointer: UnsafeRawBufferPointer(rebasing: $0[..<count])) }
            position += UInt64(count)
        }
        return nil
    }
}

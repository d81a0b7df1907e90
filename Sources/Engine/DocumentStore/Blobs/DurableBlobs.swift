/// The blobs whose content and name are known to be on the medium, so that a document may refer to them, and those that must be flushed before.
///
/// A blob written by another process is not known to be durable, because that process may have been terminated before flushing it.
struct DurableBlobs {
    /// A blob that is not durable yet.
    struct Pending: Equatable {
        let file: FileIdentity
        /// Whether its content must be flushed, and not only its name.
        let needsContent: Bool
    }

    /// Half of the maximum number of remembered blobs. Other blobs are verified and flushed again.
    private static let capacity = 4096

    /// The files that are on the medium with their names. A blob that was removed and written again is in another file.
    private var durable: [BlobDigest: FileIdentity] = [:]
    /// The blobs that were remembered before those in ``durable``.
    private var olderDurable: [BlobDigest: FileIdentity] = [:]
    /// The blobs that must be flushed before a document may be committed.
    private(set) var pending: [BlobDigest: Pending] = [:]
    /// The files whose content could not be flushed. The system reports such a failure only once, and the next flush succeeds without the
    /// content.
    private var failed: [FileIdentity] = []

    /// Returns whether the blob in this file is durable, or will be after the next flush.
    func knows(_ digest: BlobDigest, in file: FileIdentity) -> Bool {
        durable[digest] == file || pending[digest]?.file == file || olderDurable[digest] == file
    }

    /// Whether a flush has failed.
    var hasFailures: Bool { !failed.isEmpty }

    /// Returns whether a flush of this file has failed.
    func hasFailed(_ file: FileIdentity) -> Bool { failed.contains(file) }

    /// Records that the blob has got its name in this file.
    mutating func add(_ digest: BlobDigest, in file: FileIdentity, needsContent: Bool) {
        pending[digest] = Pending(file: file, needsContent: needsContent)
    }

    /// Records that blobs that were ``pending`` are on the medium.
    mutating func confirm(_ flushed: [BlobDigest: Pending]) {
        if durable.count + flushed.count > Self.capacity {
            olderDurable = durable
            durable.removeAll()
        }
        durable.merge(flushed.mapValues(\.file)) { $1 }
        forget(flushed)
    }

    /// Records that flushing blobs that were ``pending`` has failed: any of their contents and names may be lost.
    mutating func fail(_ flushed: [BlobDigest: Pending]) {
        failed = Array((failed + flushed.values.map(\.file)).suffix(Self.capacity))
        forget(flushed)
    }

    private mutating func forget(_ blobs: [BlobDigest: Pending]) {
        // Another thread may have added one again meanwhile.
        for (digest, blob) in blobs where pending[digest] == blob { pending[digest] = nil }
    }
}

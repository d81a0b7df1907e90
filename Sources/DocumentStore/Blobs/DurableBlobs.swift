/// The blobs whose content and name are known to be on the medium, so that a document may refer to them.
///
/// A name created by another process is not known to be durable, because that process may have been terminated before flushing it.
struct DurableBlobs {
    /// The maximum number of remembered blobs. Other blobs are flushed again.
    private static let capacity = 4096

    /// The files that are on the medium with their names. A blob that was removed and written again is in another file.
    private var durable: [BlobDigest: FileIdentity] = [:]
    /// The blobs whose content is on the medium, but whose names may not be.
    private var pending: [BlobDigest: FileIdentity] = [:]

    /// Whether a document may be committed without flushing names.
    var isComplete: Bool { pending.isEmpty }

    /// Returns whether the content of the blob in this file is known to be on the medium. Its name is, or will be after the next flush of
    /// the directory.
    func knows(_ digest: BlobDigest, in file: FileIdentity) -> Bool {
        durable[digest] == file || pending[digest] == file
    }

    /// Records that the content of the blob is on the medium, in this file.
    mutating func add(_ digest: BlobDigest, in file: FileIdentity) {
        pending[digest] = file
    }

    /// Records that the names in ``pending`` are on the medium.
    mutating func confirm() {
        if durable.count + pending.count > Self.capacity { durable.removeAll() }
        durable.merge(pending) { $1 }
        pending.removeAll()
    }
}

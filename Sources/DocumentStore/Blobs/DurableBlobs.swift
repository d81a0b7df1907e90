/// Which blobs are known to be on the medium, content and name, so that a document may refer to them.
///
/// A name that another process has given says nothing of that: the process may have died, or be about to.
struct DurableBlobs {
    /// So many are remembered; more are made durable once more.
    private static let capacity = 4096

    /// The files that are on the medium under their names, by the numbers of their inodes: a blob that was removed and written again is
    /// another file.
    private var durable: [BlobDigest: UInt64] = [:]
    /// Those whose content is on the medium, and whose names need not be.
    private var pending: [BlobDigest: UInt64] = [:]

    /// Whether nothing has to be done before a document may be committed.
    var isComplete: Bool { pending.isEmpty }

    /// Whether the content of the blob, which is in that file, is known to be on the medium. Its name is, or will be with the next
    /// synchronization.
    func knows(_ digest: BlobDigest, inode: UInt64) -> Bool {
        durable[digest] == inode || pending[digest] == inode
    }

    /// The content of the blob is on the medium, in that file.
    mutating func add(_ digest: BlobDigest, inode: UInt64) {
        pending[digest] = inode
    }

    /// The names that ``pending`` had are on the medium.
    mutating func confirm() {
        if durable.count + pending.count > Self.capacity { durable.removeAll() }
        durable.merge(pending) { $1 }
        pending.removeAll()
    }
}

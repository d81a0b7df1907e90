import DocumentStore
import Fleece

/// The blobs that the peer may request because they belong to revisions sent to it.
final class OfferedBlobs {
    /// The number of unacknowledged revisions that refer to each blob.
    private var counts: [BlobDigest: Int] = [:]
    /// The blobs of unacknowledged revisions that were requested and could not be read.
    private var unreadable: Set<BlobDigest> = []
    /// The blobs of acknowledged revisions that may still be requested, at most ``maximumTaken``.
    private var taken: Set<BlobDigest> = []
    private var takenInOrder = FIFO<BlobDigest>()

    /// The maximum number of blobs of acknowledged revisions. The oldest ones are dropped.
    static let maximumTaken = 10_000

    func add(_ digests: Set<BlobDigest>) {
        for digest in digests { counts[digest, default: 0] += 1 }
    }

    /// Removes the blobs of a revision that was acknowledged or refused.
    ///
    /// - Parameter isReadable: Whether the peer may still request the blobs. This is the case for a client that has acknowledged the
    ///   revision, because it may read the documents of this database.
    func remove(_ digests: Set<BlobDigest>, isReadable: Bool) {
        for digest in digests {
            if let count = counts[digest] { counts[digest] = count > 1 ? count - 1 : nil }
            if counts[digest] == nil { unreadable.remove(digest) }
            guard isReadable, taken.insert(digest).inserted else { continue }
            takenInOrder.append(digest)
            if takenInOrder.count > Self.maximumTaken, let oldest = takenInOrder.popFirst() { taken.remove(oldest) }
        }
    }

    /// Notes that a requested blob could not be read.
    func noteUnreadable(_ digest: BlobDigest) {
        if counts[digest] != nil { unreadable.insert(digest) }
    }

    /// Returns whether one of the blobs was requested and could not be read.
    func lacks(_ digests: Set<BlobDigest>) -> Bool { !unreadable.isDisjoint(with: digests) }

    func contains(_ digest: BlobDigest) -> Bool { counts[digest] != nil || taken.contains(digest) }
}

extension OutgoingRevision {
    /// The blobs that the revision refers to. Fast if there are none.
    var blobs: Set<BlobDigest> {
        body.withRoot { root in
            guard hasAttachments || BlobReferences.mayContainBlobs(root, sharedKeys: sharedKeys) else { return [] }
            return BlobReferences.digests(in: root, sharedKeys: sharedKeys)
        } ?? []
    }
}

extension ReplicaCollection {
    /// Returns the blobs of the current revision of a document; empty if the document does not exist.
    func currentBlobs(of documentID: String) throws -> Set<BlobDigest> {
        guard let change = try self.change(of: documentID, remote: nil), !change.isExpired else { return [] }
        return try revision(change.revision, of: documentID)?.blobs ?? []
    }
}

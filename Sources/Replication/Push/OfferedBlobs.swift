import DocumentStore
import Fleece

/// The blobs that the peer may ask for because of revisions it was sent.
final class OfferedBlobs {
    /// How many revisions that were not answered refer to each.
    private var counts: [BlobDigest: Int] = [:]
    /// Those of revisions that it has taken, the last ``maximumTaken``.
    private var taken: Set<BlobDigest> = []
    private var takenInOrder = FIFO<BlobDigest>()

    /// How many blobs of answered revisions are remembered.
    static let maximumTaken = 10_000

    /// A revision goes out.
    func add(_ digests: Set<BlobDigest>) {
        for digest in digests { counts[digest, default: 0] += 1 }
    }

    /// The revision has been answered.
    ///
    /// - Parameter isReadable: Whether the peer may still ask for its blobs: it is a client, which reads documents here.
    func remove(_ digests: Set<BlobDigest>, isReadable: Bool) {
        for digest in digests {
            if let count = counts[digest] { counts[digest] = count > 1 ? count - 1 : nil }
            guard isReadable, taken.insert(digest).inserted else { continue }
            takenInOrder.append(digest)
            if takenInOrder.count > Self.maximumTaken, let oldest = takenInOrder.popFirst() { taken.remove(oldest) }
        }
    }

    func contains(_ digest: BlobDigest) -> Bool {
        counts[digest] != nil || taken.contains(digest)
    }
}

extension OutgoingRevision {
    /// The blobs that it refers to. Costs next to nothing when there are none.
    var blobs: Set<BlobDigest> {
        body.withRoot { root in
            guard hasAttachments || BlobReferences.mayContainBlobs(root, sharedKeys: sharedKeys) else { return [] }
            return BlobReferences.digests(in: root, sharedKeys: sharedKeys)
        } ?? []
    }
}

extension ReplicaCollection {
    /// The blobs that the current revision of a document refers to; none when there is no such document.
    func currentBlobs(of documentID: String) throws -> Set<BlobDigest> {
        guard let change = try change(of: documentID, remote: nil), !change.isExpired else { return [] }
        return try revision(change.revision, of: documentID)?.blobs ?? []
    }
}

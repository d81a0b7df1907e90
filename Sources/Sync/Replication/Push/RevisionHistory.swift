import Base
import Crypto
import DocumentStore

/// The property `history` of an outgoing revision (Replication 4.5).
enum RevisionHistory {
    /// Returns the IDs of the ancestors to send, newest first.
    ///
    /// The last one is the newest ancestor that the peer has. If there are too many, the oldest ones except this one are omitted.
    ///
    /// - Parameters:
    ///   - ancestors: All ancestors in the database, newest first.
    ///   - maximum: The maximum number of revisions in the history, including the revision that is sent.
    ///   - fillsGaps: Whether to make up IDs for pruned revisions. Sync Gateway does not store generations, but counts them down from the
    ///     newest revision (Replication 3.8).
    ///   - isKnown: Returns whether the peer has a revision.
    static func ancestors(
        of revision: RevisionID,
        _ ancestors: [RevisionID],
        maximum: Int,
        fillsGaps: Bool,
        isKnown: (RevisionID) -> Bool
    ) -> [String] {
        let capacity = max(maximum - 1, 0)
        var result: [String] = []
        var newer = revision
        for ancestor in ancestors {
            while fillsGaps, result.count < capacity, newer.generation > ancestor.generation + 1 {
                newer = filling(below: newer)
                result.append(newer.description)
            }
            if result.count < capacity {
                result.append(ancestor.description)
                if isKnown(ancestor) { break }
            } else if isKnown(ancestor) {
                if !result.isEmpty { result.removeLast() }
                result.append(ancestor.description)
                break
            }
            newer = ancestor
        }
        return result
    }

    /// Returns an ID for the pruned parent of a revision: `faded000` and 16 more digits.
    ///
    /// It is derived from the revision's ID, so that the same history always gets the same IDs.
    private static func filling(below revision: RevisionID) -> RevisionID {
        let digest = Insecure.SHA1.hash(data: revision.binary).prefix(8)
        // The generation is above one and the number of digits is even, so the ID is always valid.
        return RevisionID(tree: "\(revision.generation - 1)-faded000\(digest.hexadecimal)") ?? revision
    }
}

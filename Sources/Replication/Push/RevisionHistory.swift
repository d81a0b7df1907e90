import Crypto
import DocumentStore

/// The property `history` of a revision that is sent (Replication 4.5).
enum RevisionHistory {
    /// The ancestors to be named, newest first.
    ///
    /// They end with the newest one that the peer has. Where that would be too many, the oldest are left out, but not the one that
    /// the peer has.
    ///
    /// - Parameters:
    ///   - ancestors: All that are known here, newest first.
    ///   - isKnown: Whether the peer has a revision.
    ///   - maximum: How many revisions the peer wants, the one that is sent among them.
    ///   - fillsGaps: Whether IDs are made up for revisions that are known here no more: Sync Gateway keeps no generations, and counts
    ///     them down from the newest (Replication 3.8).
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

    /// An ID for the parent of a revision, whose real ID was forgotten: `faded000` and 16 digits more.
    ///
    /// It follows from the revision's ID, so that whoever is sent the same history twice is told the same.
    private static func filling(below revision: RevisionID) -> RevisionID {
        let digest = Array(Insecure.SHA1.hash(data: revision.binary).prefix(8))
        let hexadecimal = digest.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
        // A generation above one and an even number of digits: there is always such an ID.
        return RevisionID("\(revision.generation - 1)-faded000\(hexadecimal)") ?? revision
    }
}

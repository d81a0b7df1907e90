#if Replication
import CouchbaseLiteSwift
import Synchronization

/// Resolves conflicts by the default rule, and counts which versions were kept.
final class ResolvedConflicts: ConflictResolverProtocol {
    /// The numbers of resolved conflicts.
    struct Counts: Sendable {
        /// Conflicts in which the version of this database was kept.
        var local = 0
        /// Conflicts in which the pulled version was kept.
        var remote = 0
        /// Conflicts that were resolved by a deletion.
        var deleted = 0

        /// `Resolved 3 conflicts: kept the local version of 2 documents, the pulled version of 1.` `nil` if there were none.
        var text: String? {
            var parts: [String] = []
            if local > 0 { parts.append("kept the local version of \(local.counted("document"))") }
            if remote > 0 { parts.append("kept the pulled version of \(remote.counted("document"))") }
            if deleted > 0 { parts.append("deleted \(deleted.counted("document"))") }
            return parts.isEmpty ? nil : "Resolved \((local + remote + deleted).counted("conflict")): \(parts.joined(separator: ", "))."
        }
    }

    private let state = Mutex(Counts())

    var counts: Counts { state.withLock { $0 } }

    func resolve(conflict: Conflict) -> Document? {
        let winner = ConflictResolver.default.resolve(conflict: conflict)
        state.withLock { counts in
            if winner == nil {
                counts.deleted += 1
            } else if winner === conflict.localDocument {
                counts.local += 1
            } else {
                counts.remote += 1
            }
        }
        return winner
    }
}
#endif

import SQLiteEngine
import Synchronization

/// The known numbers of live documents of a file's collections, and the state of the file in which they are right.
///
/// Counting reads all pages of an index. A count is made once, and then every commit of this process adds its change to it. After a commit of
/// another process, and after the log has begun anew, the documents are counted again. The format has no place for the count: Couchbase Lite
/// would not update it.
final class DocumentCounts: Sendable {
    private struct Known {
        var state: CommittedState
        /// The counts by ``CollectionStore/number``.
        var counts: [Int: Int64]
    }
    private let known = Mutex<Known?>(nil)

    /// Returns the count of a collection in a state of the file, if it is known.
    func count(of collection: CollectionStore, in state: CommittedState) -> Int64? {
        known.withLock { $0?.state == state ? $0?.counts[collection.number] : nil }
    }

    /// Records the count of a collection in a state of the file. Counts of other states are forgotten.
    func record(_ count: Int64, of collection: CollectionStore, in state: CommittedState) {
        known.withLock { known in
            if known?.state != state { known = Known(state: state, counts: [:]) }
            known?.counts[collection.number] = count
        }
    }

    /// Forgets all counts. Must be called when the file is replaced by another one, because a state identifies the content of one file only.
    func forgetAll() {
        known.withLock { $0 = nil }
    }

    /// Whether no count is known. Commits need not be followed otherwise.
    var isEmpty: Bool { known.withLock { $0 == nil } }

    /// Applies the changes of a transaction of this process.
    ///
    /// - Parameters:
    ///   - before: The state when the transaction had begun.
    ///   - after: The state after its commit. If another process has committed since, all counts are forgotten.
    ///   - changes: The changes of the counts by ``CollectionStore/number``.
    func commit(from before: CommittedState?, to after: CommittedState?, changes: [(collection: Int, change: Int64)]) {
        known.withLock { known in
            guard let before, let after, known?.state == before, after == before || after.isNext(after: before) else {
                // A count that a reader has recorded in the meantime is one of the state after the commit.
                if known?.state != after || after == nil { known = nil }
                return
            }
            known?.state = after
            for (number, change) in changes { known?.counts[number]? += change }
        }
    }
}

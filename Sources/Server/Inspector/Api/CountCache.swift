import Base
import Dispatch
import DocumentStore
import Synchronization

/// The numbers of documents of collections. Counting takes time in proportion to the documents, so it is done in the background, and a call
/// returns what was counted last.
final class CountCache: Sendable {
    struct Count {
        var documents: UInt64
        var tombstones: UInt64
    }

    private struct Entry {
        var count: Count?
        /// The counters of the collection before it was counted.
        var state: StoreCounts?
        var isCounting = false
        /// No collection is counted again earlier.
        var next = ContinuousClock.now
    }

    private let entries = Mutex<[ExactString: Entry]>([:])
    private let queue = DispatchQueue(label: "CouchbaseLite.inspector.counts")

    /// The time between two counts is this many times what the first one took, so that counting takes a small part of the processor's time.
    private static let restFactor = 10

    /// Returns the last count, or `nil` if there is none yet. Does not count.
    func known(_ store: CollectionStore) -> Count? { entries.withLock { $0[ExactString(store.id.fullName)]?.count } }

    /// Returns the last count, or `nil` if there is none yet. Starts to count if the collection has changed since.
    func count(_ store: CollectionStore, state: StoreCounts) -> Count? {
        let name = ExactString(store.id.fullName)
        let (count, mustCount) = entries.withLock { entries in
            let entry = entries[name, default: Entry()]
            let mustCount = entry.state != state && !entry.isCounting && ContinuousClock.now >= entry.next
            if mustCount { entries[name, default: Entry()].isCounting = true }
            return (entry.count, mustCount)
        }
        if mustCount { queue.async { self.recount(store, name, state) } }
        return count
    }

    private func recount(_ store: CollectionStore, _ name: ExactString, _ state: StoreCounts) {
        let start = ContinuousClock.now
        let count = try? Count(documents: store.count(), tombstones: store.deletedCount())
        let end = ContinuousClock.now
        entries.withLock { entries in
            entries[name] = Entry(
                count: count ?? entries[name]?.count,
                state: count == nil ? nil : state,
                next: end + (end - start) * Self.restFactor
            )
        }
    }
}

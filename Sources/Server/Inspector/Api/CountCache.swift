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
        /// Whether it is being counted, or will be as soon as it may.
        var isCounting = false
        /// The collection is not counted again earlier.
        var next = DispatchTime.now()
    }

    /// Called after each count that has succeeded.
    let observers = ChangeObservers()
    private let entries = Mutex<[ExactString: Entry]>([:])
    private let queue = DispatchQueue(label: "CouchbaseLite.inspector.counts")

    /// The time between two counts is this many times what the first one took, so that counting takes a small part of the processor's time.
    private static let restFactor = 10

    /// Returns the last count, or `nil` if there is none yet. Does not count.
    func known(_ store: CollectionStore) -> Count? { entries.withLock { $0[ExactString(store.id.fullName)]?.count } }

    /// Returns the last count, or `nil` if there is none yet. If the collection has changed since, it is counted soon.
    ///
    /// - Parameter state: The counters of the collection now.
    func count(_ store: CollectionStore, of file: DatabaseFile, state: StoreCounts) -> Count? {
        let name = ExactString(store.id.fullName)
        let (count, time) = entries.withLock { entries -> (Count?, DispatchTime?) in
            let entry = entries[name, default: Entry()]
            guard entry.state != state, !entry.isCounting else { return (entry.count, nil) }
            entries[name, default: Entry()].isCounting = true
            return (entry.count, entry.next)
        }
        if let time { queue.asyncAfter(deadline: time) { self.recount(store, of: file, name) } }
        return count
    }

    private func recount(_ store: CollectionStore, of file: DatabaseFile, _ name: ExactString) {
        let start = ContinuousClock.now
        let counted = try? (
            // Before the documents are counted, so that a change meanwhile leads to another count.
            state: file.read { try StoreCounts(of: store.tables.store, on: $0.connection) },
            count: Count(documents: store.count(), tombstones: store.deletedCount())
        )
        let rest = (ContinuousClock.now - start) * Self.restFactor
        entries.withLock { entries in
            let next = DispatchTime.now() + rest / .seconds(1)
            entries[name] = Entry(count: counted?.count ?? entries[name]?.count, state: counted?.state, next: next)
        }
        if counted != nil { observers.notify() }
    }
}

package import DocumentStore
import ExactStrings

/// Buffers changes until a task takes them.
package typealias ChangeBuffer = AsyncBuffer<PendingChanges, Never>

/// The changes that have not been taken.
///
/// Each document is held once, however often it changes before it is taken. So the number of changes cannot exceed the number of documents,
/// and no changed document is missed.
package struct PendingChanges: BufferContent {
    /// Changed documents of one collection.
    package struct Group: Sendable {
        package let collection: CollectionStore
        package let documentIDs: [String]
    }

    /// The collections with changes, in the order of their first change.
    private var collections: [CollectionStore] = []
    private var ids: [ObjectIdentifier: UniqueIDs] = [:]

    fileprivate mutating func add(_ documentIDs: [String], of collection: CollectionStore) {
        let key = ObjectIdentifier(collection)
        if ids[key] == nil { collections.append(collection) }
        ids[key, default: UniqueIDs()].add(documentIDs)
    }

    package mutating func take() -> Group? {
        guard let collection = collections.first else { return nil }
        let key = ObjectIdentifier(collection)
        let taken = ids[key]?.take(ListenerHub.groupSize) ?? []
        if ids[key]?.isEmpty != false {
            ids[key] = nil
            collections.removeFirst()
        }
        return Group(collection: collection, documentIDs: taken)
    }
}

extension ChangeBuffer {
    package convenience init() { self.init(PendingChanges()) }

    package func add(_ documentIDs: [String], of collection: CollectionStore) {
        change { $0.add(documentIDs, of: collection) }
    }
}

/// Document IDs in the order in which they were added, each once.
private struct UniqueIDs: Sendable {
    private var ids: [String] = []
    /// The index of the first ID that has not been taken. Removing each group from the array would move all later IDs.
    private var first = 0
    private var known: Set<ExactString> = []

    var isEmpty: Bool { first == ids.count }

    mutating func add(_ newIDs: [String]) {
        for id in newIDs where known.insert(ExactString(id)).inserted { ids.append(id) }
    }

    mutating func take(_ count: Int) -> [String] {
        let taken = Array(ids[first...].prefix(count))
        for id in taken { known.remove(ExactString(id)) }
        first += taken.count
        // Moves each ID once on average, because at least half of the IDs have been taken.
        if first > ids.count / 2 {
            ids.removeFirst(first)
            first = 0
        }
        return taken
    }
}

import Synchronization

/// The collections of a file that somebody has asked for: while a collection exists, it is always the same object.
final class KnownCollections: Sendable {
    private struct State {
        var collections: [CollectionID: CollectionStore] = [:]
        var nextOrdinal = 0
    }
    private let state = Mutex(State())

    subscript(_ id: CollectionID) -> CollectionStore? {
        state.withLock { $0.collections[id] }
    }

    /// The collection of that name, which is known from now on.
    func collection(_ id: CollectionID, tables: CollectionTables, of file: DatabaseFile) -> CollectionStore {
        state.withLock { state in
            if let known = state.collections[id] { return known }
            let made = CollectionStore(id, tables: tables, ordinal: state.nextOrdinal, file: file)
            state.nextOrdinal += 1
            state.collections[id] = made
            return made
        }
    }

    /// The collection is there no more.
    func drop(_ collection: CollectionStore) {
        state.withLock { state in
            if state.collections[collection.id] === collection { state.collections[collection.id] = nil }
        }
        collection.markDropped()
    }

    /// Its deletion was taken back. When somebody has asked for the collection in between, that object is the one that counts.
    func revive(_ collection: CollectionStore) {
        state.withLock { state in
            guard state.collections[collection.id] == nil else { return }
            state.collections[collection.id] = collection
            collection.markDropped(false)
        }
    }

    /// Forgets all, which refer back to their file.
    func removeAll() {
        state.withLock { $0.collections = [:] }
    }
}

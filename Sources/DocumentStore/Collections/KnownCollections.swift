import Synchronization

/// The collection objects of a file. While a collection exists, it is always represented by the same object.
final class KnownCollections: Sendable {
    private struct State {
        var collections: [CollectionID: CollectionStore] = [:]
        var nextOrdinal = 0
    }
    private let state = Mutex(State())

    subscript(_ id: CollectionID) -> CollectionStore? {
        state.withLock { $0.collections[id] }
    }

    /// Returns the object for a collection, and creates it if necessary.
    func collection(_ id: CollectionID, tables: CollectionTables, of file: DatabaseFile) -> CollectionStore {
        state.withLock { state in
            if let known = state.collections[id] { return known }
            let made = CollectionStore(id, tables: tables, ordinal: state.nextOrdinal, file: file)
            state.nextOrdinal += 1
            state.collections[id] = made
            return made
        }
    }

    /// Removes a collection that was deleted, and marks it as such.
    func drop(_ collection: CollectionStore) {
        state.withLock { state in
            if state.collections[collection.id] === collection { state.collections[collection.id] = nil }
        }
        collection.markDropped()
    }

    /// Restores a collection whose deletion was rolled back. Does nothing if a new object for the collection has been created since.
    func revive(_ collection: CollectionStore) {
        state.withLock { state in
            guard state.collections[collection.id] == nil else { return }
            state.collections[collection.id] = collection
            collection.markDropped(false)
        }
    }

    /// Releases all collections, which refer to their file.
    func removeAll() {
        state.withLock { $0.collections = [:] }
    }
}

import Synchronization

/// The collection objects of a file. While a collection exists, it is always represented by the same object.
final class KnownCollections: Sendable {
    private struct State {
        var collections: [CollectionID: CollectionStore] = [:]
        /// The number of objects that have been created.
        var createdCount = 0
        /// The lowest ordinal that has never been used.
        var nextOrdinal = 0
        /// The ordinals of released objects.
        var freeOrdinals: [Int] = []
    }
    private let state = Mutex(State())

    subscript(_ id: CollectionID) -> CollectionStore? {
        state.withLock { $0.collections[id] }
    }

    /// Returns the object for a collection, and creates it if necessary.
    func collection(_ id: CollectionID, tables: CollectionTables, of file: DatabaseFile) -> CollectionStore {
        state.withLock { state in
            if let known = state.collections[id] { return known }
            let ordinal = state.freeOrdinals.popLast() ?? state.nextOrdinal
            state.nextOrdinal = max(state.nextOrdinal, ordinal + 1)
            state.createdCount += 1
            let made = CollectionStore(id, tables: tables, ordinal: ordinal, number: state.createdCount, file: file)
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

    /// Restores a collection whose deletion was rolled back. Does nothing if another object for the collection has been created since.
    func restore(_ collection: CollectionStore) {
        state.withLock { state in
            if let known = state.collections[collection.id], known !== collection { return }
            state.collections[collection.id] = collection
            collection.markDropped(false)
            collection.markBeingDropped(false)
        }
    }

    /// Lets the next object use the ordinal of an object that is being released.
    func free(_ ordinal: Int) {
        state.withLock { $0.freeOrdinals.append(ordinal) }
    }

    /// Releases all collections, which refer to their file.
    func removeAll() {
        // They are released outside of the lock, because that frees their ordinals.
        let released = state.withLock { state -> [CollectionID: CollectionStore] in
            defer { state.collections = [:] }
            return state.collections
        }
        withExtendedLifetime(released) {}
    }
}

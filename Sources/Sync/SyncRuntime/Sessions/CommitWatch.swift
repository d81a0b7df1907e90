#if Replication
package import DocumentStore
import Synchronization

/// Notifies its owner that commits, by any connection, have changed documents of collections: once, until ``drain()`` is called.
package final class CommitWatch: Sendable {
    private let watch: CollectionWatch
    private let registrations: [CollectionID: CollectionWatch.Registration]
    private let changed: ChangedCollections

    /// - Parameter notify: Called on any thread, possibly with the write lock held, when ``drain()`` returns a non-empty set.
    package init(_ collections: [CollectionID], of file: DatabaseFile, notify: @escaping @Sendable () -> Void) throws {
        let changed = ChangedCollections()
        var registrations: [CollectionID: CollectionWatch.Registration] = [:]
        watch = file.watch
        self.changed = changed
        do {
            for id in collections {
                registrations[id] = try watch.register(for: [id.storeName], of: file) {
                    if changed.add(id) { notify() }
                }
            }
        } catch {
            registrations.values.forEach { file.watch.remove($0) }
            throw error
        }
        self.registrations = registrations
        registrations.values.forEach { watch.wait($0) }
    }

    deinit { registrations.values.forEach { watch.remove($0) } }

    /// Returns the collections that have changed. Later commits are notified again.
    package func drain() -> Set<CollectionID> {
        let drained = changed.drain()
        for id in drained {
            if let registration = registrations[id] { watch.wait(registration) }
        }
        return drained
    }
}

private final class ChangedCollections: Sendable {
    private let ids = Mutex<Set<CollectionID>>([])

    /// Adds a collection. Returns whether it is the first one since the last call of ``drain()``.
    func add(_ id: CollectionID) -> Bool {
        ids.withLock { ids in
            defer { ids.insert(id) }
            return ids.isEmpty
        }
    }

    func drain() -> Set<CollectionID> {
        ids.withLock { ids in
            defer { ids.removeAll() }
            return ids
        }
    }
}
#endif

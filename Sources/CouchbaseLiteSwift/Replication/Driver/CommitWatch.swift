#if Replication
import DocumentStore
import Synchronization

/// Tells that commits, whoever made them, have changed documents of collections: once, until it is asked again.
final class CommitWatch: Sendable {
    private let watch: CollectionWatch
    private let registrations: [CollectionID: CollectionWatch.Registration]
    private let changed: ChangedCollections

    /// Begins to watch.
    ///
    /// - Parameter notify: Is called on any thread, possibly with the write lock held, when there is something to take.
    init(_ collections: [CollectionID], of file: DatabaseFile, notify: @escaping @Sendable () -> Void) throws {
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

    deinit {
        registrations.values.forEach { watch.remove($0) }
    }

    /// The collections that have changed. What is committed from now on is told anew.
    func take() -> Set<CollectionID> {
        let taken = changed.take()
        for id in taken {
            if let registration = registrations[id] { watch.wait(registration) }
        }
        return taken
    }
}

private final class ChangedCollections: Sendable {
    private let ids = Mutex<Set<CollectionID>>([])

    /// Whether it is the first one since they were taken.
    func add(_ id: CollectionID) -> Bool {
        ids.withLock { ids in
            defer { ids.insert(id) }
            return ids.isEmpty
        }
    }

    func take() -> Set<CollectionID> {
        ids.withLock { ids in
            defer { ids.removeAll() }
            return ids
        }
    }
}
#endif

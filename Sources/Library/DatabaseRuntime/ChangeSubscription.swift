import Base
package import DocumentStore

/// A listener whose changes are dequeued by a task. It receives changes until it is released.
package final class ChangeSubscription: Sendable {
    /// The documents whose changes are received.
    package enum Subject: Sendable {
        /// The documents of all collections.
        case everything
        /// The documents of a collection. The changes end when it is deleted.
        case collection(CollectionStore)
        /// One document, by its ID. The changes end when its collection is deleted.
        case document(String, CollectionStore)

        fileprivate var store: CollectionStore? {
            switch self {
            case .everything: nil
            case .collection(let store), .document(_, let store): store
            }
        }
    }

    private let buffer = ChangeBuffer()
    private let removal: ListenerRemoval

    /// - Parameter file: Returns the open file; `nil` if the database is closed. It must not retain the database.
    package init(_ listeners: ListenerHub, _ subject: Subject, file: @escaping @Sendable () -> DatabaseFile?) {
        removal = listeners.add(
            receive: { [buffer] changes in
                switch subject {
                case .everything:
                    guard let opened = file() else { return }
                    for (id, documentIDs) in changes.documents.sorted(by: { $0.key < $1.key }) {
                        if let store = opened.knownCollection(id) { buffer.add(documentIDs, of: store) }
                    }
                case .collection(let store):
                    if store.exists, let ids = changes.documents[store.id] { buffer.add(ids, of: store) }
                    if !store.exists { buffer.finish() }
                case .document(let id, let store):
                    if store.exists, changes.contains(id, in: store.id) { buffer.add([id], of: store) }
                    if !store.exists { buffer.finish() }
                }
            },
            finish: { [buffer] in buffer.finish() }
        )
        // After the deletion of the collection there may be no commit that would end the sequence. A deletion in a batch is not
        // committed yet, and may be rolled back; its commit ends the sequence.
        if let store = subject.store, !store.exists, !Self.isDeletionPending(of: store, in: file()) { buffer.finish() }
    }

    /// Returns whether a collection was deleted in a batch that is not committed.
    private static func isDeletionPending(of store: CollectionStore, in file: DatabaseFile?) -> Bool {
        guard let file else { return false }
        return file.isInTransaction || (try? file.collectionIDs().contains(store.id)) == true
    }

    deinit { removal() }

    /// Returns the next changes; `nil` at the end, or if the task is cancelled, which ends the subscription.
    package func next(isolation: isolated (any Actor)?) async -> PendingChanges.Group? {
        await buffer.next(isolation: isolation, removing: removal)
    }
}

/// Buffers changes until a task takes them.
package typealias ChangeBuffer = AsyncBuffer<PendingChanges, Never>

/// The changes that have not been dequeued.
///
/// Each document is held once, however often it changes before it is dequeued. So the number of changes cannot exceed the number of documents,
/// and no changed document is missed.
package struct PendingChanges: BufferContent {
    /// Changed documents of one collection.
    package struct Group: Sendable {
        /// The collection of the documents.
        package let collection: CollectionStore
        /// The IDs, each once, in the order of the first change; at most a thousand.
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

    package mutating func dequeue() -> Group? {
        guard let collection = collections.first else { return nil }
        let key = ObjectIdentifier(collection)
        let dequeued = ids[key]?.dequeue(ListenerHub.groupSize) ?? []
        if ids[key]?.isEmpty != false {
            ids[key] = nil
            collections.removeFirst()
        }
        return Group(collection: collection, documentIDs: dequeued)
    }
}

extension ChangeBuffer {
    /// Creates an empty buffer.
    package convenience init() { self.init(PendingChanges()) }

    /// Adds changed documents. Those that are in the buffer already stay where they are.
    package func add(_ documentIDs: [String], of collection: CollectionStore) { change { $0.add(documentIDs, of: collection) } }
}

/// Document IDs in the order in which they were added, each once.
private struct UniqueIDs: Sendable {
    private var ids: [String] = []
    /// The index of the first ID that has not been dequeued. Removing each group from the array would move all later IDs.
    private var first = 0
    private var known: Set<ExactString> = []

    var isEmpty: Bool { first == ids.count }

    mutating func add(_ newIDs: [String]) {
        for id in newIDs {
            if known.insert(ExactString(id)).inserted { ids.append(id) }
        }
    }

    mutating func dequeue(_ count: Int) -> [String] {
        let dequeued = Array(ids[first...].prefix(count))
        for id in dequeued { known.remove(ExactString(id)) }
        first += dequeued.count
        // Moves each ID once on average, because at least half of the IDs have been dequeued.
        if first > ids.count / 2 {
            ids.removeFirst(first)
            first = 0
        }
        return dequeued
    }
}

package import DocumentStore

/// A listener whose changes are taken by a task. It receives changes until it is released.
package final class ChangeSubscription: Sendable {
    /// The documents whose changes are received.
    package enum Subject: Sendable {
        case everything
        case collection(CollectionStore)
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
                    guard let file = file() else { return }
                    for (id, documentIDs) in changes.documents.sorted(by: { $0.key < $1.key }) {
                        if let store = file.knownCollection(id) { buffer.add(documentIDs, of: store) }
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

import DocumentStore

/// The committed changes of the documents of a collection, or of all collections of a database; see
/// ``Collection/changes()`` and ``Database/changes()``.
///
/// The sequence receives changes from the moment it is created, even if nothing iterates over it yet. Changes are
/// buffered without a limit until they are taken, but each document is buffered once: a slow consumer receives several
/// commits in one element and never misses that a document has changed. An element contains at most 1000 documents, all
/// of one collection. Elements are in the order of the commits.
///
/// The sequence ends when the database is closed or the collection is deleted, after the changes buffered by then; when
/// the last reference to the database is released, as the sequence does not retain it; and when the iterating task is
/// cancelled. It stops receiving changes when it and its iterators are released. Iterate over it once: several
/// iterators share the changes.
public struct CollectionChanges: AsyncSequence, Sendable {
    /// The sequence never throws an error.
    public typealias Failure = Never

    private let subscription: ChangeSubscription

    init(_ subscription: ChangeSubscription) {
        self.subscription = subscription
    }

    /// Creates an iterator. All iterators of a sequence share its changes.
    public func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator(subscription: subscription)
    }

    /// Takes the changes as they are committed.
    public struct AsyncIterator: AsyncIteratorProtocol {
        fileprivate let subscription: ChangeSubscription

        /// Waits for the next changes and returns them; `nil` at the end.
        public mutating func next() async -> CollectionChange? {
            await next(isolation: nil)
        }

        /// Waits for the next changes and returns them; `nil` at the end.
        public mutating func next(isolation actor: isolated (any Actor)?) async -> CollectionChange? {
            await subscription.next(isolation: actor)
        }
    }
}

/// The committed changes of one document; see ``Collection/documentChanges(id:)``.
///
/// Several commits that change the document before an element is taken result in one element. Otherwise it behaves like
/// ``CollectionChanges``.
public struct DocumentChanges: AsyncSequence, Sendable {
    /// The sequence never throws an error.
    public typealias Failure = Never

    private let subscription: ChangeSubscription

    init(_ subscription: ChangeSubscription) {
        self.subscription = subscription
    }

    /// Creates an iterator. All iterators of a sequence share its changes.
    public func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator(subscription: subscription)
    }

    /// Takes the changes as they are committed.
    public struct AsyncIterator: AsyncIteratorProtocol {
        fileprivate let subscription: ChangeSubscription

        /// Waits for the next change and returns it; `nil` at the end.
        public mutating func next() async -> DocumentChange? {
            await next(isolation: nil)
        }

        /// Waits for the next change and returns it; `nil` at the end.
        public mutating func next(isolation actor: isolated (any Actor)?) async -> DocumentChange? {
            guard let change = await subscription.next(isolation: actor), let id = change.documentIDs.first else { return nil }
            return DocumentChange(documentID: id, collection: change.collection)
        }
    }
}

extension Collection {
    /// Returns the changes of the collection's documents from now on.
    ///
    /// ```swift
    /// for await change in collection.changes() {
    ///     for id in change.documentIDs { await show(try collection.async.document(id: id)) }
    /// }
    /// ```
    public func changes() -> CollectionChanges {
        CollectionChanges(ChangeSubscription(database, .collection(store)))
    }

    /// Returns the changes of a document from now on. It changes when it is saved, deleted, purged or pulled, or
    /// expires.
    public func documentChanges(id: String) -> DocumentChanges {
        DocumentChanges(ChangeSubscription(database, .document(id, store)))
    }
}

extension Database {
    /// Returns the changes of the documents of all collections from now on. Each element contains documents of one
    /// collection.
    public func changes() -> CollectionChanges {
        CollectionChanges(ChangeSubscription(self, .everything))
    }
}

/// A listener whose changes are taken by a task. It receives changes until it is released.
final class ChangeSubscription: Sendable {
    /// The documents whose changes are received.
    enum Subject: Sendable {
        case everything
        case collection(CollectionStore)
        case document(String, CollectionStore)

        var store: CollectionStore? {
            switch self {
            case .everything: nil
            case .collection(let store), .document(_, let store): store
            }
        }
    }

    /// The database, which is not retained.
    private let database: @Sendable () -> Database?
    private let buffer: ChangeBuffer
    private let token: ListenerToken

    init(_ database: Database, _ subject: Subject) {
        self.database = { [weak database] in database }
        let buffer = ChangeBuffer()
        self.buffer = buffer
        token = database.listeners.add(
            receive: { [weak database] _, changes in
                switch subject {
                case .everything:
                    guard let file = try? database?.openFile() else { return }
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
            finish: { buffer.finish() }
        )
        // After the deletion of the collection there may be no commit that would end the sequence. A deletion in a batch is not
        // committed yet, and may be rolled back; its commit ends the sequence.
        if let store = subject.store, !store.exists, !Self.isDeletionPending(of: store, in: database) { buffer.finish() }
    }

    /// Returns whether a collection was deleted in a batch that is not committed.
    private static func isDeletionPending(of store: CollectionStore, in database: Database) -> Bool {
        guard let file = try? database.openFile() else { return false }
        return file.isInTransaction || (try? file.collectionIDs().contains(store.id)) == true
    }

    deinit {
        token.remove()
    }

    /// Returns the next changes; `nil` at the end, or if the task is cancelled, which ends the subscription.
    func next(isolation: isolated (any Actor)?) async -> CollectionChange? {
        let group = await withTaskCancellationHandler(
            operation: { await buffer.next(isolation: isolation) },
            onCancel: {
                token.remove()
                buffer.finish()
            },
            isolation: isolation
        )
        guard let group, !Task.isCancelled, let database = database() else { return nil }
        return CollectionChange(collection: Collection(group.collection, database: database), documentIDs: group.documentIDs)
    }
}

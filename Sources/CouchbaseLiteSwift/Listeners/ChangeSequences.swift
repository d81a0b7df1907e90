import DocumentStore

/// Changes of the documents of a collection, or of all collections of a database, as they are committed: made by
/// ``Collection/changes()`` and ``Database/changes()``.
///
/// It listens from the moment it is made, whether or not somebody iterates over it yet. Changes are kept until they are taken,
/// with no limit, but each document is kept once: whoever is slow gets several commits in one element, and never misses that
/// a document has changed. An element has documents of one collection, a thousand at most; elements come in the order of
/// the commits.
///
/// The sequence ends when the database is closed or the collection deleted, after what had come until then; when the last
/// reference to the database goes, which the sequence does not keep open; and when the task that iterates is cancelled. It stops listening when nobody
/// has it or its iterator any more. Iterate over it once: several iterators share the changes among them.
public struct CollectionChanges: AsyncSequence, Sendable {
    public typealias Failure = Never

    private let subscription: ChangeSubscription

    init(_ subscription: ChangeSubscription) {
        self.subscription = subscription
    }

    public func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator(subscription: subscription)
    }

    /// Takes changes as they come.
    public struct AsyncIterator: AsyncIteratorProtocol {
        fileprivate let subscription: ChangeSubscription

        /// The next changes; nil at the end.
        public mutating func next() async -> CollectionChange? {
            await next(isolation: nil)
        }

        /// The next changes; nil at the end.
        public mutating func next(isolation actor: isolated (any Actor)?) async -> CollectionChange? {
            await subscription.next(isolation: actor)
        }
    }
}

/// Changes of one document as they are committed: made by ``Collection/documentChanges(id:)``.
///
/// Several commits that change the document before an element is taken give one element. For the rest the rules are those of
/// ``CollectionChanges``.
public struct DocumentChanges: AsyncSequence, Sendable {
    public typealias Failure = Never

    private let subscription: ChangeSubscription

    init(_ subscription: ChangeSubscription) {
        self.subscription = subscription
    }

    public func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator(subscription: subscription)
    }

    /// Takes changes as they come.
    public struct AsyncIterator: AsyncIteratorProtocol {
        fileprivate let subscription: ChangeSubscription

        /// The next change; nil at the end.
        public mutating func next() async -> DocumentChange? {
            await next(isolation: nil)
        }

        /// The next change; nil at the end.
        public mutating func next(isolation actor: isolated (any Actor)?) async -> DocumentChange? {
            guard let change = await subscription.next(isolation: actor), let id = change.documentIDs.first else { return nil }
            return DocumentChange(documentID: id, collection: change.collection)
        }
    }
}

extension Collection {
    /// The changes of the collection's documents from now on.
    ///
    /// ```swift
    /// for await change in collection.changes() {
    ///     for id in change.documentIDs { await show(try collection.async.document(id: id)) }
    /// }
    /// ```
    public func changes() -> CollectionChanges {
        CollectionChanges(ChangeSubscription(database, .collection(store)))
    }

    /// The changes of a document from now on: that it was saved, deleted, purged or pulled, or has expired.
    public func documentChanges(id: String) -> DocumentChanges {
        DocumentChanges(ChangeSubscription(database, .document(id, store)))
    }
}

extension Database {
    /// The changes of the documents of all collections from now on. An element has documents of one collection.
    public func changes() -> CollectionChanges {
        CollectionChanges(ChangeSubscription(self, .everything))
    }
}

/// A listener whose changes are taken by a task. It listens as long as it lives.
final class ChangeSubscription: Sendable {
    /// What is listened to.
    enum Subject: Sendable {
        case everything
        case collection(CollectionStore)
        case document(String, CollectionStore)
    }

    /// The database, which is not kept alive.
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
    }

    deinit {
        token.remove()
    }

    /// The next changes; nil at the end. When the task is cancelled, this is the end.
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

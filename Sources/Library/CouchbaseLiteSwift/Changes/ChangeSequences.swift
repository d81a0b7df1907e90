import DatabaseRuntime

/// The committed changes of the documents of a collection, or of all collections of a database; see
/// ``Collection/changes()`` and ``Database/changes()``.
///
/// The sequence receives changes from the moment it is created, even if nothing iterates over it yet. Changes are buffered without a limit
/// until they are taken, but each document is buffered once: a slow consumer receives several commits in one element and never misses that
/// a document has changed. An element contains at most 1000 documents, all of one collection. Elements are in the order of the commits.
///
/// The sequence ends when the database is closed or the collection is deleted, after the changes buffered by then; when the last reference
/// to the database is released, as the sequence does not retain it; and when the iterating task is cancelled. It stops receiving changes
/// when it and its iterators are released. Iterate over it once: several iterators share the changes.
public struct CollectionChanges: AsyncSequence, Sendable {
    /// The sequence never throws an error.
    public typealias Failure = Never

    /// Not retained.
    private let database: @Sendable () -> Database?
    private let subscription: ChangeSubscription

    fileprivate init(_ database: Database, _ subject: ChangeSubscription.Subject) {
        self.database = { [weak database] in database }
        subscription = ChangeSubscription(database.core.listeners, subject) { [weak database] in try? database?.openFile() }
    }

    /// Creates an iterator. All iterators of a sequence share its changes.
    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(changes: self) }

    /// Takes the changes as they are committed.
    public struct AsyncIterator: AsyncIteratorProtocol {
        fileprivate let changes: CollectionChanges

        /// Waits for the next changes and returns them; `nil` at the end.
        public mutating func next() async -> CollectionChange? { await next(isolation: nil) }

        /// Waits for the next changes and returns them; `nil` at the end.
        public mutating func next(isolation actor: isolated (any Actor)?) async -> CollectionChange? {
            guard let group = await changes.subscription.next(isolation: actor), let database = changes.database() else { return nil }
            return CollectionChange(collection: Collection(group.collection, database: database), documentIDs: group.documentIDs)
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

    fileprivate let changes: CollectionChanges

    /// Creates an iterator. All iterators of a sequence share its changes.
    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(changes: changes.makeAsyncIterator()) }

    /// Takes the changes as they are committed.
    public struct AsyncIterator: AsyncIteratorProtocol {
        fileprivate var changes: CollectionChanges.AsyncIterator

        /// Waits for the next change and returns it; `nil` at the end.
        public mutating func next() async -> DocumentChange? { await next(isolation: nil) }

        /// Waits for the next change and returns it; `nil` at the end.
        public mutating func next(isolation actor: isolated (any Actor)?) async -> DocumentChange? {
            guard let change = await changes.next(isolation: actor), let id = change.documentIDs.first else { return nil }
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
    public func changes() -> CollectionChanges { CollectionChanges(database, .collection(store)) }

    /// Returns the changes of a document from now on. It changes when it is saved, deleted, purged or pulled, or expires.
    public func documentChanges(id: String) -> DocumentChanges {
        DocumentChanges(changes: CollectionChanges(database, .document(id, store)))
    }
}

extension Database {
    /// Returns the changes of the documents of all collections from now on. Each element contains documents of one collection.
    public func changes() -> CollectionChanges { CollectionChanges(self, .everything) }
}

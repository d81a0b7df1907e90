/// Documents of the default collection have changed.
@available(*, deprecated, message: "Use CollectionChange")
public struct DatabaseChange: Sendable {
    /// The database.
    public let database: Database
    /// The IDs of the documents, each once.
    public let documentIDs: [String]
}

/// Documents of a collection have changed: all of one commit, at most a thousand at a time.
public struct CollectionChange: Sendable {
    /// The collection.
    public let collection: Collection
    /// The IDs of the documents that were saved, deleted, purged or pulled, each once.
    public let documentIDs: [String]
}

/// A document has changed.
public struct DocumentChange: Sendable {
    /// The database.
    @available(*, deprecated, message: "Use collection.database")
    public var database: Database { collection.database }
    /// The document's ID.
    public let documentID: String
    /// The collection the document is in.
    public let collection: Collection
}

/// What can be listened to for changes of its documents.
public protocol CollectionChangeObservable {
    /// Calls `listener` on the main queue after every commit that changed documents.
    @discardableResult
    func addChangeListener(listener: @escaping (CollectionChange) -> Void) -> ListenerToken

    /// Calls `listener` on `queue`, by default the main one, after every commit that changed documents.
    @discardableResult
    func addChangeListener(queue: DispatchQueue?, listener: @escaping (CollectionChange) -> Void) -> ListenerToken
}

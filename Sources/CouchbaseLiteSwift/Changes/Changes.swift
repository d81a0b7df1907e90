/// Changed documents of a collection: at most 1000.
///
/// A listener receives the documents of one commit, divided into several changes if there are more than 1000. An
/// element of ``CollectionChanges`` can combine several commits.
public struct CollectionChange: Sendable {
    /// The collection.
    public let collection: Collection
    /// The IDs of the documents that were saved, deleted, purged or pulled, each once.
    public let documentIDs: [String]
}

/// A change of one document.
public struct DocumentChange: Sendable {
    /// The document's ID.
    public let documentID: String
    /// The collection that contains the document.
    public let collection: Collection
}

/// A type that reports changes of its documents to listeners.
public protocol CollectionChangeObservable {
    /// Adds a listener that is called on the main queue after each commit that changed documents.
    @discardableResult
    func addChangeListener(listener: @escaping (CollectionChange) -> Void) -> ListenerToken

    /// Adds a listener that is called on `queue` after each commit that changed documents. If `queue` is `nil`, it is
    /// called on the main queue.
    @discardableResult
    func addChangeListener(queue: DispatchQueue?, listener: @escaping (CollectionChange) -> Void) -> ListenerToken
}

import DocumentStore

extension Collection: CollectionChangeObservable {
    /// Calls `listener` on the main queue after every commit that changed documents of the collection.
    @discardableResult
    public func addChangeListener(listener: @escaping (CollectionChange) -> Void) -> ListenerToken {
        addChangeListener(queue: nil, listener: listener)
    }

    /// Calls `listener` after every commit that changed documents of the collection, whoever made it in this process.
    ///
    /// - Parameters:
    ///   - queue: Where to call it; nil is the main queue, which on Linux runs only while `RunLoop.main` or
    ///     `dispatchMain()` does.
    ///   - listener: Gets the IDs of the documents.
    @discardableResult
    public func addChangeListener(queue: DispatchQueue?, listener: @escaping (CollectionChange) -> Void) -> ListenerToken {
        addListener(documentID: nil, queue: queue) { collection, documentIDs in
            listener(CollectionChange(collection: collection, documentIDs: documentIDs))
        }
    }

    /// Calls `listener` on the main queue after every commit that changed the document.
    @discardableResult
    public func addDocumentChangeListener(id: String, listener: @escaping (DocumentChange) -> Void) -> ListenerToken {
        addDocumentChangeListener(id: id, queue: nil, listener: listener)
    }

    /// Calls `listener` after every commit that changed the document: saved, deleted, purged or pulled it.
    ///
    /// - Parameters:
    ///   - id: The document's ID; there need not be one of it yet.
    ///   - queue: Where to call it; nil is the main queue.
    ///   - listener: Gets the change.
    @discardableResult
    public func addDocumentChangeListener(
        id: String,
        queue: DispatchQueue?,
        listener: @escaping (DocumentChange) -> Void
    ) -> ListenerToken {
        addListener(documentID: id, queue: queue) { collection, _ in
            listener(DocumentChange(documentID: id, collection: collection))
        }
    }

    private func addListener(
        documentID: String?,
        queue: DispatchQueue?,
        notify: @escaping (Collection, [String]) -> Void
    ) -> ListenerToken {
        if !isValid { warn("a listener was added to collection \"\(fullName)\", which is closed or has been deleted") }
        let store = store
        // The database must not keep itself alive through its listeners.
        return database.listeners.add(to: store.id, documentID: documentID, queue: queue) { [weak database] ids in
            guard let database, store.exists else { return }
            notify(Collection(store, database: database), ids)
        }
    }
}

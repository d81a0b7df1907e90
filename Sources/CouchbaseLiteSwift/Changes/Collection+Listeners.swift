import DocumentStore

extension Collection: CollectionChangeObservable {
    /// Adds a listener that is called on the main queue after each commit that changed documents of the collection. See
    /// ``addChangeListener(queue:listener:)``.
    @discardableResult
    public func addChangeListener(listener: @escaping (CollectionChange) -> Void) -> ListenerToken {
        addChangeListener(queue: nil, listener: listener)
    }

    /// Adds a listener that is called after each commit that changed documents of the collection.
    ///
    /// Changes by replicators and by other database objects in this process are reported, too. Saves and deletions by
    /// other processes are reported within about a second, their purges are not. The listener remains until it is
    /// removed, even if the token is released. If the collection is closed or deleted, the listener is never called,
    /// and a warning is logged.
    ///
    /// - Parameters:
    ///   - queue: The queue on which the listener is called, one call at a time and in the order of the commits. `nil`
    ///     means the main queue, which on Linux only runs while `RunLoop.main` or `dispatchMain()` runs.
    ///   - listener: Receives the IDs of the changed documents, at most 1000 per call.
    /// - Returns: A token that removes the listener.
    @discardableResult
    public func addChangeListener(queue: DispatchQueue?, listener: @escaping (CollectionChange) -> Void) -> ListenerToken {
        addListener(documentID: nil, queue: queue) { collection, documentIDs in
            listener(CollectionChange(collection: collection, documentIDs: documentIDs))
        }
    }

    /// Adds a listener that is called on the main queue after each commit that changed the document. See
    /// ``addDocumentChangeListener(id:queue:listener:)``.
    @discardableResult
    public func addDocumentChangeListener(id: String, listener: @escaping (DocumentChange) -> Void) -> ListenerToken {
        addDocumentChangeListener(id: id, queue: nil, listener: listener)
    }

    /// Adds a listener that is called after each commit that saved, deleted, purged or pulled the document.
    ///
    /// - Parameters:
    ///   - id: The document's ID. The document need not exist yet.
    ///   - queue: The queue on which the listener is called; `nil` means the main queue. See
    ///     ``addChangeListener(queue:listener:)``.
    ///   - listener: Receives the change.
    /// - Returns: A token that removes the listener.
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
        // The database must not be retained by its own listeners.
        return database.listeners.add(to: store.id, documentID: documentID, queue: queue) { [weak database] ids in
            guard let database, store.exists else { return }
            notify(Collection(store, database: database), ids)
        }
    }
}

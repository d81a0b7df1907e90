import DocumentStore

// The functions of releases before collections: they listen to the default collection.
extension Database {
    /// Calls `listener` on the main queue after every commit that changed documents of the default collection.
    @discardableResult
    @available(*, deprecated, message: "Use Collection.addChangeListener(listener:)")
    public func addChangeListener(_ listener: @escaping (DatabaseChange) -> Void) -> ListenerToken {
        addChangeListener(withQueue: nil, listener: listener)
    }

    /// Calls `listener` on `queue`, by default the main one, after every commit that changed documents of the default collection.
    @discardableResult
    @available(*, deprecated, message: "Use Collection.addChangeListener(queue:listener:)")
    public func addChangeListener(withQueue queue: DispatchQueue?, listener: @escaping (DatabaseChange) -> Void) -> ListenerToken {
        listeners.add(to: .default, queue: queue) { [weak self] documentIDs in
            guard let self else { return }
            listener(DatabaseChange(database: self, documentIDs: documentIDs))
        }
    }

    /// Calls `listener` on the main queue after every commit that changed the document of the default collection.
    @discardableResult
    public func addDocumentChangeListener(withID id: String, listener: @escaping (DocumentChange) -> Void) -> ListenerToken {
        addDocumentChangeListener(withID: id, queue: nil, listener: listener)
    }

    /// Calls `listener` on `queue`, by default the main one, after every commit that changed the document of the default
    /// collection.
    @discardableResult
    public func addDocumentChangeListener(
        withID id: String,
        queue: DispatchQueue?,
        listener: @escaping (DocumentChange) -> Void
    ) -> ListenerToken {
        listeners.add(to: .default, documentID: id, queue: queue) { [weak self] _ in
            guard let self, let collection = try? defaultCollection() else { return }
            listener(DocumentChange(documentID: id, collection: collection))
        }
    }

    /// Removes a listener; see ``ListenerToken/remove()``.
    public func removeChangeListener(withToken token: ListenerToken) {
        token.remove()
    }
}

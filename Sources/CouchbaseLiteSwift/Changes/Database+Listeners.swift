import DocumentStore

// The functions from before there were collections. They refer to the default collection.
extension Database {
    /// Adds a listener that is called on the main queue after each commit that changed the document of the default
    /// collection.
    @discardableResult
    public func addDocumentChangeListener(withID id: String, listener: @escaping (DocumentChange) -> Void) -> ListenerToken {
        addDocumentChangeListener(withID: id, queue: nil, listener: listener)
    }

    /// Adds a listener that is called on `queue` after each commit that changed the document of the default collection.
    /// If `queue` is `nil`, it is called on the main queue.
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

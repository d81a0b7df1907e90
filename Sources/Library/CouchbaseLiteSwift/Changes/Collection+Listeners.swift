import DatabaseRuntime
import DocumentStore

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

extension Collection: CollectionChangeObservable {
    /// Adds a listener that is called after each commit that changed documents of the collection.
    ///
    /// Changes by replicators and by other database objects in this process are reported, too. Saves and deletions by other processes are
    /// reported within about a second, their purges are not. The listener remains until it is removed, even if the token is released. If
    /// the collection is closed or deleted, the listener is never called, and a warning is logged.
    ///
    /// The closure belongs to no actor. The closure of the form without a queue belongs to the main actor. All listeners have these two forms.
    ///
    /// - Parameters:
    ///   - queue: The queue on which the listener is called, one call at a time and in the order of the commits. `nil`
    ///     means the main queue, which on Linux only runs while `RunLoop.main` or `dispatchMain()` runs.
    ///   - listener: Receives the IDs of the changed documents, at most 1000 per call.
    /// - Returns: A token that removes the listener.
    @discardableResult @preconcurrency
    public func addChangeListener(queue: DispatchQueue?, listener: @escaping @Sendable (CollectionChange) -> Void) -> ListenerToken {
        addListener(documentID: nil, queue: queue) { collection, documentIDs in
            listener(CollectionChange(collection: collection, documentIDs: documentIDs))
        }
    }
}

extension Collection {
    /// Adds a listener that is called on the main queue after each commit that changed documents of the collection. See
    /// ``addChangeListener(queue:listener:)``.
    @discardableResult @preconcurrency
    public func addChangeListener(listener: @escaping @MainActor (CollectionChange) -> Void) -> ListenerToken {
        addChangeListener(queue: nil, listener: onMainActor(listener))
    }

    /// Adds a listener that is called on the main queue after each commit that changed the document. See
    /// ``addDocumentChangeListener(id:queue:listener:)``.
    @discardableResult @preconcurrency
    public func addDocumentChangeListener(id: String, listener: @escaping @MainActor (DocumentChange) -> Void) -> ListenerToken {
        addDocumentChangeListener(id: id, queue: nil, listener: onMainActor(listener))
    }

    /// Adds a listener that is called after each commit that saved, deleted, purged or pulled the document.
    ///
    /// - Parameters:
    ///   - id: The document's ID. The document need not exist yet.
    ///   - queue: The queue on which the listener is called; `nil` means the main queue. See ``addChangeListener(queue:listener:)``.
    ///   - listener: Receives the change.
    /// - Returns: A token that removes the listener.
    @discardableResult @preconcurrency
    public func addDocumentChangeListener(
        id: String,
        queue: DispatchQueue?,
        listener: @escaping @Sendable (DocumentChange) -> Void
    ) -> ListenerToken {
        addListener(documentID: id, queue: queue) { collection, _ in
            listener(DocumentChange(documentID: id, collection: collection))
        }
    }

    private func addListener(
        documentID: String?,
        queue: DispatchQueue?,
        notify: @escaping @Sendable (Collection, [String]) -> Void
    ) -> ListenerToken {
        if !isValid { warn("a listener was added to collection \"\(fullName)\", which is closed or has been deleted") }
        let store = store
        // The database must not be retained by its own listeners.
        return ListenerToken(
            database.core.listeners.add(to: store.id, documentID: documentID, queue: queue) { [weak database] ids in
                guard let database, store.exists else { return }
                notify(Collection(store, database: database), ids)
            }
        )
    }
}

// The functions from before there were collections. They refer to the default collection.
extension Database {
    /// Adds a listener that is called on the main queue after each commit that changed the document of the default collection.
    @available(*, deprecated, message: "Use defaultCollection().addDocumentChangeListener(id:listener:)")
    @discardableResult @preconcurrency
    public func addDocumentChangeListener(withID id: String, listener: @escaping @MainActor (DocumentChange) -> Void) -> ListenerToken {
        addDocumentChangeListener(withID: id, queue: nil, listener: onMainActor(listener))
    }

    /// Adds a listener that is called on `queue` after each commit that changed the document of the default collection.
    /// If `queue` is `nil`, it is called on the main queue.
    @available(*, deprecated, message: "Use defaultCollection().addDocumentChangeListener(id:queue:listener:)")
    @discardableResult @preconcurrency
    public func addDocumentChangeListener(
        withID id: String,
        queue: DispatchQueue?,
        listener: @escaping @Sendable (DocumentChange) -> Void
    ) -> ListenerToken {
        ListenerToken(
            core.listeners.add(to: .default, documentID: id, queue: queue) { [weak self] _ in
                guard let self, let collection = try? defaultCollection() else { return }
                listener(DocumentChange(documentID: id, collection: collection))
            }
        )
    }

    /// Removes a listener; see ``ListenerToken/remove()``.
    @available(*, deprecated, message: "Use ListenerToken.remove()")
    public func removeChangeListener(withToken token: ListenerToken) { token.remove() }
}

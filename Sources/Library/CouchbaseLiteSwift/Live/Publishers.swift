#if canImport(Combine)
public import Combine

// The publishers of the original's releases since 3.2. Each subscription adds a listener, and removes it when it is cancelled.

extension Collection {
    /// Returns a publisher of the changes of the collection's documents; see ``addChangeListener(queue:listener:)``.
    ///
    /// - Parameter queue: The queue on which changes are published. Default: the main queue.
    public func changePublisher(on queue: DispatchQueue = .main) -> AnyPublisher<CollectionChange, Never> {
        publisher { self.addChangeListener(queue: queue, listener: $0) }
    }

    /// Returns a publisher of the changes of one document; see ``addDocumentChangeListener(id:queue:listener:)``.
    ///
    /// - Parameters:
    ///   - id: The ID of the document, which need not exist yet.
    ///   - queue: The queue on which changes are published. Default: the main queue.
    public func documentChangePublisher(for id: String, on queue: DispatchQueue = .main) -> AnyPublisher<DocumentChange, Never> {
        publisher { self.addDocumentChangeListener(id: id, queue: queue, listener: $0) }
    }
}

extension Query {
    /// Returns a publisher of the results of the query: the current ones, and the new ones whenever they change; see
    /// ``addChangeListener(withQueue:_:)``.
    ///
    /// - Parameter queue: The queue on which results are published. Default: the main queue.
    public func changePublisher(on queue: DispatchQueue = .main) -> AnyPublisher<QueryChange, Never> {
        publisher { self.addChangeListener(withQueue: queue, $0) }
    }
}

#if Replication
extension Replicator {
    /// Returns a publisher of the status of the replicator; see ``addChangeListener(withQueue:_:)``.
    ///
    /// - Parameter queue: The queue on which changes are published. Default: the main queue.
    public func changePublisher(on queue: DispatchQueue = .main) -> AnyPublisher<ReplicatorChange, Never> {
        publisher { self.addChangeListener(withQueue: queue, $0) }
    }

    /// Returns a publisher of the documents that are replicated, or fail to be; see ``addDocumentReplicationListener(withQueue:_:)``.
    ///
    /// - Parameter queue: The queue on which documents are published. Default: the main queue.
    public func documentReplicationPublisher(on queue: DispatchQueue = .main) -> AnyPublisher<DocumentReplication, Never> {
        publisher { self.addDocumentReplicationListener(withQueue: queue, $0) }
    }
}
#endif

/// Returns a publisher that adds a listener for each subscription.
private func publisher<Change: Sendable>(
    _ add: @escaping (@escaping @Sendable (Change) -> Void) -> ListenerToken
) -> AnyPublisher<Change, Never> {
    Deferred {
        // `nonisolated(unsafe)` is safe because a subject may be sent values on any thread, and a listener calls it on one at a time.
        nonisolated(unsafe) let subject = PassthroughSubject<Change, Never>()
        let token = add { subject.send($0) }
        return subject.handleEvents(receiveCancel: { token.remove() })
    }
    .eraseToAnyPublisher()
}
#endif

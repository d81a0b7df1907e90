#if Replication
extension Replicator {
    /// Calls `listener` on the main queue whenever the status has changed.
    @discardableResult
    public func addChangeListener(_ listener: @escaping (ReplicatorChange) -> Void) -> ListenerToken {
        addChangeListener(withQueue: nil, listener)
    }

    /// Calls `listener` whenever the status has changed: at once for another activity, and up to five times a second for
    /// progress.
    ///
    /// - Parameters:
    ///   - queue: Where to call it; nil is the main queue, which on Linux runs only while `RunLoop.main` or
    ///     `dispatchMain()` does.
    ///   - listener: Gets the status.
    @discardableResult
    public func addChangeListener(withQueue queue: DispatchQueue?, _ listener: @escaping (ReplicatorChange) -> Void) -> ListenerToken {
        core.statusListeners.add(queue: queue, notify: listener)
    }

    /// Calls `listener` on the main queue with the documents that have been replicated, or have failed to be.
    @discardableResult
    public func addDocumentReplicationListener(_ listener: @escaping (DocumentReplication) -> Void) -> ListenerToken {
        addDocumentReplicationListener(withQueue: nil, listener)
    }

    /// Calls `listener` with the documents that have been replicated, or have failed to be: several at a time, and before it is
    /// told that the replicator is idle or has stopped. A document in conflict comes when that has been resolved.
    ///
    /// - Parameters:
    ///   - queue: Where to call it; nil is the main queue.
    ///   - listener: Gets the documents.
    @discardableResult
    public func addDocumentReplicationListener(
        withQueue queue: DispatchQueue?,
        _ listener: @escaping (DocumentReplication) -> Void
    ) -> ListenerToken {
        core.documentListeners.add(queue: queue, notify: listener)
    }

    /// Removes a listener of either kind; see ``ListenerToken/remove()``.
    public func removeChangeListener(withToken token: ListenerToken) {
        token.remove()
    }

    /// The statuses from now on, for a task. Only the newest is kept until it is taken: whoever is slow misses those in between,
    /// never the last one.
    ///
    /// The sequence goes on when the replicator has stopped, since it may be started again. It ends when the replicator goes, and
    /// when the task is cancelled.
    ///
    /// ```swift
    /// for await status in replicator.statusChanges() {
    ///     if status.activity == .stopped { break }
    /// }
    /// ```
    public func statusChanges() -> AsyncStream<Status> {
        core.statusListeners.stream(.bufferingNewest(1)) { $0.status }
    }

    /// The documents that are replicated from now on, or fail to be, for a task; see
    /// ``addDocumentReplicationListener(withQueue:_:)``. All are kept until they are taken. The sequence ends as
    /// ``statusChanges()`` does.
    public func documentReplications() -> AsyncStream<DocumentReplication> {
        core.documentListeners.stream(.unbounded) { $0 }
    }
}
#endif

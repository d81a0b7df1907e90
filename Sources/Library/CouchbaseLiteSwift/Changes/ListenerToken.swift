import DatabaseRuntime

/// Identifies a listener that was added, and removes it. Releasing the token does not remove the listener. Thread-safe.
public final class ListenerToken: Sendable {
    private let removal: SingleRemoval

    init(_ removal: @escaping ListenerRemoval) { self.removal = SingleRemoval(removal) }

    /// Removes the listener. A call that is already queued may still be made. Does nothing if the listener was already removed.
    public func remove() { removal.run() }
}

/// Returns a closure that calls a listener of the main actor. It must be called on the main queue.
func onMainActor<Change: Sendable>(_ listener: @escaping @MainActor (Change) -> Void) -> @Sendable (Change) -> Void {
    { change in MainActor.assumeIsolated { listener(change) } }
}

/// A type that reports changes of its documents to listeners.
public protocol CollectionChangeObservable {
    /// Adds a listener that is called on the main queue after each commit that changed documents.
    @discardableResult @preconcurrency
    func addChangeListener(listener: @escaping @Sendable (CollectionChange) -> Void) -> ListenerToken

    /// Adds a listener that is called on `queue` after each commit that changed documents. `nil` means the main queue.
    @discardableResult @preconcurrency
    func addChangeListener(queue: DispatchQueue?, listener: @escaping @Sendable (CollectionChange) -> Void) -> ListenerToken
}

extension CollectionChangeObservable {
    /// Adds a listener that is called on the main queue after each commit that changed documents.
    // Disfavored, so that the listener of a collection itself is one of the main actor.
    @discardableResult @preconcurrency
    @_disfavoredOverload
    public func addChangeListener(listener: @escaping @Sendable (CollectionChange) -> Void) -> ListenerToken {
        addChangeListener(queue: nil, listener: listener)
    }
}

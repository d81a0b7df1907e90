import DatabaseRuntime
import DocumentStore

// Listeners as in the releases before there were collections.

/// Changed documents of the default collection: at most 1000, from one commit. A larger commit is reported in several changes.
@available(*, deprecated, message: "Use CollectionChange")
public struct DatabaseChange: Sendable {
    /// The database.
    public let database: Database
    /// The IDs of the documents, each once.
    public let documentIDs: [String]
}

extension DocumentChange {
    /// The database.
    @available(*, deprecated, message: "Use collection.database")
    public var database: Database { collection.database }
}

extension Database {
    /// Adds a listener that is called on the main queue after each commit that changed documents of the default collection.
    @discardableResult
    @available(*, deprecated, message: "Use Collection.addChangeListener(listener:)")
    @preconcurrency
    public func addChangeListener(_ listener: @escaping @MainActor (DatabaseChange) -> Void) -> ListenerToken {
        addChangeListener(withQueue: nil, listener: onMainActor(listener))
    }

    /// Adds a listener that is called on `queue` after each commit that changed documents of the default collection. If
    /// `queue` is `nil`, it is called on the main queue.
    @discardableResult
    @available(*, deprecated, message: "Use Collection.addChangeListener(queue:listener:)")
    @preconcurrency
    public func addChangeListener(
        withQueue queue: DispatchQueue?,
        listener: @escaping @Sendable (DatabaseChange) -> Void
    ) -> ListenerToken {
        ListenerToken(
            core.listeners.add(to: .default, queue: queue) { [weak self] documentIDs in
                guard let self else { return }
                listener(DatabaseChange(database: self, documentIDs: documentIDs))
            }
        )
    }
}

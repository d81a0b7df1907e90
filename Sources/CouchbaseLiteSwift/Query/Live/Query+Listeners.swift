import DocumentStore
import QueryEngine

extension Query {
    /// Calls `listener` on the main queue with the results, and again whenever they have changed; see
    /// ``addChangeListener(withQueue:_:)``.
    @discardableResult
    public func addChangeListener(_ listener: @escaping (QueryChange) -> Void) -> ListenerToken {
        addChangeListener(withQueue: nil, listener)
    }

    /// Calls `listener` soon with the results of the query, and again whenever they have changed, whoever has changed the database.
    ///
    /// The query is run on a thread of the database's own, after commits that changed a collection that it reads: at once when
    /// it has not been run for a quarter of a second, else half a second later, so that a burst of commits needs one run. If
    /// the rows are the same nobody is told, except after documents have been purged or deleted. Setting ``parameters``
    /// runs it at once and tells all listeners.
    ///
    /// A listener stays until its token is removed or the database closed, even if nobody keeps the query or the token.
    ///
    /// - Parameters:
    ///   - queue: Where to call it, one call after the other; nil is the main queue, which on Linux runs only while
    ///     `RunLoop.main` or `dispatchMain()` does.
    ///   - listener: Gets all results there are, or the error that kept the query from being run.
    @discardableResult
    public func addChangeListener(withQueue queue: DispatchQueue?, _ listener: @escaping (QueryChange) -> Void) -> ListenerToken {
        // The old API takes closures that are not marked Sendable; they are called one at a time, on the queue asked for.
        nonisolated(unsafe) let listener = listener
        let line = DispatchQueue(label: "CouchbaseLite.query", target: queue ?? .main)
        do {
            let (database, observer) = try throwingPublicErrors { try self.observer() }
            let query = reference
            return database.observedQueries.add(
                to: observer,
                receive: { [weak database] number, outcome in
                    line.async { [weak database] in
                        // Removed since: then it wants to hear no more.
                        guard let database, database.observedQueries.contains(number) else { return }
                        listener(QueryChange(query.query(of: database), outcome, database))
                    }
                }
            )
        } catch {
            line.async { listener(QueryChange(query: self, results: nil, error: error)) }
            return ListenerToken {}
        }
    }

    /// Removes a listener; see ``ListenerToken/remove()``.
    public func removeChangeListener(withToken token: ListenerToken) {
        token.remove()
    }
}

extension QueryChange {
    fileprivate init(_ query: Query, _ outcome: QueryObserver.Outcome, _ database: Database) {
        self.query = query
        switch outcome {
        case .success(let rows): (results, error) = (ResultSet(rows, database: database), nil)
        case .failure(let failure): (results, error) = (nil, publicError(failure))
        }
    }
}

/// A query that is not kept alive, nor its database: when it has gone, one that is like it takes its place.
final class QueryReference: Sendable {
    private let original: @Sendable () -> Query?
    private let copy: @Sendable (Database) -> Query

    init(_ original: Query, copy: @escaping @Sendable (Database) -> Query) {
        self.original = { [weak original] in original }
        self.copy = copy
    }

    func query(of database: Database) -> Query {
        original() ?? copy(database)
    }
}

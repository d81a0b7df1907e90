import DatabaseRuntime
import QueryEngine
import QueryLanguage

/// The new results of a query, as passed to its change listeners.
public struct QueryChange: Sendable {
    /// The query.
    public let query: Query
    /// All current rows, in a ``ResultSet`` that only this listener receives; `nil` if there is an error.
    public let results: ResultSet?
    /// The error because of which the query could not be run; `nil` if it was run.
    public let error: (any Error)?
}

extension Query {
    /// Adds a listener, which is called on the main queue with the current results and again whenever they change; see
    /// ``addChangeListener(withQueue:_:)``.
    @discardableResult @preconcurrency
    public func addChangeListener(_ listener: @escaping @MainActor (QueryChange) -> Void) -> ListenerToken {
        addChangeListener(withQueue: nil, onMainActor(listener))
    }

    /// Adds a listener, which is called with the current results soon after this call, and again whenever the results change. Changes by
    /// other `Database` objects, by replicators and by other processes count too.
    ///
    /// The query runs on a background thread of the database, after commits that changed a collection it reads: at once, or when a burst of
    /// commits ends or 100 ms later, see <doc:LiveQueries>. If the rows are unchanged, listeners are not notified, except after documents
    /// were purged or deleted. Setting ``parameters`` runs the query at once and notifies all listeners.
    ///
    /// Each run costs as much as ``execute()``, and the rows of the last run stay in memory to be compared.
    ///
    /// The listener remains until its token is removed or the database is closed, even if the app releases the query and the token. Does
    /// not block.
    ///
    /// - Parameters:
    ///   - queue: The queue on which the listener is called, one call at a time. `nil` is the main queue, which on Linux runs only while
    ///     `RunLoop.main` or `dispatchMain()` does.
    ///   - listener: Receives all rows, or the error because of which the query could not be run.
    /// - Returns: A token with which to remove the listener.
    @discardableResult @preconcurrency
    public func addChangeListener(withQueue queue: DispatchQueue?, _ listener: @escaping @Sendable (QueryChange) -> Void) -> ListenerToken {
        let serialQueue = DispatchQueue(label: "CouchbaseLite.query", target: queue ?? .main)
        do {
            let (queries, observer) = try throwingPublicErrors { try self.observer() }
            return ListenerToken(
                queries.add(to: observer, queue: serialQueue) { [weak database = draft.database, query = reference] outcome in
                    if let database { listener(QueryChange(query(database), outcome, database)) }
                }
            )
        } catch {
            serialQueue.async { listener(QueryChange(query: self, results: nil, error: error)) }
            return ListenerToken {}
        }
    }

    /// Removes a listener; see ``ListenerToken/remove()``.
    @available(*, deprecated, message: "Use ListenerToken.remove()")
    public func removeChangeListener(withToken token: ListenerToken) { token.remove() }
}

extension QueryChange {
    fileprivate init(_ query: Query, _ outcome: QueryObserver.Outcome, _ database: Database) {
        self.query = query
        results = (try? outcome.get()).map { ResultSet($0, database: database) }
        error = if case .failure(let failure) = outcome { publicError(failure) } else { nil }
    }
}

import DatabaseRuntime
import Synchronization

extension Query {
    /// Returns a query that runs again whenever the database changes.
    @available(*, deprecated, message: "Use addChangeListener(_:)")
    public func toLive() -> PreviewLiveQuery { PreviewLiveQuery(self) }
}

/// The new results of a ``PreviewLiveQuery``, as passed to its listeners.
@available(*, deprecated, message: "Use QueryChange")
public struct LiveQueryChange: Sendable {
    /// The query.
    public let query: PreviewLiveQuery
    /// All current rows, in a ``ResultSet`` that only this listener receives; `nil` if there is an error.
    public let rows: ResultSet?
    /// The error because of which the query could not be run; `nil` if it was run.
    public let error: (any Error)?
}

/// The live query of the developer previews. It runs whenever the database changes, from the first listener or the call of ``run()`` until
/// ``stop()`` is called or the object is released.
@available(*, deprecated, message: "Use Query.addChangeListener(_:)")
public final class PreviewLiveQuery: Sendable {
    private enum Listener: Sendable {
        /// Stores the results. It is added first, so that ``rows`` is up to date when the other listeners are called.
        case own
        case app(@MainActor (LiveQueryChange) -> Void)
    }

    private let query: Query
    private let listeners = RestartableListeners(permanent: Listener.own)
    /// The last results, from which each access of ``rows`` creates a new ``ResultSet``.
    private let results = Mutex<ResultTable?>(nil)

    init(_ query: Query) { self.query = query }

    deinit {
        stop()
    }

    /// The values of the parameters; see ``Query/parameters``. Setting them runs the query again.
    public var parameters: Parameters? {
        get { query.parameters }
        set { query.parameters = newValue }
    }

    /// The last results; `nil` until the query has been run. Each access returns a new ``ResultSet``.
    public var rows: ResultSet? { results.withLock { $0 }.map { ResultSet($0) } }

    /// Starts running the query in the background; does nothing if it has been started.
    public func start() { listeners.start(register) }

    /// Starts running the query in the background; does nothing if it has been started.
    public func run() { start() }

    /// Stops running the query. The listeners are kept for the next ``start()``.
    public func stop() { listeners.stop() }

    /// Adds a listener, which is called on the main queue with the current results and again whenever they change. Starts running the
    /// query.
    @discardableResult @preconcurrency
    public func addChangeListener(_ listener: @escaping @MainActor (LiveQueryChange) -> Void) -> ListenerToken {
        ListenerToken(listeners.add(.app(listener), register))
    }

    /// Removes a listener; see ``ListenerToken/remove()``.
    public func removeChangeListener(withToken token: ListenerToken) { token.remove() }

    private func register(_ listener: Listener) -> ListenerRemoval {
        let token = query.addChangeListener { [weak self] change in
            guard let self else { return }
            switch listener {
            case .own: if let new = change.results { results.withLock { $0 = new.table } }
            case .app(let notify): notify(LiveQueryChange(query: self, rows: change.results, error: change.error))
            }
        }
        return { token.remove() }
    }
}

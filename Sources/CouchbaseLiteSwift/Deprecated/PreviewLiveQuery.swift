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
    private struct State {
        var listeners: [Int: @MainActor (LiveQueryChange) -> Void] = [:]
        var nextNumber = 0
        /// The tokens of this object's listeners on the query, and of one listener for ``rows``; empty while the live query is stopped.
        var tokens: [Int: ListenerToken] = [:]
        /// The last results, from which each access of ``rows`` creates a new ``ResultSet``.
        var results: ResultTable?
    }

    /// The number of the listener that stores the results.
    private static let own = 0

    private let query: Query
    private let state = Mutex(State())

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
    public var rows: ResultSet? { state.withLock { $0.results }.map { ResultSet($0) } }

    /// Starts running the query in the background; does nothing if it has been started.
    public func start() { state.withLock { state in if state.tokens.isEmpty { begin(&state) } } }

    /// Adds this object's listeners to the query.
    private func begin(_ state: inout State) {
        // Added first, so that `rows` is up to date when the other listeners are called.
        state.tokens[Self.own] = query.addChangeListener { [weak self] change in
            guard let results = change.results else { return }
            self?.state.withLock { $0.results = results.table }
        }
        for (number, listener) in state.listeners.sorted(by: { $0.key < $1.key }) {
            state.tokens[number] = add(listener)
        }
    }

    /// Starts running the query in the background; does nothing if it has been started.
    public func run() { start() }

    /// Stops running the query. The listeners are kept for the next ``start()``.
    public func stop() {
        let tokens = state.withLock { state in
            defer { state.tokens = [:] }
            return state.tokens
        }
        for token in tokens.values { token.remove() }
    }

    /// Adds a listener, which is called on the main queue with the current results and again whenever they change. Starts running the
    /// query.
    @discardableResult @preconcurrency
    public func addChangeListener(_ listener: @escaping @MainActor (LiveQueryChange) -> Void) -> ListenerToken {
        let number = state.withLock { state in
            state.nextNumber += 1
            state.listeners[state.nextNumber] = listener
            // Under the same lock, so that a concurrent `stop()` leaves the query either stopped or with all its listeners.
            if state.tokens.isEmpty { begin(&state) } else { state.tokens[state.nextNumber] = add(listener) }
            return state.nextNumber
        }
        return ListenerToken { [weak self] in
            let (listener, token) =
                self?.state.withLock { state in
                    (state.listeners.removeValue(forKey: number), state.tokens.removeValue(forKey: number))
                } ?? (nil, nil)
            token?.remove()
            withExtendedLifetime(listener) {}
        }
    }

    /// Removes a listener; see ``ListenerToken/remove()``.
    public func removeChangeListener(withToken token: ListenerToken) { token.remove() }

    private func add(_ listener: @escaping @MainActor (LiveQueryChange) -> Void) -> ListenerToken {
        query.addChangeListener { [weak self] change in
            guard let self else { return }
            listener(LiveQueryChange(query: self, rows: change.results, error: change.error))
        }
    }
}

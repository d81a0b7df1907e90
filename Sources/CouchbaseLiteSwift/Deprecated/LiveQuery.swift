import Synchronization

extension Query {
    /// A query that runs itself when the database changes.
    @available(*, deprecated, message: "Use addChangeListener(_:)")
    public func toLive() -> LiveQuery {
        LiveQuery(self)
    }
}

/// The results of a ``LiveQuery`` have changed.
@available(*, deprecated, message: "Use QueryChange")
public struct LiveQueryChange: Sendable {
    /// The query.
    public let query: LiveQuery
    /// All rows as they are now, for this listener alone; nil when there is an error.
    public let rows: ResultSet?
    /// Why the query could not be run.
    public let error: (any Error)?
}

/// The previews' query that runs itself when the database changes: from the moment when somebody listens or ``run()`` is called
/// until ``stop()``, and as long as somebody keeps it.
@available(*, deprecated, message: "Use Query.addChangeListener(_:)")
public final class LiveQuery: Sendable {
    private struct State {
        var listeners: [Int: @Sendable (LiveQueryChange) -> Void] = [:]
        var nextNumber = 0
        /// Those of the query's listeners that stand for ours, and one for ``rows``; empty while it does not run.
        var tokens: [Int: ListenerToken] = [:]
        /// The last results that have come, to be given out as often as they are asked for.
        var results: ResultTable?
    }

    /// The number of the listener that keeps the results.
    private static let own = 0

    private let query: Query
    private let state = Mutex(State())

    init(_ query: Query) {
        self.query = query
    }

    deinit {
        stop()
    }

    /// The values of the parameters; see ``Query/parameters``. Setting them runs the query anew.
    public var parameters: Parameters? {
        get { query.parameters }
        set { query.parameters = newValue }
    }

    /// The last results; nil until there are some.
    public var rows: ResultSet? {
        state.withLock { $0.results }.map { ResultSet($0) }
    }

    /// Begins to run the query, unless that has been done.
    public func start() {
        state.withLock { state in
            guard state.tokens.isEmpty else { return }
            // First, so that listeners find in `rows` what they are told.
            state.tokens[Self.own] = query.addChangeListener { [weak self] change in
                guard let results = change.results else { return }
                self?.state.withLock { $0.results = results.table }
            }
            for (number, listener) in state.listeners.sorted(by: { $0.key < $1.key }) {
                state.tokens[number] = add(listener)
            }
        }
    }

    /// Begins to run the query, unless that has been done.
    public func run() {
        start()
    }

    /// Runs the query no more. The listeners stay, for the next ``start()``.
    public func stop() {
        let tokens = state.withLock { state in
            defer { state.tokens = [:] }
            return state.tokens
        }
        for token in tokens.values { token.remove() }
    }

    /// Calls `listener` on the main queue with the results, and again whenever they have changed. Begins to run the query.
    @discardableResult
    public func addChangeListener(_ listener: @escaping (LiveQueryChange) -> Void) -> ListenerToken {
        // The old API takes closures that are not marked Sendable; they are called one at a time, on the main queue.
        nonisolated(unsafe) let unsafeListener = listener
        let listener: @Sendable (LiveQueryChange) -> Void = { unsafeListener($0) }
        start()
        let number = state.withLock { state in
            state.nextNumber += 1
            state.listeners[state.nextNumber] = listener
            state.tokens[state.nextNumber] = add(listener)
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
    public func removeChangeListener(withToken token: ListenerToken) {
        token.remove()
    }

    private func add(_ listener: @escaping @Sendable (LiveQueryChange) -> Void) -> ListenerToken {
        query.addChangeListener { [weak self] change in
            guard let self else { return }
            listener(LiveQueryChange(query: self, rows: change.results, error: change.error))
        }
    }
}

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
    ListenerPublisher(add: add).eraseToAnyPublisher()
}

/// Adds a listener for each subscriber when it first asks for values. A listener that is called at once, such as that of a query, would otherwise be
/// called before the subscriber takes anything.
private struct ListenerPublisher<Change: Sendable>: Publisher {
    typealias Output = Change
    typealias Failure = Never

    let add: (@escaping @Sendable (Change) -> Void) -> ListenerToken

    func receive<S: Subscriber>(subscriber: S) where S.Input == Change, S.Failure == Never {
        subscriber.receive(subscription: ListenerSubscription(subscriber.receive(_:), add))
    }
}

/// The subscription of one subscriber. It gets each value that it has asked for; of others, the newest waits until it asks again.
private final class ListenerSubscription<Change: Sendable>: Subscription, @unchecked Sendable {
    // Unchecked: what changes is behind the lock. A subscriber may be called on any thread, and is on one at a time: see `isSending`.
    private struct State {
        /// Sends a value to the subscriber; `nil` once it has cancelled.
        var subscriber: ((Change) -> Subscribers.Demand)?
        var demand = Subscribers.Demand.none
        var token: ListenerToken?
        /// The values to send: at most as many as the subscriber has asked for, and the newest one.
        var waiting: [Change] = []
        var hasBegun = false
        var isSending = false
    }

    private let lock = NSLock()
    private var state: State
    /// Adds the listener. Called once, by the subscriber.
    private let add: (@escaping @Sendable (Change) -> Void) -> ListenerToken

    init(
        _ subscriber: @escaping (Change) -> Subscribers.Demand,
        _ add: @escaping (@escaping @Sendable (Change) -> Void) -> ListenerToken
    ) {
        state = State(subscriber: subscriber)
        self.add = add
    }

    deinit { state.token?.remove() }

    func request(_ demand: Subscribers.Demand) {
        guard demand > .none else { return }
        let begins = lock.withLock {
            state.demand += demand
            defer { state.hasBegun = true }
            return !state.hasBegun
        }
        if begins { begin() }
        send()
    }

    private func begin() {
        let token = add { [weak self] in self?.receive($0) }
        let isCancelled = lock.withLock {
            if state.subscriber != nil { state.token = token }
            return state.subscriber == nil
        }
        if isCancelled { token.remove() }
    }

    private func receive(_ change: Change) {
        lock.withLock {
            let surplus = state.waiting.count - (state.demand.max ?? .max)
            if surplus > 0 { state.waiting.removeLast(surplus) }
            state.waiting.append(change)
        }
        send()
    }

    /// Sends the next value if the subscriber has asked for one, and none is being sent.
    private func send() {
        while let (subscriber, change) = next() {
            let more = subscriber(change)
            lock.withLock {
                state.demand += more
                state.isSending = false
            }
        }
    }

    private func next() -> (subscriber: (Change) -> Subscribers.Demand, change: Change)? {
        lock.withLock {
            guard !state.isSending, state.demand > .none, let subscriber = state.subscriber, !state.waiting.isEmpty else { return nil }
            state.demand -= 1
            state.isSending = true
            return (subscriber, state.waiting.removeFirst())
        }
    }

    func cancel() {
        let (token, subscriber) = lock.withLock {
            defer { (state.token, state.subscriber, state.waiting) = (nil, nil, []) }
            return (state.token, state.subscriber)
        }
        token?.remove()
        withExtendedLifetime(subscriber) {}
    }
}
#endif

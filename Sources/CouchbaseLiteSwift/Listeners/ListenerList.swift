import Synchronization

/// Listeners that are told values, each on a queue of its own choice.
final class ListenerList<Value: Sendable>: Sendable {
    private struct Listener: Sendable {
        let receive: @Sendable (Value) -> Void
        let finish: @Sendable () -> Void
    }

    private struct State {
        var listeners: [Int: Listener] = [:]
        var lastNumber = 0
    }

    private let queues: ListenerQueues
    private let state = Mutex(State())

    /// - Parameter queues: Shared by lists whose listeners are to be called in the order of all their values.
    init(_ queues: ListenerQueues = ListenerQueues()) {
        self.queues = queues
    }

    deinit {
        for listener in state.withLock({ $0.listeners }).values { listener.finish() }
    }

    /// Adds a listener that is called on a queue, in the order of the values.
    ///
    /// - Parameters:
    ///   - queue: Nil is the main queue.
    ///   - notify: Is called with a value.
    func add(queue: DispatchQueue?, notify: @escaping (Value) -> Void) -> ListenerToken {
        // The old API takes closures that are not marked Sendable; they are called one at a time, on the queue asked for.
        nonisolated(unsafe) let notify = notify
        let serialQueue = queues.queue(to: queue ?? .main)
        return add { [weak self] number, value in
            serialQueue.async { [weak self] in
                // Removed since: then it wants to hear no more.
                guard let self, state.withLock({ $0.listeners[number] != nil }) else { return }
                notify(value)
            }
        }
    }

    /// What is made of the values from now on, for one who takes it in a task.
    ///
    /// - Parameter policy: How much is kept until it is taken.
    func stream<Element: Sendable>(
        _ policy: AsyncStream<Element>.Continuation.BufferingPolicy,
        _ transform: @escaping @Sendable (Value) -> Element
    ) -> AsyncStream<Element> {
        let (stream, continuation) = AsyncStream.makeStream(of: Element.self, bufferingPolicy: policy)
        let token = add(receive: { continuation.yield(transform($1)) }, finish: { continuation.finish() })
        continuation.onTermination = { _ in token.remove() }
        return stream
    }

    private func add(receive: @escaping @Sendable (Int, Value) -> Void, finish: @escaping @Sendable () -> Void = {}) -> ListenerToken {
        let number = state.withLock { state in
            state.lastNumber += 1
            let number = state.lastNumber
            state.listeners[number] = Listener(receive: { receive(number, $0) }, finish: finish)
            return number
        }
        return ListenerToken { [weak self] in
            // What the listener refers to must go outside of the lock.
            let removed = self?.state.withLock { $0.listeners.removeValue(forKey: number) }
            withExtendedLifetime(removed) {}
        }
    }

    /// Whether anybody listens.
    var isEmpty: Bool { state.withLock { $0.listeners.isEmpty } }

    /// Tells all listeners, in the order in which they were added.
    func tell(_ value: Value) {
        let listeners = state.withLock { $0.listeners.sorted { $0.key < $1.key } }
        for (_, listener) in listeners { listener.receive(value) }
    }
}

/// The serial queues on which listeners are called: one for each of the app's queues, which is its target.
final class ListenerQueues: Sendable {
    private let queues = Mutex<[ObjectIdentifier: DispatchQueue]>([:])

    func queue(to target: DispatchQueue) -> DispatchQueue {
        queues.withLock { queues in
            // A serial queue retains its target, so no other queue can get the same identity.
            if let queue = queues[ObjectIdentifier(target)] { return queue }
            let queue = DispatchQueue(label: "CouchbaseLite.listener", target: target)
            queues[ObjectIdentifier(target)] = queue
            return queue
        }
    }
}
